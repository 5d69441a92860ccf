//! Clusters with workers that lie: no answer is wrong, no job fails, and no honest worker is
//! banned.

mod liar;
mod lore;
mod tongue;
mod words;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use sprig_domain::{Conclusion, JobState};
use sprig_proto::{Access, Ban, ClusterStatus};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{sleep, timeout};

pub use liar::{Liar, Said, names};
pub use lore::Lore;
pub use tongue::{Guise, Heard, Tongue};
pub use words::{Lie, Mouth, dear_position};

use crate::cluster::{Cluster, Plan, Trust, name_of};
use crate::journal::Journal;
use crate::prove::Prover;
use crate::start::Start;
use crate::tokens::Tokens;

/// Spots of the jobs of normal play.
const NORMAL: RangeInclusive<usize> = 10..=16;

/// Spots of those of misère play: they rest on the base of five spots.
const MISERE: RangeInclusive<usize> = 8..=10;

/// How long honest workers wait for the first word of a liar that was to be there before them.
const FIRST_WORD: Duration = Duration::from_secs(5);

/// A run.
#[derive(Debug)]
pub struct Liars {
    /// The program.
    pub sprig: PathBuf,
    /// Clusters in all.
    pub rounds: u64,
    /// Decides who lies how.
    pub seed: u64,
    /// Where the rounds are kept.
    pub journal: Option<PathBuf>,
    /// How long a job may take: it takes a second or two where no worker lies.
    pub patience: Duration,
}

/// What came of a cluster.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Round {
    /// The jobs, one after the other in one database.
    pub starts: Vec<Start>,
    /// Whether names were proved by tokens.
    pub tokens: bool,
    /// Honest workers.
    pub honest: usize,
    /// Kinds of the lying ones.
    pub liars: Vec<Lie>,
    /// Whether the liars were there first.
    pub liars_first: bool,
    /// Words that were said by liars.
    pub words: u64,
    /// Sessions of liars that were opened.
    pub sessions: u64,
    /// Names that were banned in the end.
    pub banned: Vec<String>,
    /// Facts in the database in the end.
    pub facts: u64,
    /// Seconds until all answers were there.
    pub seconds: f64,
    /// What must not be.
    pub violations: Vec<String>,
}

/// All rounds together.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    /// Clusters.
    pub clusters: usize,
    /// Jobs that were answered rightly.
    pub answered: usize,
    /// Certificates that were accepted by the oracle in this call.
    pub verified: usize,
    /// By kind of lie: how many liars there were, and how many clusters in which such a liar took
    /// part and a worker was banned.
    pub lies: BTreeMap<Lie, (usize, usize)>,
    /// Bans.
    pub bans: usize,
    /// Words of liars.
    pub words: u64,
    /// Longest round.
    pub longest: f64,
    /// What must not be.
    pub violations: Vec<String>,
}

impl Liars {
    /// Runs the rounds that are missing; `told` hears each.
    ///
    /// # Errors
    /// When a process cannot be started. Violations stand in the summary.
    pub async fn run(&self, told: impl Fn(u64, &Round)) -> anyhow::Result<Summary> {
        let mut journal = Journal::open(self.journal.as_deref(), self.seed)?;
        let lore = Arc::new(Lore::default());
        let mut prover = Prover::new(&self.sprig)?;
        while journal.next() < self.rounds {
            let dice = SmallRng::seed_from_u64(journal.dice());
            let round = self.round(dice, &lore, &mut prover).await?;
            told(journal.next(), &round);
            journal.push(round)?;
        }
        let mut summary = Summary::of(&journal.rounds);
        match prover.verify().await {
            Ok(verified) => summary.verified = verified,
            Err(error) => summary.violations.push(format!("{error:#}")),
        }
        Ok(summary)
    }

    async fn round(
        &self,
        mut dice: SmallRng,
        lore: &Arc<Lore>,
        prover: &mut Prover,
    ) -> anyhow::Result<Round> {
        let mut starts = vec![Start::random(&mut dice, NORMAL, MISERE)];
        let second = Start::random(&mut dice, NORMAL, MISERE);
        starts.extend((second != starts[0]).then_some(second));
        let count = dice.random_range(1..=4);
        let kinds = (0..count).map(|_| *Lie::ALL.choose(&mut dice).expect("there are some"));
        let liars = kinds.collect();
        let mut round = Round {
            starts,
            tokens: dice.random_bool(0.5),
            honest: dice.random_range(1..=2),
            liars,
            liars_first: dice.random_bool(0.5),
            words: 0,
            sessions: 0,
            banned: Vec::new(),
            facts: 0,
            seconds: 0.0,
            violations: Vec::new(),
        };
        let folder = tempfile::tempdir()?;
        let said = Arc::new(Said::default());
        let begun = Instant::now();
        let lived = self.live(&mut dice, &mut round, lore, folder.path(), &said).await;
        round.seconds = begun.elapsed().as_secs_f64();
        round.words = said.words();
        round.sessions = said.sessions();
        let judged = match lived {
            Ok(()) => self.judge(&round, lore, folder.path(), prover).await,
            lived => lived,
        };
        if let Err(error) = judged {
            let kept = folder.keep();
            round.violations.push(format!("{error:#} ({})", kept.display()));
        }
        Ok(round)
    }

    /// Has a cluster with liars do its jobs.
    async fn live(
        &self,
        dice: &mut SmallRng,
        round: &mut Round,
        lore: &Arc<Lore>,
        folder: &Path,
        said: &Arc<Said>,
    ) -> anyhow::Result<()> {
        let mut plan = Plan::of_target(&self.sprig, 0, Trust::Check);
        plan.hunted = false;
        if round.tokens {
            let workers = (0..round.honest).map(name_of);
            let liars = (0..round.liars.len()).map(|number| format!("liar-{number}"));
            let names: Vec<String> = workers.chain(liars).collect();
            plan.tokens = Some(Tokens::make(&self.sprig, folder, &names).await?);
        }
        let tokens = plan.tokens.clone();
        let mut cluster = Cluster::start(plan, &folder.join("db")).await?;
        let heard = cluster.heard.clone();
        let mut client = cluster.client().await?;
        let mut liars = JoinSet::new();
        // The workers that are to come first find the jobs. If these are the honest ones, the liars
        // are there before the jobs come.
        let mut jobs = Vec::new();
        for liars_come in [round.liars_first, !round.liars_first] {
            if liars_come {
                let workers = client.status().await?.workers;
                let victim = workers.first().map(|worker| worker.id.0);
                for liar in self.liars(dice, round, lore, &cluster.url(), tokens.as_ref(), said)? {
                    liars.spawn(Liar { victim, ..liar }.live());
                }
            } else {
                for _ in 0..round.honest {
                    cluster.hire().await?;
                }
            }
            if jobs.is_empty() && (round.liars_first || liars_come) {
                for &start in &round.starts {
                    jobs.push(client.submit(start.goal(), 0).await?.id);
                }
                said.first(FIRST_WORD).await;
            }
            sleep(Duration::from_millis(dice.random_range(0..1_000))).await;
        }
        for (&job, &start) in jobs.iter().zip(&round.starts) {
            let mut watched = client.watch(job).await?;
            let end = async {
                while let Some(job) = watched.next().await? {
                    if job.state.is_final() {
                        return Ok(job.state);
                    }
                }
                bail!("{start}: it was no longer told, and had not ended")
            };
            let deserted = async {
                loop {
                    sleep(Duration::from_secs(1)).await;
                    let deserters = cluster.deserters();
                    if !deserters.is_empty() {
                        return deserters;
                    }
                }
            };
            let state = tokio::select! {
                state = timeout(self.patience, end) => state,
                // Without them the job would wait for ever.
                names = deserted => bail!("{names:?} ended:\n{}", heard.latest()),
            };
            let state = match state {
                Ok(state) => state.with_context(|| heard.latest())?,
                Err(_) => {
                    let (patience, status) = (self.patience, client.status().await);
                    bail!("{start}: no answer in {patience:?}: {status:?}\n{}", heard.latest())
                }
            };
            let JobState::Done(Conclusion { outcome, .. }) = state else {
                bail!("{start}: {state:?}\n{}", heard.latest())
            };
            ensure!(outcome == start.outcome(), "{start}: WRONG, {outcome}");
        }
        let ClusterStatus { bans, facts, .. } = client.status().await?;
        liars.shutdown().await;
        round.facts = facts;
        let is_honest = |ban: &&Ban| {
            (0..round.honest).any(|hand| name_of(hand) == ban.name) && ban.proved == round.tokens
        };
        let wronged: Vec<&Ban> = bans.iter().filter(is_honest).collect();
        ensure!(wronged.is_empty(), "honest workers are banned: {wronged:?}\n{}", heard.latest());
        let deserters = cluster.deserters();
        ensure!(deserters.is_empty(), "{deserters:?} ended:\n{}", heard.latest());
        round.banned = bans.into_iter().map(|ban| ban.name).collect();
        cluster.stop().await.with_context(|| heard.latest())?;
        Ok(())
    }

    fn liars(
        &self,
        dice: &mut SmallRng,
        round: &Round,
        lore: &Lore,
        url: &str,
        tokens: Option<&Tokens>,
        said: &Arc<Said>,
    ) -> anyhow::Result<Vec<Liar>> {
        let mut shared = None;
        let mut liars = Vec::new();
        for (number, &lie) in round.liars.iter().enumerate() {
            let start = *round.starts.choose(dice).context("there is a job")?;
            let own = format!("liar-{number}");
            let access = tokens.map_or(Ok(Access::default()), |tokens| tokens.access(&own))?;
            // Liars that conspire lie about the same job.
            let (start, poison) = match (&shared, lie) {
                (Some((start, poison)), Lie::Poison) => (*start, Arc::clone(poison)),
                (None, Lie::Poison) => {
                    let poison = Arc::new(lore.poisoned(start, dice)?);
                    shared = Some((start, Arc::clone(&poison)));
                    (start, poison)
                }
                _ => (start, Arc::default()),
            };
            let own_dice = SmallRng::seed_from_u64(dice.random());
            let mouth = Mouth::new(lie, start, lore.facts(start)?, poison, own_dice);
            liars.push(Liar {
                mouth,
                pace: Duration::from_millis(dice.random_range(5..200)),
                url: url.to_owned(),
                access,
                names: names(lie, number, tokens.is_some(), dice),
                victim: None,
                said: Arc::clone(said),
            });
        }
        Ok(liars)
    }

    /// Looks at the database that is left.
    async fn judge(
        &self,
        round: &Round,
        lore: &Arc<Lore>,
        folder: &Path,
        prover: &mut Prover,
    ) -> anyhow::Result<()> {
        for &start in &round.starts {
            prover.certify(start, folder).await?;
        }
        let (lore, folder) = (Arc::clone(lore), folder.to_owned());
        let wrong = spawn_blocking(move || lore.wrong(&folder)).await??;
        ensure!(wrong.is_empty(), "{} verified facts are false: {}", wrong.len(), wrong[0]);
        Ok(())
    }
}

impl Summary {
    fn of(rounds: &[Round]) -> Self {
        let mut summary = Self { clusters: rounds.len(), ..Self::default() };
        for (number, round) in rounds.iter().enumerate() {
            if round.violations.is_empty() {
                summary.answered += round.starts.len();
            }
            for &lie in &round.liars {
                let (liars, found) = summary.lies.entry(lie).or_default();
                *liars += 1;
                *found += usize::from(!round.banned.is_empty());
            }
            summary.bans += round.banned.len();
            summary.words += round.words;
            summary.longest = summary.longest.max(round.seconds);
            let told = |violation: &String| format!("round {number}: {violation}");
            summary.violations.extend(round.violations.iter().map(told));
        }
        summary
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:16} {:>6} {:>24}", "lie", "liars", "with a ban in the cluster")?;
        for (lie, (liars, found)) in &self.lies {
            writeln!(f, "{:16} {liars:>6} {found:>24}", format!("{lie:?}").to_lowercase())?;
        }
        write!(
            f,
            "{} clusters, {} jobs answered rightly, {} certificates of this call verified\n\
             {} bans, {} words of liars, the longest round {:.0} s, {} violations",
            self.clusters,
            self.answered,
            self.verified,
            self.bans,
            self.words,
            self.longest,
            self.violations.len(),
        )
    }
}
