//! What runs on the hosts of a simulated cluster.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::Rng;
use rand::rngs::SmallRng;
use sprig_audit::Environment;
use sprig_blocking::Blocking;
use sprig_chaos::liars::Liar;
use sprig_coordinator::{Coordinator, Ground as CoordinatorGround, Settings, Trust};
use sprig_domain::{Goal, JobId, Question, WishKind};
use sprig_proto::wire::clients_client::ClientsClient;
use sprig_proto::{Job, JobOrder, Wanted, limits, wire};
use sprig_store::Store;
use sprig_worker::{Config, Ground as WorkerGround, Shutdown, Worker};
use tonic::transport::Endpoint;

use crate::faults::COORDINATOR;
use crate::{network, truth};

/// What all hosts have in common, whatever runs there.
pub(crate) struct Site {
    pub(crate) store: Mutex<Arc<Store>>,
    pub(crate) rng: Mutex<SmallRng>,
    /// Milliseconds that the coordinator's disk takes.
    pub(crate) disk: AtomicU64,
    pub(crate) trust: Trust,
    /// Whether all connections come from one address.
    pub(crate) behind_router: bool,
    /// How many followers must have what is acknowledged.
    pub(crate) sync_followers: usize,
}

/// How long the search of a worker takes.
#[derive(Clone, Copy)]
pub(crate) struct Speed {
    /// Expansions in one step.
    pub(crate) slice: u64,
    /// Time for them.
    pub(crate) time: Duration,
}

/// The time of steps that take next to no time.
const MOMENT: Duration = Duration::from_millis(1);

/// One step in this many of a check of claims takes long.
const SELDOM: u64 = 64;

/// Expansions for a leaf, where workers divide a job: few enough that small jobs are divided.
const LEAF: Option<NonZeroU64> = NonZeroU64::new(50);
/// How long a step of a check of claims counts, where the check has a budget of time.
const STEP: Duration = Duration::from_micros(20);

impl Site {
    pub(crate) fn store(&self) -> Arc<Store> {
        Arc::clone(&self.store.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn random(&self) -> u64 {
        self.rng.lock().unwrap_or_else(PoisonError::into_inner).random()
    }

    /// How long a step of this work takes on the coordinator's host.
    fn pace(&self, name: &'static str) -> Duration {
        match name {
            "writer" | "query" => Duration::from_millis(self.disk.load(Ordering::Relaxed)),
            "auditor" => {
                let dice = self.random();
                let longest = if dice.is_multiple_of(SELDOM) { 1_000 } else { 4 };
                Duration::from_millis(1 + dice / SELDOM % longest)
            }
            _ => MOMENT,
        }
    }
}

pub(crate) async fn coordinate(site: Arc<Site>) -> turmoil::Result {
    Err(start(&site).await?.failure().await.into())
}

/// Starts a coordinator on this host.
pub(crate) async fn start(site: &Arc<Site>) -> Result<Coordinator, Box<dyn std::error::Error>> {
    let paced = Arc::clone(site);
    let ground = CoordinatorGround {
        epoch: site.random(),
        blocking: Blocking::Simulated(Arc::new(move |name| paced.pace(name))),
        environment: Environment::Seeded { seed: site.random(), step: STEP },
        threads: NonZeroUsize::MIN,
    };
    let address = SocketAddr::from((Ipv4Addr::UNSPECIFIED, network::PORT));
    let incoming = network::listen(site.behind_router).await?;
    let settings =
        Settings { sync_followers: site.sync_followers, leaf: LEAF, ..Settings::default() };
    Ok(Coordinator::on(ground, site.store(), site.trust, settings, address, incoming)?)
}

pub(crate) async fn work(
    site: Arc<Site>,
    coordinators: Vec<String>,
    name: String,
    speed: Speed,
) -> turmoil::Result {
    let Speed { slice, time } = speed;
    let pace = move |name: &'static str| if name == "search" { time } else { MOMENT };
    let ground = WorkerGround {
        random: Arc::new(move || site.random()),
        blocking: Blocking::Simulated(Arc::new(pace)),
        slice,
    };
    let access = network::access();
    let (limits, pulse, notice) = (truth::LIMITS, Arc::default(), sprig_worker::NOTICE);
    let copies = Vec::new();
    let config = Config { coordinators, copies, access, name, limits, pulse, notice };
    // The sender is kept, since dropping it tells the worker to end.
    let (_shutdown, wish) = tokio::sync::watch::channel(Shutdown::Run);
    Worker::on(ground, config, wish).await?;
    Ok(())
}

/// Comes after `late`, and lies until all names are used up: three opened sessions for each name.
pub(crate) async fn lie(site: Arc<Site>, late: Duration, mut liar: Liar) -> turmoil::Result {
    tokio::time::sleep(late).await;
    for name in std::mem::take(&mut liar.names) {
        let mut sessions = 0;
        while sessions < 3 {
            if let Ok(tongue) = liar.join(&name).await {
                sessions += 1;
                // A session that is refused or ended is what a liar has to expect.
                let _ended = liar.speak(tongue).await;
            }
            tokio::time::sleep(Duration::from_millis(20 + site.random() % 500)).await;
        }
    }
    Ok(())
}

/// Wishes this and that for the only job, without any sense, for a time, and then takes all back: a
/// cluster that is steered for ever need never come to an end. No answer may be another for it.
pub(crate) async fn steer(site: Arc<Site>, goal: Goal, time: Duration) -> turmoil::Result {
    let end = tokio::time::Instant::now() + time;
    let below = |place: &Goal| place.position().children().unwrap_or_default();
    while tokio::time::Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(200 + site.random() % 8_000)).await;
        let mut place = goal.clone();
        for _ in 0..=site.random() % 3 {
            let children = below(&place);
            let Some(at) = (site.random() as usize).checked_rem(children.len()) else { break };
            place = Goal::new(goal.ruleset(), children[at].clone(), Question::OUTCOME)?;
        }
        let kind = WishKind::ALL[site.random() as usize % WishKind::ALL.len()];
        // The clock on the wall is real, so a wish is over at once or never.
        let until = site.random().is_multiple_of(4).then_some(1);
        let order = match site.random() % 4 {
            0 => JobOrder::Withdraw(1 + (site.random() % 4) as u32),
            _ => JobOrder::Wish(Wanted { kind, at: place.clone(), until, by: "hand".into() }),
        };
        // The coordinator may be away, or refuse what has no sense.
        let _refused = tokio::time::timeout(Duration::from_secs(5), say(order, place)).await;
    }
    loop {
        let _refused = tokio::time::timeout(Duration::from_secs(20), let_go(&goal)).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
}

/// Takes all wishes back.
async fn let_go(goal: &Goal) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let mut calls = calls().await?;
    let at = Some(goal.clone().into());
    let sight = calls.look(wire::LookRequest { job: 1, at, limit: 1 }).await?.into_inner();
    for wish in sight.job.unwrap_or_default().wishes.iter().filter(|wish| wish.end.is_none()) {
        calls.order(JobOrder::Withdraw(wish.number).about(JobId(1))).await?;
    }
    Ok(())
}

async fn calls()
-> Result<ClientsClient<tonic::transport::Channel>, Box<dyn std::error::Error + Send + Sync>> {
    let endpoint = Endpoint::from_shared(url(COORDINATOR))?;
    let channel = network::connect(endpoint.connect_timeout(Duration::from_secs(5))).await?;
    Ok(ClientsClient::new(channel).max_decoding_message_size(limits::MESSAGE_BYTES))
}

async fn say(order: JobOrder, place: Goal) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let mut calls = calls().await?;
    calls.order(order.about(JobId(1))).await?;
    calls.look(wire::LookRequest { job: 1, at: Some(place.into()), limit: 3 }).await?;
    Ok(())
}

/// Where the coordinator of a host is.
pub(crate) fn url(host: &str) -> String {
    format!("http://{host}:{}", network::PORT)
}

/// Submits until the job is taken, and watches until it has ended, through all that happens to the
/// coordinators, which are asked one after the other.
pub(crate) async fn ask(
    goal: Goal,
    coordinators: Vec<String>,
    answer: Arc<Mutex<Option<Job>>>,
) -> turmoil::Result {
    for url in coordinators.iter().cycle() {
        let asked = tokio::time::timeout(Duration::from_secs(20), attempt(&goal, url)).await;
        if let Ok(Ok(Some(job))) = asked {
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(job);
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    Ok(())
}

async fn attempt(
    goal: &Goal,
    url: &str,
) -> Result<Option<Job>, Box<dyn std::error::Error + Send + Sync>> {
    let endpoint = Endpoint::from_shared(url.to_owned())?;
    let channel = network::connect(endpoint.connect_timeout(Duration::from_secs(5))).await?;
    let mut calls = ClientsClient::new(channel).max_decoding_message_size(limits::MESSAGE_BYTES);
    let job = Job::try_from(
        calls
            .submit(wire::Submission { goal: Some(goal.clone().into()), priority: 0, terms: None })
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
