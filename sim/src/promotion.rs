//! A coordinator is lost, or cut off from the others; its follower is promoted in its place; and
//! the old one comes back.
//!
//! Everything runs that runs in real clusters: two coordinators with databases on this machine's
//! disk, the follower, workers with both addresses, and the handing in of what the old one has. The
//! part of the person who promotes is played here.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use sprig_blocking::Blocking;
use sprig_chaos::liars::Lore;
use sprig_chaos::start::Start;
use sprig_coordinator::{Heir, Trust};
use sprig_domain::Reign;
use sprig_follower::{Config, Ground, follow_on, reign_of};
use sprig_proto::{Job, WorkerId};
use sprig_store::{Replica, Secret, Sequence, Store, StoreError};
use turmoil::Sim;

use crate::cluster::{Violation, check_answer, speed_of};
use crate::faults::{self, COORDINATOR, QUICK};
use crate::hosts::{self, Site};
use crate::kept::{Kept, words};
use crate::network;
use crate::watch::Watch;

/// What to simulate.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The seed, which decides everything.
    pub seed: u64,
    /// The control: nothing waits for the follower, so that what it lacks is lost.
    pub unsynced: bool,
    /// Whether to keep what all processes log.
    pub log: bool,
}

/// How the first coordinator is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// Its process is gone, as by kill -9.
    Killed,
    /// It runs, but only some of the workers reach it.
    CutOff,
}

/// What came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// What was solved.
    pub start: Start,
    /// How the coordinator was lost.
    pub loss: Loss,
    /// Simulated seconds until it was lost.
    pub lost_at: f64,
    /// Facts whose acknowledgement a worker had heard when the follower was promoted; the copy had
    /// each of them.
    pub acknowledged: usize,
    /// Facts of the first coordinator that the copy did not have then.
    pub behind: u64,
    /// Facts that the old coordinator had and the new one did not, when the old one came back. The
    /// new one has all of them in the end.
    pub apart: u64,
    /// Simulated seconds until the answer was there and the old one had handed in what it had.
    pub seconds: f64,
    /// Facts of the new coordinator in the end.
    pub facts: u64,
    /// What was logged, if it was wanted.
    #[serde(skip)]
    pub log: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, start, loss, lost_at, acknowledged, behind, .. } = self;
        let Self { apart, seconds, facts, .. } = self;
        let loss = match loss {
            Loss::Killed => "killed",
            Loss::CutOff => "cut off",
        };
        write!(
            f,
            "seed {seed}: {start}, {loss} after {lost_at:.1} s; {acknowledged} facts acknowledged, all in the copy, which was \
             {behind} behind; the old one came back with {apart} more, and all {facts} are with the new one after {seconds:.1} s"
        )
    }
}

/// The host that follows, and leads once it was promoted.
const FOLLOWER: &str = "follower";
/// The secret of the owner of both coordinators.
const SECRET: [u8; Secret::BYTES] = [7; Secret::BYTES];
/// How often an old coordinator asks whether another leads in its place.
const PERIOD: Duration = Duration::from_secs(5);
/// The longest simulated time of a scenario.
const LONGEST: Duration = Duration::from_secs(900);

/// Runs a scenario to its end.
///
/// # Errors
/// What was violated.
pub fn run(scenario: &Scenario) -> Result<Report, Violation> {
    let watch = Watch::new(scenario.log);
    let seen = watch.clone();
    let result = tracing::subscriber::with_default(watch.clone(), || {
        let folder = std::env::temp_dir().join(format!("sprig-sim-{}", std::process::id()));
        let ran = Run::new(scenario, watch, &folder).and_then(Run::run);
        // A folder for temporary files that cannot be cleared harms no result.
        let _ = std::fs::remove_dir_all(&folder);
        ran
    });
    result.map_err(|error| Violation {
        what: format!("seed {}: {error}", scenario.seed),
        log: seen.with(|seen| seen.log.take().unwrap_or_default()),
    })
}

struct Run {
    scenario: Scenario,
    sim: Sim<'static>,
    start: Start,
    loss: Loss,
    workers: usize,
    rng: SmallRng,
    old: Arc<Site>,
    /// Where the follower leads, once it was promoted.
    new: Arc<OnceLock<Arc<Site>>>,
    copy: PathBuf,
    watch: Watch,
    kept: Kept,
    answer: Arc<Mutex<Option<Job>>>,
}

impl Run {
    fn new(scenario: &Scenario, watch: Watch, folder: &Path) -> Result<Self, String> {
        let mut rng = SmallRng::seed_from_u64(scenario.seed);
        let start = Start { spots: rng.random_range(8..13), misere: false };
        let workers = rng.random_range(1..4);
        let loss = if rng.random() { Loss::Killed } else { Loss::CutOff };
        let mut sim = turmoil::Builder::new()
            .rng_seed(rng.random())
            .tick_duration(Duration::from_millis(5))
            .simulation_duration(LONGEST)
            .min_message_latency(Duration::from_millis(1))
            .max_message_latency(Duration::from_millis(rng.random_range(2..200)))
            .tcp_capacity(4096)
            .build();
        let secret = Secret::new(SECRET);
        let (first, copy) = (folder.join("first"), folder.join("copy"));
        let store = Store::open_to_lead(&first, &secret).map_err(told)?;
        let sync_followers = usize::from(!scenario.unsynced);
        let old = site(store, &mut rng, sync_followers);
        let new = Arc::<OnceLock<Arc<Site>>>::default();
        let handed_in = Arc::new(AtomicBool::new(false));

        let (on, done) = (Arc::clone(&old), Arc::clone(&handed_in));
        sim.host(COORDINATOR, move || reign(Arc::clone(&on), Arc::clone(&done)));
        let (promoted, dir, dice) =
            (Arc::clone(&new), copy.clone(), Arc::new(Mutex::new(branch(&mut rng))));
        sim.host(FOLLOWER, move || {
            keep_or_lead(promoted.get().cloned(), dir.clone(), Arc::clone(&dice))
        });
        let speed = speed_of(&Lore::default(), start)?;
        let both = || vec![hosts::url(COORDINATOR), hosts::url(FOLLOWER)];
        for number in 0..workers {
            let name = faults::worker(number);
            let (on, called, urls) = (Arc::clone(&old), name.clone(), both());
            sim.host(name, move || {
                hosts::work(Arc::clone(&on), urls.clone(), called.clone(), speed)
            });
        }
        let answer = Arc::new(Mutex::new(None));
        let (goal, found) = (start.goal(), Arc::clone(&answer));
        let urls = both();
        sim.client("client", async move {
            hosts::ask(goal, urls, found).await?;
            while !handed_in.load(Ordering::Relaxed) {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Ok(())
        });
        let (scenario, kept) = (scenario.clone(), Kept::default());
        Ok(Self { scenario, sim, start, loss, workers, rng, old, new, copy, watch, kept, answer })
    }

    fn run(mut self) -> Result<Report, String> {
        let lost_at = self.until_lost()?;
        let cut = self.lose();
        let pause = Duration::from_secs_f64(self.rng.random_range(0.1..20.0));
        self.go_on(pause)?;
        let (acknowledged, behind) = self.promote()?;
        let pause = Duration::from_secs_f64(self.rng.random_range(0.0..60.0));
        self.go_on(pause)?;
        let apart = self.apart()?;
        match self.loss {
            Loss::Killed => {
                self.sim.release(COORDINATOR, FOLLOWER);
                self.sim.bounce(COORDINATOR);
            }
            Loss::CutOff => cut.iter().for_each(|host| self.sim.repair(COORDINATOR, host.as_str())),
        }
        while !self.step()? {}
        self.finish(lost_at, acknowledged, behind, apart)
    }

    /// Does one step of everything. Returns whether all is done.
    fn step(&mut self) -> Result<bool, String> {
        let over = self.sim.step().map_err(|error| error.to_string())?;
        let (acknowledged, withdrawn) = self.watch.with(|seen| {
            (std::mem::take(&mut seen.acknowledged), std::mem::take(&mut seen.withdrawn))
        });
        let store = self.new.get().map_or_else(|| self.old.store(), |new| new.store());
        self.kept.look(&store, acknowledged, withdrawn)?;
        Ok(over)
    }

    fn go_on(&mut self, time: Duration) -> Result<(), String> {
        let until = self.sim.elapsed() + time;
        while self.sim.elapsed() < until {
            self.step()?;
        }
        Ok(())
    }

    /// Lets the cluster work, with faults between coordinator and follower, until the follower has
    /// a copy and the time has come.
    fn until_lost(&mut self) -> Result<Duration, String> {
        for _ in 0..self.rng.random_range(0..3) {
            let pause = Duration::from_secs_f64(self.rng.random_range(0.1..8.0));
            self.go_on(pause)?;
            let trouble = Duration::from_secs_f64(self.rng.random_range(0.05..3.0));
            match self.rng.random_range(0..3) {
                0 => {
                    self.sim.crash(FOLLOWER);
                    self.go_on(trouble)?;
                    self.sim.bounce(FOLLOWER);
                }
                1 => {
                    self.sim.hold(COORDINATOR, FOLLOWER);
                    self.go_on(trouble)?;
                    self.sim.release(COORDINATOR, FOLLOWER);
                }
                _ => {
                    self.old.disk.store(self.rng.random_range(20..500), Ordering::Relaxed);
                    self.go_on(trouble)?;
                    self.old.disk.store(QUICK.as_millis() as u64, Ordering::Relaxed);
                }
            }
        }
        while !self.copy.exists() || self.kept.acknowledged() == 0 {
            if self.sim.elapsed() > LONGEST / 3 {
                return Err("nothing was acknowledged in a third of the time".into());
            }
            self.step()?;
        }
        // With luck in the middle of something that the follower lacks.
        let pause = Duration::from_secs_f64(self.rng.random_range(0.0..20.0));
        self.go_on(pause)?;
        self.sim.hold(COORDINATOR, FOLLOWER);
        let pause = Duration::from_secs_f64(self.rng.random_range(0.0..2.0));
        self.go_on(pause)?;
        Ok(self.sim.elapsed())
    }

    /// Takes away the coordinator, or cuts it off. Returns the hosts from which it is cut off.
    fn lose(&mut self) -> Vec<String> {
        tracing::info!(target: "sprig_sim", loss = ?self.loss, "lost");
        if self.loss == Loss::Killed {
            self.sim.crash(COORDINATOR);
            return Vec::new();
        }
        let mut cut = vec![FOLLOWER.to_owned(), "client".to_owned()];
        for worker in (0..self.workers).map(faults::worker) {
            // The other workers go on working for it.
            if self.rng.random() {
                cut.push(worker);
            }
        }
        cut.iter().for_each(|host| self.sim.partition(COORDINATOR, host.as_str()));
        cut
    }

    /// Does what a person would do: stops the follower, promotes its copy, and starts a coordinator
    /// on it. Returns how many facts were acknowledged, and how many the copy lacks.
    fn promote(&mut self) -> Result<(usize, u64), String> {
        self.sim.crash(FOLLOWER);
        let secret = Secret::new(SECRET);
        let replica = Replica::open(&self.copy, &secret).map_err(told)?;
        let succession = replica.ok_or("there is no copy")?.promote(&secret).map_err(told)?;
        let behind = self.old.store().next_sequence().0.saturating_sub(succession.inherited);
        let store = Store::open_to_lead(&self.copy, &secret).map_err(told)?;
        let new = site(store, &mut self.rng, 0);
        self.kept.begin_anew();
        self.kept.look(&new.store(), Vec::new(), Vec::new())?;
        self.kept.check(&new.store())?;
        assert!(self.new.set(new).is_ok(), "it is promoted once");
        self.sim.bounce(FOLLOWER);
        tracing::info!(target: "sprig_sim", behind, "promoted");
        Ok((self.kept.acknowledged(), behind))
    }

    fn both(&self) -> Result<(Arc<Store>, Arc<Store>), String> {
        let new = self.new.get().ok_or("nobody was promoted")?;
        Ok((self.old.store(), new.store()))
    }

    /// How many facts of the old coordinator the new one does not have.
    fn apart(&self) -> Result<u64, String> {
        let (old, new) = self.both()?;
        let mut apart = 0;
        for stored in old.facts_from(Sequence(0), usize::MAX).map_err(told)? {
            let subject = &stored.fact.subject;
            apart += u64::from(new.fact(stored.fact.kind(), subject).map_err(told)?.is_none());
        }
        Ok(apart)
    }

    fn finish(
        mut self,
        lost_at: Duration,
        acknowledged: usize,
        behind: u64,
        apart: u64,
    ) -> Result<Report, String> {
        let (seed, start, loss) = (self.scenario.seed, self.start, self.loss);
        let seconds = self.sim.elapsed().as_secs_f64();
        let job = self.answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        check_answer(start, &job.ok_or("the client ended without an answer")?)?;
        let (old, new) = self.both()?;
        match old.may_lead() {
            Err(StoreError::Succeeded { .. }) => {}
            other => return Err(format!("the old coordinator may lead: {other:?}")),
        }
        if !old.is_handed_in().map_err(told)? {
            return Err("the old coordinator has not handed in what it has".into());
        }
        new.may_lead().map_err(told)?;
        // What the old coordinator had counts as acknowledged by the new one.
        let all = old.facts_from(Sequence(0), usize::MAX).map_err(told)?;
        let all = all.iter().map(|stored| words(&stored.fact)).collect::<Result<_, _>>()?;
        self.kept.look(&new, all, Vec::new())?;
        self.kept.check(&new)?;
        let facts = new.next_sequence().0;
        let log = self.watch.with(|seen| seen.log.take().unwrap_or_default());
        let lost_at = lost_at.as_secs_f64();
        Ok(Report { seed, start, loss, lost_at, acknowledged, behind, apart, seconds, facts, log })
    }
}

/// The environment of a coordinator.
fn site(store: Store, rng: &mut SmallRng, sync_followers: usize) -> Arc<Site> {
    Arc::new(Site {
        store: Mutex::new(Arc::new(store)),
        rng: Mutex::new(branch(rng)),
        disk: AtomicU64::new(QUICK.as_millis() as u64),
        trust: Trust::Checked,
        behind_router: false,
        sync_followers,
    })
}

fn branch(rng: &mut SmallRng) -> SmallRng {
    SmallRng::seed_from_u64(rng.random())
}

/// Leads until another coordinator leads in its place, then hands in what it has, and ends: what
/// `sprig coordinator --peer` does.
async fn reign(site: Arc<Site>, handed_in: Arc<AtomicBool>) -> turmoil::Result {
    let store = site.store();
    let own = store.succession()?.reign;
    if let Some(by) = successor(&own).await.filter(|by| store.vouches(by)) {
        store.succeeded(&by)?;
    }
    if store.may_lead().is_ok() {
        let mut coordinator = hosts::start(&site).await?;
        let told = async {
            loop {
                tokio::time::sleep(PERIOD).await;
                if let Some(by) = successor(&own).await {
                    return by;
                }
            }
        };
        let error = tokio::select! {
            error = coordinator.failure() => error,
            by = told => {
                coordinator.hear_of(by).await;
                coordinator.failure().await
            }
        };
        if store.may_lead().is_ok() {
            return Err(error.into());
        }
    }
    let (url, access, name) = (hosts::url(FOLLOWER), network::access(), "old".to_owned());
    let heir = Heir { url, access, name, worker: WorkerId(1) };
    loop {
        match heir.take(&store, |_, _| {}).await {
            Ok(taken) => {
                store.handed_in(&taken.reign)?;
                handed_in.store(true, Ordering::Relaxed);
                return Ok(());
            }
            Err(error) => tracing::info!(target: "sprig_sim", %error, "not handed in"),
        }
        tokio::time::sleep(PERIOD).await;
    }
}

/// The later reign in which the follower leads, if it answers.
async fn successor(own: &Reign) -> Option<Reign> {
    let (url, access) = (hosts::url(FOLLOWER), network::access());
    let asked = tokio::time::timeout(PERIOD, reign_of(&url, &access)).await;
    asked.ok()?.ok()?.filter(|by| by.succeeds(own))
}

/// Follows, or leads if it was promoted.
async fn keep_or_lead(
    promoted: Option<Arc<Site>>,
    dir: PathBuf,
    dice: Arc<Mutex<SmallRng>>,
) -> turmoil::Result {
    if let Some(site) = promoted {
        return hosts::coordinate(site).await;
    }
    let random = move || dice.lock().unwrap_or_else(PoisonError::into_inner).random();
    let disk = |_: &'static str| Duration::from_millis(2);
    let ground = Ground { random: Arc::new(random), blocking: Blocking::Simulated(Arc::new(disk)) };
    let config = Config {
        held: tokio::sync::watch::Sender::default(),
        coordinators: vec![hosts::url(COORDINATOR)],
        access: network::access(),
        name: FOLLOWER.to_owned(),
        dir,
        secret: Secret::new(SECRET),
        pulse: Arc::default(),
    };
    Ok(follow_on(ground, config).await?)
}

fn told(error: StoreError) -> String {
    error.to_string()
}
