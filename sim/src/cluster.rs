//! The whole cluster over a simulated network: real coordinator, real workers, real search, real store in memory.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sprig_coordinator::{Coordinator, Disk, Ground as CoordinatorGround};
use sprig_domain::{Conclusion, Goal, JobState, Outcome};
use sprig_engine::{CanonicalPosition, Position};
use sprig_proto::wire::clients_client::ClientsClient;
use sprig_proto::{Access, Job, limits, wire};
use sprig_store::{Batch, Contribution, Kind, Provenance, Sequence, Store, Value};
use sprig_worker::{Config, Ground as WorkerGround, Scene, Shutdown, Worker};
use tonic::transport::Endpoint;
use turmoil::Sim;

use crate::faults::{self, COORDINATOR, Fault, QUICK};
use crate::watch::{Watch, digest};
use crate::{network, truth};

/// What to simulate.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Decides everything.
    pub seed: u64,
    /// Spots of the start position that is to be solved.
    pub spots: usize,
    /// The control: a disk that has lied about what it has written loses the latest facts in every crash.
    pub lying_disk: bool,
    /// Keep what everybody logs.
    pub log: bool,
}

/// What came of it.
#[derive(Debug)]
pub struct Report {
    /// Simulated time until the answer.
    pub time: Duration,
    /// Faults that happened before it.
    pub faults: usize,
    /// Facts whose acknowledgement a worker has heard; each was in the store then, and after every crash.
    pub acknowledged: usize,
    /// Facts in the store at the end; each is true.
    pub facts: u64,
    /// Longest time from a restart of the coordinator until a worker was connected again, if it was restarted.
    pub back: Option<Duration>,
    /// Stands for everything that was logged, with its times.
    pub digest: u64,
    /// What was logged, if it was wanted.
    pub log: String,
}

/// How long one worker alone needs, without faults.
const SOLO: Duration = Duration::from_secs(60);
/// Turns of the others while one worker alone would solve the goal.
const SLICES: u64 = 400;
/// Faults happen before this.
const STORM: Duration = Duration::from_secs(120);
/// After the storm, the answer must come within this.
const PATIENCE: Duration = Duration::from_secs(400);

/// What stands on the coordinator's host, whoever runs there.
struct Site {
    store: Mutex<Arc<Store>>,
    rng: Mutex<SmallRng>,
    disk: AtomicU64,
}

impl Site {
    fn store(&self) -> Arc<Store> {
        Arc::clone(&self.store.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn random(&self) -> u64 {
        self.rng.lock().unwrap_or_else(PoisonError::into_inner).random()
    }
}

/// Runs a scenario to its end.
///
/// # Errors
/// What was violated, in a line that begins with the seed.
pub fn run(scenario: &Scenario) -> Result<Report, String> {
    let watch = Watch::new(scenario.log);
    let result =
        tracing::subscriber::with_default(watch.clone(), || Run::new(scenario, watch).run());
    result.map_err(|error| format!("seed {}: {error}", scenario.seed))
}

struct Run<'a> {
    scenario: &'a Scenario,
    sim: Sim<'a>,
    site: Arc<Site>,
    watch: Watch,
    answer: Arc<Mutex<Option<Job>>>,
    plan: Vec<(Duration, Fault)>,
    acknowledged: Vec<(String, u8)>,
    restarted: Vec<Duration>,
}

impl<'a> Run<'a> {
    fn new(scenario: &'a Scenario, watch: Watch) -> Self {
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
        let store = Store::in_memory().expect("memory");
        let site = Arc::new(Site {
            store: Mutex::new(Arc::new(store)),
            rng: Mutex::new(rng),
            disk: AtomicU64::new(QUICK.as_millis() as u64),
        });
        let goal = truth::outcome_of(scenario.spots);
        let effort = truth::effort(&goal);
        let slice = effort.div_ceil(SLICES).max(1);
        let time = SOLO.mul_f64((slice as f64 / effort as f64).min(1.0));

        let on = Arc::clone(&site);
        sim.host(COORDINATOR, move || coordinate(Arc::clone(&on)));
        for number in 0..workers {
            let name = faults::worker(number);
            let (on, called) = (Arc::clone(&site), name.clone());
            sim.host(name, move || work(Arc::clone(&on), called.clone(), slice, time));
        }
        let answer = Arc::new(Mutex::new(None));
        sim.client("client", ask(goal, Arc::clone(&answer)));
        let (acknowledged, restarted) = (Vec::new(), Vec::new());
        Self { scenario, sim, site, watch, answer, plan, acknowledged, restarted }
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
                    }
                    self.acknowledged.iter().try_for_each(|fact| self.is_stored(fact))?;
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
        let new = self.watch.with(|seen| std::mem::take(&mut seen.acknowledged));
        new.iter().try_for_each(|fact| self.is_stored(fact))?;
        self.acknowledged.extend(new);
        Ok(())
    }

    fn is_stored(&self, (land, nimber): &(String, u8)) -> Result<(), String> {
        let position: Position = land.parse().expect("the text of a land");
        let canonical = CanonicalPosition::of(&position);
        let stored = self.site.store().nimber(canonical.lands()[0].key());
        match stored.map_err(|error| error.to_string())? {
            Some(stored) if stored.get() == *nimber => Ok(()),
            other => Err(format!(
                "{land} = {nimber} was acknowledged, and the store has {other:?} at {:?}",
                self.sim.elapsed()
            )),
        }
    }

    /// What a disk does that keeps its cache in memory and says that all is written.
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
        let time = self.sim.elapsed();
        let job = self.answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let job = job.ok_or("the client ended without an answer")?;
        check_answer(self.scenario.spots, &job)?;
        self.acknowledged.iter().try_for_each(|fact| self.is_stored(fact))?;
        let store = self.site.store();
        for stored in store.facts(Kind::Nimber) {
            let fact = stored.map_err(|error| error.to_string())?.fact;
            let land =
                sprig_engine::CanonicalLand::from_key(&fact.subject).map_err(|e| e.to_string())?;
            let Value::Nimber(nimber) = fact.value else { return Err("no nimber".into()) };
            truth::check(&land, nimber)?;
        }
        let (digest, log, connected) = self.watch.with(|seen| {
            (digest(seen), seen.log.take().unwrap_or_default(), std::mem::take(&mut seen.connected))
        });
        let back = |&restart: &Duration| {
            connected.iter().find(|&&time| time > restart).map(|&time| time - restart)
        };
        Ok(Report {
            time,
            faults,
            acknowledged: self.acknowledged.len(),
            facts: store.next_sequence().0,
            back: self.restarted.iter().filter_map(back).max(),
            digest,
            log,
        })
    }
}

fn check_answer(spots: usize, job: &Job) -> Result<(), String> {
    let won = (3..6).contains(&(spots % 6));
    let outcome = Outcome::from(won);
    match job.state {
        JobState::Done(Conclusion { outcome: found, .. }) if found == outcome => Ok(()),
        ref state => Err(format!("0*{spots} is a {outcome}, and the job ended as {state:?}")),
    }
}

async fn coordinate(site: Arc<Site>) -> turmoil::Result {
    let slow = Arc::clone(&site);
    let pace = move || Duration::from_millis(slow.disk.load(Ordering::Relaxed));
    let ground = CoordinatorGround { epoch: site.random(), disk: Disk::Simulated(Arc::new(pace)) };
    let address = SocketAddr::from((Ipv4Addr::UNSPECIFIED, network::PORT));
    let incoming = network::listen().await?;
    let mut coordinator = Coordinator::on(ground, site.store(), address, incoming)?;
    Err(coordinator.failure().await.into())
}

async fn work(site: Arc<Site>, name: String, slice: u64, time: Duration) -> turmoil::Result {
    let scene = Scene { dial: network::dial(), slice, time };
    let random = Arc::new(move || site.random());
    let ground = WorkerGround { random, scene: Some(scene) };
    let coordinator = format!("http://{COORDINATOR}:{}", network::PORT);
    let access = Access::default();
    let (limits, pulse, notice) = (truth::LIMITS, Arc::default(), sprig_worker::NOTICE);
    let config = Config { coordinators: vec![coordinator], access, name, limits, pulse, notice };
    // Kept, since a dropped sender means that the worker shall end.
    let (_shutdown, wish) = tokio::sync::watch::channel(Shutdown::Run);
    Worker::on(ground, config, wish).await?;
    Ok(())
}

/// Submits until the job is taken, and watches until it has ended, through all that happens to the coordinator.
async fn ask(goal: Goal, answer: Arc<Mutex<Option<Job>>>) -> turmoil::Result {
    loop {
        let asked = tokio::time::timeout(Duration::from_secs(20), attempt(&goal)).await;
        if let Ok(Ok(Some(job))) = asked {
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(job);
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

async fn attempt(goal: &Goal) -> Result<Option<Job>, Box<dyn std::error::Error + Send + Sync>> {
    let endpoint = Endpoint::from_static("http://coordinator:7425");
    let channel = network::connect(endpoint.connect_timeout(Duration::from_secs(5))).await?;
    let mut calls = ClientsClient::new(channel).max_decoding_message_size(limits::MESSAGE_BYTES);
    let job = Job::try_from(
        calls
            .submit(wire::Submission { goal: Some(goal.clone().into()), priority: 0 })
            .await?
            .into_inner(),
    )?;
    let mut jobs = calls.watch(wire::JobId::from(job.id)).await?.into_inner();
    while let Some(job) = jobs.message().await? {
        let job = Job::try_from(job)?;
        if job.state.is_final() {
            return Ok(Some(job));
        }
    }
    Ok(None)
}
