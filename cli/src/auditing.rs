//! The check of a database's claims, for the commands that do it.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressStyle};
use sprig_ask::with_verb;
use sprig_audit::{AuditError, Claim, Environment, Judge, Plan, Verdict, check_database};
use sprig_domain::Game;
use sprig_engine::Watched;
use sprig_proto::Build;
use sprig_store::{Kind, Source, Store, StoreError, Subject, Value};

use crate::failure::Interrupted;
use crate::memory;

/// Most claims that do not hold and are shown. The others are only counted.
const COMPLAINTS: u64 = 10;
/// Claims between two looks at the clock.
const STRIDE: u64 = 64;

/// How to check.
#[derive(Args)]
pub struct Effort {
    /// Expansions that a search may take for a claim that does not follow from others
    #[arg(long, value_name = "N", default_value_t = 0)]
    expansions: u64,
    /// Threads that check [default: all cores]
    #[arg(long, value_name = "T")]
    threads: Option<NonZero<u16>>,
    /// Memory for the lost nodes of misère play; sorting and searching take a quarter of it each
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = memory::parse)]
    memory: usize,
}

/// The counts of a check.
#[derive(Default)]
pub struct Tally {
    pub searched: u64,
    pub refuted: u64,
}

/// Checks all claims of a database, with a progress line. Claims that do not hold are shown on
/// standard error.
///
/// # Errors
/// When the database fails, memory is too short, or a person wishes to stop. What was verified by
/// then is kept.
pub fn check(
    store: &Store,
    Effort { expansions, threads, memory }: &Effort,
    stop: Arc<AtomicBool>,
) -> anyhow::Result<Tally> {
    let cores = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let watched = Arc::new(Watched::until(stop));
    let plan = Plan {
        source: Source { worker: "audit".to_owned(), build: Build::here().id },
        threads: threads.map_or(cores, NonZero::from),
        memory: memory / 4,
        nodes: *memory,
        longest: None,
        environment: Environment::default(),
        watched: &watched,
    };
    let claims = store.worth()?.claimed.total();
    let mut clerk = Clerk::new(store, *expansions, claims);
    let checked = Game::ALL.into_iter().try_for_each(|game| {
        clerk.store = store.of(game);
        check_database(&plan, &store.of(game), &mut clerk)
    });
    let Clerk { tally, complaints, bar, decided, .. } = clerk;
    bar.finish_and_clear();
    if complaints > COMPLAINTS {
        remark!(
            "sprig: and {}",
            with_verb(
                complaints - COMPLAINTS,
                "more claim",
                ["that does not follow", "that do not follow"]
            )
        );
    }
    match checked {
        Ok(()) => Ok(tally),
        Err(AuditError::Stopped) => Err(Interrupted::new(format!(
            "{decided} of {} decided; what was verified is kept, the same command goes on from there",
            with_verb(claims, "claim", ["was", "were"])
        ))
        .into()),
        Err(error) => Err(error.into()),
    }
}

/// Counts the decisions, draws the progress line, and shows claims that do not hold.
struct Clerk {
    /// The database, of the game whose claims are checked.
    store: Store,
    expansions: u64,
    tally: Tally,
    decided: u64,
    complaints: u64,
    kind: &'static str,
    bar: ProgressBar,
}

impl Clerk {
    fn new(store: &Store, expansions: u64, claims: u64) -> Self {
        let bar = ProgressBar::new(claims);
        if !bar.is_hidden() {
            let style = ProgressStyle::with_template("{spinner} {elapsed}  {wide_msg}");
            bar.set_style(style.expect("the template is well-formed"));
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        let (tally, kind) = (Tally::default(), "claims");
        let store = store.of(Game::Sprouts);
        Self { store, expansions, tally, decided: 0, complaints: 0, kind, bar }
    }

    fn show(&self) {
        let claims = self.bar.length().unwrap_or_default().max(self.decided);
        let seconds = self.bar.elapsed().as_secs_f64().max(1e-3);
        let rate = self.decided as f64 / seconds;
        let left = (claims - self.decided) as f64 / rate.max(1e-3);
        self.bar.set_message(format!(
            "{} of {} claims checked ({}/s)  about {} left  now {}",
            HumanCount(self.decided),
            HumanCount(claims),
            HumanCount(rate as u64),
            HumanDuration(Duration::from_secs_f64(left.min(1e9))),
            self.kind
        ));
    }

    fn complain(
        &mut self,
        Claim { subject, value, .. }: &Claim,
        why: &str,
    ) -> Result<(), StoreError> {
        self.complaints += 1;
        if self.complaints <= COMPLAINTS {
            let origin = self.store.provenance(value.kind(), subject)?;
            let origin = origin.map_or_else(String::new, |origin| format!(" ({origin})"));
            let subject = Subject(value.kind(), subject);
            let what = match value {
                Value::Loss => format!("{subject} is lost"),
                Value::Options(_) => format!("{subject} has its options"),
                value => format!("{subject} has {value}"),
            };
            self.bar.suspend(|| remark!("sprig: claimed that {what}{origin}: {why}"));
        }
        Ok(())
    }
}

impl Judge for Clerk {
    fn begin(&mut self, kind: Kind, _: u64) {
        self.kind = match kind {
            Kind::Nimber => "nimbers",
            Kind::Tree => "trees",
            Kind::Rct => "trees of lands",
            Kind::Loss => "lost nodes",
        };
    }

    fn patience(&mut self, _: &Claim) -> Result<u64, StoreError> {
        Ok(self.expansions)
    }

    fn decided(&mut self, claim: &Claim, verdict: Verdict) -> Result<(), StoreError> {
        self.decided += 1;
        if self.decided.is_multiple_of(STRIDE) && !self.bar.is_hidden() {
            self.show();
        }
        match verdict {
            Verdict::Followed => {}
            Verdict::Searched => self.tally.searched += 1,
            Verdict::Refuted(why) => {
                self.tally.refuted += 1;
                self.complain(claim, &format!("that is false: {why}"))?;
            }
            Verdict::Open => self.complain(claim, "it follows from nothing that is verified")?,
            Verdict::TooDear => self.complain(claim, "it has too many moves to be checked")?,
        }
        Ok(())
    }
}
