//! Looking at a search, and keeping it away from places: neither changes what is proved.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use sprig_domain::{Goal, LandNimber, Place, Question, Verdict, View};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position};
use sprig_search::{Limits, Observer, Solver};

const LIMITS: Limits = Limits { memory: 256 << 20, threads: 1 };

fn start(spots: usize) -> CanonicalPosition {
    CanonicalPosition::of(&Position::start(spots))
}

/// Looks at the search again and again while it runs.
struct Looker<'a> {
    solver: &'a Solver,
    at: CanonicalPosition,
    asked: AtomicU64,
    seen: Mutex<Vec<View>>,
}

impl Observer<LandNimber> for Looker<'_> {
    fn stop(&self) -> bool {
        if self.asked.fetch_add(1, Relaxed).is_multiple_of(500) {
            let view = self.solver.view(&self.at, Question::OUTCOME, 7);
            self.seen.lock().expect("no thread panics").extend(view);
        }
        false
    }

    fn proved(&self, _: LandNimber) {}
}

fn goal(place: &Place) -> &Goal {
    place.goal().expect("places of normal play are goals")
}

#[test]
fn whoever_looks_at_a_search_sees_where_it_goes_and_changes_no_answer() {
    let position = start(14);
    let alone = Solver::new(LIMITS);
    let verdict = alone.solve(&position, Question::OUTCOME, u64::MAX, &());
    let solver = Solver::new(LIMITS);
    let (asked, seen) = (AtomicU64::new(0), Mutex::default());
    let looker = Looker { solver: &solver, at: position.clone(), asked, seen };
    assert_eq!(solver.solve(&position, Question::OUTCOME, u64::MAX, &looker), verdict);

    let seen = looker.seen.into_inner().expect("no thread panics");
    assert!(seen.len() > 30, "{} views", seen.len());
    let children = position.children().expect("a small position");
    let mut longest = 0;
    for View { at, line, options, open } in &seen {
        assert_eq!(goal(&at.place).position(), &position);
        assert_eq!(options.len(), 7.min(*open as usize));
        assert_eq!(line.first(), options.first(), "it goes to the first option");
        let numbers: Vec<u32> = options.iter().map(|option| option.disproof).collect();
        assert!(numbers.is_sorted(), "{numbers:?}");
        for option in options {
            // Lands with known nimbers are part of the heap.
            let goal = goal(&option.place);
            let is_child = children.iter().any(|child| {
                goal.position().lands().iter().all(|land| child.lands().contains(land))
            });
            assert!(is_child, "{}", option.place);
        }
        longest = longest.max(line.len());
    }
    assert!(longest > 5, "{longest}");
    assert_eq!(solver.view(&position, Question::OUTCOME, 7), None, "it is decided");
}

/// A random number below `below`, from a generator of Marsaglia (2003).
fn random(state: &mut u64, below: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state % below as u64) as usize
}

#[test]
fn bans_never_change_an_answer() {
    let (mut state, mut dearer, mut cheaper) = (0x5eed, 0, 0);
    for spots in 9..=14 {
        let position = start(spots);
        let alone = Solver::new(LIMITS);
        let expected = alone.solve(&position, Question::OUTCOME, u64::MAX, &());
        let is_win = matches!(spots % 6, 3..=5);
        assert_eq!(expected, Ok(if is_win { Verdict::Win } else { Verdict::Loss }));
        // Lands one and two moves away, and the start itself.
        let children = position.children().expect("a small position");
        let mut lands: Vec<CanonicalLand> = position.lands().to_vec();
        for child in &children {
            lands.extend_from_slice(child.lands());
            for below in child.children().expect("a small position") {
                lands.extend_from_slice(below.lands());
            }
        }
        for _ in 0..20 {
            let count = 1 + random(&mut state, 6);
            let bans: Vec<(CanonicalLand, Nimber)> = (0..count)
                .map(|_| {
                    let heap = Nimber::new(random(&mut state, 3) as u64).expect("in range");
                    (lands[random(&mut state, lands.len())].clone(), heap)
                })
                .collect();
            let solver = Solver::new(LIMITS);
            solver.avoid(bans.iter().map(|(land, heap)| (land, *heap)));
            let verdict = solver.solve(&position, Question::OUTCOME, u64::MAX, &());
            assert_eq!(verdict, expected, "{spots} spots without {bans:?}");
            let cost = solver.figures().expansions.cmp(&alone.figures().expansions);
            dearer += u32::from(cost.is_gt());
            cheaper += u32::from(cost.is_lt());
        }
    }
    assert!(dearer > 10 && cheaper > 5, "bans lead elsewhere: {dearer} dearer, {cheaper} cheaper");
}

#[test]
fn what_is_banned_comes_later_until_the_ban_is_lifted() {
    let position = start(16);
    let first = |solver: &Solver| {
        let verdict = solver.solve(&position, Question::OUTCOME, 1_000, &());
        assert!(matches!(verdict, Ok(Verdict::Open { .. })), "{verdict:?}");
        let view = solver.view(&position, Question::OUTCOME, 1).expect("it was there");
        goal(&view.options[0].place).clone()
    };
    let solver = Solver::new(LIMITS);
    let favourite = first(&solver);
    let [land] = favourite.position().lands() else { panic!("{:?} is one land", favourite) };
    solver.avoid([(land, favourite.question().heap())]);
    assert_ne!(first(&solver), favourite);
    solver.avoid([]);
    let solved = solver.solve(&position, Question::OUTCOME, u64::MAX, &());
    assert_eq!(solved, Ok(Verdict::Win));
}
