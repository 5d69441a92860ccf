//! One liar, from session to session.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rand::Rng;
use rand::rngs::SmallRng;
use sprig_proto::{Access, FromWorker, Pull, ToWorker};
use tokio::time::{interval, sleep};

use super::{Guise, Heard, Lie, Mouth, Tongue};
use crate::cluster::name_of;

/// Figures that the liars of a cluster share.
#[derive(Debug, Default)]
pub struct Said {
    words: AtomicU64,
    sessions: AtomicU64,
}

impl Said {
    /// How many sessions were opened.
    pub fn sessions(&self) -> u64 {
        self.sessions.load(Ordering::Relaxed)
    }

    /// Words that were said.
    pub fn words(&self) -> u64 {
        self.words.load(Ordering::Relaxed)
    }

    /// Waits for the first word, no longer than this.
    pub(super) async fn first(&self, patience: Duration) {
        let begun = Instant::now();
        while self.words.load(Ordering::Relaxed) == 0 && begun.elapsed() < patience {
            sleep(Duration::from_millis(10)).await;
        }
    }
}

/// One liar: what it says, how fast, under which names.
pub struct Liar {
    /// What it says.
    pub mouth: Mouth,
    /// The time between its words.
    pub pace: Duration,
    /// Where the coordinator is.
    pub url: String,
    /// The token, if names are proved.
    pub access: Access,
    /// The names it may take: it takes the next when one is no longer let in.
    pub names: Vec<String>,
    /// The identity that it takes, if it is another worker's.
    pub victim: Option<u64>,
    /// Counts its words.
    pub said: Arc<Said>,
}

/// Names of a liar: it takes the next when one is no longer let in.
pub fn names(lie: Lie, number: usize, proved: bool, dice: &mut SmallRng) -> Vec<String> {
    let fresh = (0..dice.random_range(1..6)).map(|life| format!("liar-{number}-{life}"));
    let mut names: Vec<String> = fresh.collect();
    if lie == Lie::Names {
        let honest = name_of(0);
        let tricks = [
            format!("{honest}\t"),
            format!("{honest}\tx"),
            format!("a@{honest}"),
            format!("{honest}@{honest}"),
            format!("{honest} "),
            format!(" {honest}"),
            format!("{honest}\n"),
            format!("{honest}\0"),
            format!("{honest}\u{200b}"),
            format!("\u{202e}{honest}"),
            honest.to_uppercase(),
            String::new(),
            "x".repeat(1_024),
            "x".repeat(2_000),
            "\u{1b}]0;worker-0\u{7}".to_owned(),
        ];
        names.splice(0..0, tricks);
    }
    if proved {
        // Where names are proved, the name that a worker gives itself counts for nothing.
        names.insert(0, name_of(0));
    }
    names
}

impl Liar {
    /// Lies until all names are used up, three sessions for each.
    pub(crate) async fn live(mut self) {
        for name in std::mem::take(&mut self.names) {
            for _ in 0..3 {
                // A session that is refused or ended is what a liar has to expect.
                let _ended = self.session(&name).await;
                let pause = self.mouth.dice.random_range(20..500);
                sleep(Duration::from_millis(pause)).await;
            }
        }
    }

    async fn session(&mut self, name: &str) -> anyhow::Result<()> {
        let tongue = self.join(name).await?;
        self.speak(tongue).await
    }

    /// Opens a session under this name.
    ///
    /// # Errors
    /// When the coordinator does not answer.
    pub async fn join(&mut self, name: &str) -> anyhow::Result<Tongue> {
        let victim = self.victim.filter(|_| self.mouth.lie == Lie::Twin);
        let guise = Guise {
            url: self.url.clone(),
            access: self.access.clone(),
            name: name.to_owned(),
            worker: victim.unwrap_or_else(|| self.mouth.dice.random()),
        };
        let tongue = Tongue::join(&guise).await?;
        self.said.sessions.fetch_add(1, Ordering::Relaxed);
        self.mouth.begin();
        Ok(tongue)
    }

    /// Lies until the session ends.
    ///
    /// # Errors
    /// Why it has ended.
    pub async fn speak(&mut self, mut tongue: Tongue) -> anyhow::Result<()> {
        tongue.say(FromWorker::Pull(Pull { answer: None, more: true }).into()).await?;
        let mut beat = interval(self.pace);
        loop {
            tokio::select! {
                // In this order, so that a simulation can be repeated.
                biased;
                heard = tongue.hear() => match heard? {
                    Heard::Word(ToWorker::Grant(grant)) => self.mouth.lease = Some(grant.lease),
                    Heard::Word(_) => {}
                    Heard::Facts(facts) => self.mouth.note(facts),
                },
                _ = beat.tick() => for word in self.mouth.words() {
                    tongue.say(word).await?;
                    self.said.words.fetch_add(1, Ordering::Relaxed);
                },
            }
        }
    }
}
