//! Solves start positions from empty tables and prints what it took.
use sprig_engine::{CanonicalPosition, Nimber, Position};
use sprig_search::{Fact, Goal, Limits, Observer, Question, Solver};
struct Quiet;
impl Observer for Quiet {
    fn stop(&self) -> bool { false }
    fn proved(&self, _: Fact) {}
}
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = s.rsplit(')').next().unwrap().split_whitespace().collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}
fn main() {
    let threads = std::env::var("T").map_or(1, |t| t.parse().unwrap());
    let memory = std::env::var("M").map_or(8_000, |t| t.parse().unwrap());
    let nimber = std::env::var("NIM").is_ok();
    let one = std::env::var("ONE").is_ok();
    let mut solver = Solver::new(Limits { memory: memory << 20, threads });
    let mut total = 0.0;
    for n in std::env::args().skip(1) {
        if !one { solver = Solver::new(Limits { memory: memory << 20, threads }); }
        let position = CanonicalPosition::of(&n.parse::<usize>().map_or_else(|_| n.parse().unwrap(), Position::start));
        let q = if nimber { Question::Nimber } else { Question::Outcome { heap: Nimber::ZERO } };
        let t = cpu();
        let w = std::time::Instant::now();
        let v = solver.solve(&Goal { position, question: q }, u64::MAX, &Quiet).unwrap();
        let f = solver.figures();
        let dt = cpu() - t;
        total += dt.max(0.01).ln();
        println!("{n:>4} {v:?} cpu {dt:.2} wall {:.2} exp {} children {} lands {} facts {} MB {} us/exp {:.1} B/land {} gc {}", w.elapsed().as_secs_f64(), f.expansions, f.children, f.lands, f.facts, f.bytes >> 20, dt * 1e6 / f.expansions as f64, f.bytes / f.lands.max(1), f.collections);
    }
    println!("geomean {:.3}", (total / (std::env::args().len() - 1) as f64).exp());
}
