//! The whole cluster over a simulated network: real coordinator, real workers, real search, real
//! store in memory, and the liars that hunt real clusters.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use sprig_chaos::liars::{Liar, Lie, Lore, Mouth, Said, names};
use sprig_chaos::start::Start;
use sprig_coordinator::Trust;
use sprig_domain::{Conclusion, JobState};
use sprig_proto::Job;
use sprig_store::{BanState, Batch, Contribution, Kind, Provenance, Sequence, Status, Store};
use turmoil::Sim;

use crate::faults::{self, COORDINATOR, Fault, QUICK};
use crate::hosts::{self, Site, Speed};
use crate::kept::Kept;
use crate::network;
use crate::watch::{Watch, digest};

/// What to simulate.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The seed, which decides everything.
    pub seed: u64,
    /// The start position that is to be solved.
    pub start: Start,
    /// Whether the coordinator believes what it is told.
    pub trust: Trust,
    /// Whether some workers lie.
    pub liars: bool,
    /// The control: a disk that has lied about what it has written loses the latest facts in every
    /// crash.
    pub lying_disk: bool,
    /// Whether to keep what all processes log.
    pub log: bool,
}

/// What came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// What was solved.
    pub start: Start,
    /// Simulated seconds until the answer.
    pub seconds: f64,
    /// Faults that happened before it.
    pub faults: usize,
    /// Facts whose acknowledgement a worker has heard; each was in the store then, and after every
    /// crash, unless it was withdrawn.
    pub acknowledged: usize,
    /// Facts in the store at the end.
    pub facts: u64,
    /// Those of the facts that count; each is true.
    pub believed: u64,
    /// Claims that were withdrawn.
    pub withdrawn: usize,
    /// The kinds of lies that were told.
    pub liars: Vec<Lie>,
    /// Messages of the liars.
    pub words: u64,
    /// Names that are banned in the end. None of them is that of an honest worker.
    pub banned: usize,
    /// Longest time from a restart of the coordinator until a worker was connected again, in
    /// seconds, if it was restarted.
    pub back: Option<f64>,
    /// A number that stands for everything that was logged, with its times.
    pub digest: String,
    /// What was logged, if it was wanted.
    #[serde(skip)]
    pub log: String,
}

/// How long one worker alone needs, without faults.
const SOLO: Duration = Duration::from_secs(60);
/// In the time in which one worker alone would solve the goal, others get this many turns.
const SLICES: u64 = 400;
/// The longest step of a search: it cannot be stopped in the middle of one, and a lease without
/// progress is taken back after a minute.
const LONGEST: Duration = Duration::from_secs(3);
/// Liars come before this.
const LATEST: Duration = Duration::from_secs(30);
/// Faults happen before this.
const STORM: Duration = Duration::from_secs(120);
/// After the storm, the answer must come within this.
const PATIENCE: Duration = Duration::from_secs(400);

/// What must not be.
#[derive(Debug)]
pub struct Violation {
    /// A line that begins with the seed.
    pub what: String,
    /// What was logged until then, if it was wanted.
    pub log: String,
}

/// Runs a scenario to its end.
///
/// # Errors
/// What was violated.
pub fn run(scenario: &Scenario) -> Result<Report, Violation> {
    let watch = Watch::new(scenario.log);
    let seen = watch.clone();
    let result =
        tracing::subscriber::with_default(watch.clone(), || Run::new(scenario, watch)?.run());
    result.map_err(|error| Violation {
        what: format!("seed {}: {error}", scenario.seed),
        log: seen.with(|seen| seen.log.take().unwrap_or_default()),
    })
}

struct Run<'a> {
    scenario: &'a Scenario,
    sim: Sim<'a>,
    site: Arc<Site>,
    watch: Watch,
    answer: Arc<Mutex<Option<Job>>>,
    plan: Vec<(Duration, Fault)>,
    workers: usize,
    kept: Kept,
    lore: Lore,
    liars: Vec<Lie>,
    said: Arc<Said>,
    restarted: Vec<Duration>,
}

/// The kinds of liars. None makes claims that are expensive to check, which take real time, and
/// none takes the identity of another worker.
fn kinds() -> Vec<Lie> {
    Lie::ALL.into_iter().filter(|lie| !matches!(lie, Lie::Dear | Lie::Twin)).collect()
}

impl<'a> Run<'a> {
    fn new(scenario: &'a Scenario, watch: Watch) -> Result<Self, String> {
        let &Scenario { start, trust, .. } = scenario;
        let mut rng = SmallRng::seed_from_u64(scenario.seed);
        let workers = rng.random_range(1..5);
        let plan = faults::plan(&mut rng, workers, STORM);
        let mut sim = turmoil::Builder::new()
            .rng_seed(rng.random())
            .tick_duration(Duration::from_millis(5))
            .simulation_duration(STORM + PATIENCE)
            .min_message_latency(Duration::from_millis(1))
            .max_message_latency(Duration::from_millis(rng.random_range(2..200)))
            .tcp_capacity(4096)
            .build();
        let (lore, said) = (Lore::default(), Arc::new(Said::default()));
        let crowd = if scenario.liars { rng.random_range(1..4) } else { 0 };
        let crowd = crowd_of(crowd, start, &lore, &said, &mut rng);
        let crowd = crowd.map_err(|error| format!("{error:#}"))?;
        let late: Vec<Duration> =
            crowd.iter().map(|_| rng.random_range(Duration::ZERO..LATEST)).collect();
        let behind_router = rng.random_bool(0.25);
        let store = Store::in_memory().expect("memory");
        let site = Arc::new(Site {
            store: Mutex::new(Arc::new(store)),
            rng: Mutex::new(rng),
            disk: AtomicU64::new(QUICK.as_millis() as u64),
            trust,
            behind_router,
            sync_followers: 0,
        });
        let speed = speed_of(&lore, start)?;

        let on = Arc::clone(&site);
        sim.host(COORDINATOR, move || hosts::coordinate(Arc::clone(&on)));
        for number in 0..workers {
            let name = faults::worker(number);
            let (on, called) = (Arc::clone(&site), name.clone());
            sim.host(name, move || {
                hosts::work(Arc::clone(&on), vec![hosts::url(COORDINATOR)], called.clone(), speed)
            });
        }
        let liars = crowd.iter().map(|liar| liar.mouth.lie).collect();
        for (number, (liar, late)) in crowd.into_iter().zip(late).enumerate() {
            let (on, once) = (Arc::clone(&site), Mutex::new(Some(liar)));
            sim.host(format!("liar-{number}"), move || {
                let liar = once.lock().unwrap_or_else(PoisonError::into_inner).take();
                let on = Arc::clone(&on);
                async move {
                    let liar = liar.ok_or("a liar is not started again")?;
                    hosts::lie(on, late, liar).await
                }
            });
        }
        if site.random().is_multiple_of(2) {
            let on = Arc::clone(&site);
            sim.host("hand", move || hosts::steer(Arc::clone(&on), start.goal(), STORM));
        }
        let answer = Arc::new(Mutex::new(None));
        sim.client(
            "client",
            hosts::ask(start.goal(), vec![hosts::url(COORDINATOR)], Arc::clone(&answer)),
        );
        let (kept, restarted) = (Kept::default(), Vec::new());
        Ok(Self {
            scenario,
            sim,
            site,
            watch,
            answer,
            plan,
            workers,
            kept,
            lore,
            liars,
            said,
            restarted,
        })
    }

    fn run(mut self) -> Result<Report, String> {
        let mut plan = std::mem::take(&mut self.plan).into_iter().peekable();
        let mut faults = 0;
        loop {
            while let Some((_, fault)) = plan.next_if(|(time, _)| *time <= self.sim.elapsed()) {
                faults += 1;
                self.inflict(fault)?;
            }
            let over = self.sim.step().map_err(|error| error.to_string())?;
            self.check_acknowledged()?;
            if over {
                return self.finish(faults);
            }
        }
    }

    fn inflict(&mut self, fault: Fault) -> Result<(), String> {
        tracing::info!(target: "sprig_sim", ?fault, "fault");
        match fault {
            Fault::Crash(host) => {
                self.sim.crash(host.as_str());
                if host == COORDINATOR {
                    if self.scenario.lying_disk {
                        self.lose_the_latest();
                        self.kept.begin_anew();
                    }
                    self.kept.check(&self.site.store())?;
                }
            }
            Fault::Restart(host) => {
                if host == COORDINATOR {
                    self.restarted.push(self.sim.elapsed());
                }
                self.sim.bounce(host.as_str());
            }
            Fault::Cut(a, b) => self.sim.partition_oneway(a.as_str(), b.as_str()),
            Fault::CutBoth(a, b) => self.sim.partition(a.as_str(), b.as_str()),
            Fault::Mend(a, b) => self.sim.repair(a.as_str(), b.as_str()),
            Fault::Hold(a, b) => self.sim.hold(a.as_str(), b.as_str()),
            Fault::Release(a, b) => self.sim.release(a.as_str(), b.as_str()),
            Fault::Disk(time) => self.site.disk.store(time.as_millis() as u64, Ordering::Relaxed),
        }
        Ok(())
    }

    /// Acknowledged means on disk: at that moment, and for ever.
    fn check_acknowledged(&mut self) -> Result<(), String> {
        let (acknowledged, withdrawn) = self.watch.with(|seen| {
            (std::mem::take(&mut seen.acknowledged), std::mem::take(&mut seen.withdrawn))
        });
        self.kept.look(&self.site.store(), acknowledged, withdrawn)
    }

    /// Does what a disk does that keeps its cache in memory and says that all is written.
    fn lose_the_latest(&self) {
        let old = self.site.store();
        let kept = old.next_sequence().0 / 2;
        let stored = old.facts_from(Sequence(0), kept as usize).expect("it can be read");
        let job = old.jobs().expect("they can be read").into_iter().next();
        let provenance = Provenance {
            source: sprig_store::Source { worker: "disk".into(), build: "sim".into() },
            job: None,
            time: sprig_store::UnixMillis(0),
        };
        let facts = stored.into_iter().map(|stored| stored.fact).collect();
        let batch = Batch {
            contributions: vec![Contribution { provenance, facts, exclusions: Vec::new() }],
            jobs: job.into_iter().collect(),
            ..Batch::default()
        };
        let new = Store::in_memory().expect("memory");
        new.commit(&batch).expect("it was there before");
        *self.site.store.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
    }

    fn finish(self, faults: usize) -> Result<Report, String> {
        let Scenario { seed, start, .. } = *self.scenario;
        let time = self.sim.elapsed();
        let job = self.answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let job = job.ok_or("the client ended without an answer")?;
        check_answer(start, &job)?;
        let store = self.site.store();
        self.kept.check(&store)?;
        let believed = self.check_believed(&store)?;
        let bans = store.bans().map_err(|error| error.to_string())?;
        let bans = bans.iter().filter(|ban| matches!(ban.state, BanState::Banned { .. }));
        let banned: BTreeMap<_, _> =
            bans.map(|ban| (ban.person.name.clone(), ban.state.clone())).collect();
        for name in (0..self.workers).map(faults::worker) {
            if let Some(state) = banned.get(&name) {
                return Err(format!("{name} does not lie, and is banned: {state:?}"));
            }
        }
        let (digest, log, connected) = self.watch.with(|seen| {
            (digest(seen), seen.log.take().unwrap_or_default(), std::mem::take(&mut seen.connected))
        });
        let back = |&restart: &Duration| {
            connected.iter().find(|&&time| time > restart).map(|&time| time - restart)
        };
        Ok(Report {
            seed,
            start,
            seconds: time.as_secs_f64(),
            faults,
            acknowledged: self.kept.acknowledged(),
            facts: store.next_sequence().0,
            believed,
            withdrawn: self.kept.withdrawals(),
            liars: self.liars,
            words: self.said.words(),
            banned: banned.len(),
            back: self.restarted.iter().filter_map(back).max().map(|time| time.as_secs_f64()),
            digest: format!("{digest:016x}"),
            log,
        })
    }

    /// How many facts count; each must be true. Where no worker lies, all facts must be true.
    fn check_believed(&self, store: &Store) -> Result<u64, String> {
        let all = self.scenario.trust == Trust::Believed || !self.scenario.liars;
        let mut believed = 0;
        for kind in [Kind::Nimber, Kind::Tree, Kind::Rct, Kind::Loss] {
            for stored in store.facts(kind) {
                let fact = stored.map_err(|error| error.to_string())?.fact;
                if !all && fact.status != Status::Verified {
                    continue;
                }
                believed += 1;
                if !self.lore.holds(&fact).map_err(|error| format!("{error:#}"))? {
                    let about = sprig_store::Subject(kind, &fact.subject);
                    return Err(format!("{} of {about} is believed, and false", fact.value));
                }
            }
        }
        Ok(believed)
    }
}

/// Liars about this job.
fn crowd_of(
    count: usize,
    start: Start,
    lore: &Lore,
    said: &Arc<Said>,
    rng: &mut SmallRng,
) -> anyhow::Result<Vec<Liar>> {
    let mut crowd = Vec::new();
    for number in 0..count {
        let lie = *kinds().choose(rng).expect("there are some");
        // Liars that conspire need not agree here: each has a lie of its own.
        let poison = if lie == Lie::Poison { lore.poisoned(start, rng)? } else { Vec::new() };
        let dice = SmallRng::seed_from_u64(rng.random());
        crowd.push(Liar {
            mouth: Mouth::new(lie, start, lore.facts(start)?, Arc::new(poison), dice),
            pace: Duration::from_millis(rng.random_range(100..2_000)),
            url: hosts::url(COORDINATOR),
            access: network::access(),
            names: names(lie, number, false, rng),
            victim: None,
            said: Arc::clone(said),
        });
    }
    Ok(crowd)
}

/// How fast each worker is, so that one alone solves the goal in a minute.
pub(crate) fn speed_of(lore: &Lore, start: Start) -> Result<Speed, String> {
    let effort = lore.effort(start).map_err(|error| format!("{error:#}"))?.max(1);
    let slice = effort.div_ceil(SLICES).max(1);
    let time = SOLO.mul_f64(slice as f64 / effort as f64).min(LONGEST);
    Ok(Speed { slice, time })
}

pub(crate) fn check_answer(start: Start, job: &Job) -> Result<(), String> {
    let outcome = start.outcome();
    match job.state {
        JobState::Done(Conclusion { outcome: found, .. }) if found == outcome => Ok(()),
        ref state => Err(format!("{start} is a {outcome}, and the job ended as {state:?}")),
    }
}
