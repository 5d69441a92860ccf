//! Values of positions for commands that look at many positions: from a database or a cluster, or
//! by proof.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use sprig_coordinator::{Trust, knowledge};
use sprig_domain::{Goal, Outcome, Play, Question};
use sprig_engine::{CanonicalPosition, Nimber};
use sprig_proto::Client;
use sprig_store::Reader;
use sprig_worker::Shutdown;
use tokio::runtime::Runtime;
use tokio::time::Instant;

use crate::connect::{self, Credentials};
use crate::database;
use crate::embedded::Embedded;
use crate::failure::{Failure, Interrupted, Usage};
use crate::memory::Bounds;
use crate::solved::Show;

/// Where values come from.
#[derive(Args)]
pub struct Sources {
    /// Folder of a database; with --solve it is made where there is none, and keeps what is proved
    #[arg(long, value_name = "DIR", conflicts_with = "coordinator")]
    db: Option<PathBuf>,
    /// Address of a coordinator to ask
    #[arg(long, value_name = "URL", conflicts_with = "solve")]
    coordinator: Option<String>,
    /// Prove what is not known
    #[arg(long)]
    solve: bool,
    /// With --solve: prove the nimbers, not only who wins
    #[arg(long, requires = "solve")]
    nimber: bool,
    /// With --solve: leave open what is not proved after S seconds
    #[arg(long, value_name = "S", requires = "solve", default_value = "60")]
    max_seconds: NonZero<u32>,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    credentials: Credentials,
}

/// The value of a position, as far as it is known.
#[derive(Clone, Default)]
pub struct Worth {
    /// The outcome for the player to move.
    pub outcome: Option<Outcome>,
    /// The nimber, in normal play.
    pub nimber: Option<Nimber>,
    /// Positions to which the known winning moves lead.
    pub winning: Vec<CanonicalPosition>,
}

/// Finds the values of positions.
pub struct Judge {
    play: Play,
    nimber: bool,
    deadline: Option<Instant>,
    source: Source,
}

enum Source {
    Nothing,
    Stored(Box<Reader>),
    Cluster(Runtime, Box<Client>),
    Inside(Box<Embedded>),
}

impl Sources {
    /// Whether the options name a source or ask for proofs.
    pub fn are_named(&self) -> bool {
        self.solve || self.db.is_some() || self.coordinator.is_some()
    }

    /// Opens the source that the options name.
    ///
    /// # Errors
    /// When the source cannot be used, or nimbers are asked for in misère play.
    pub fn open(&self, play: Play) -> anyhow::Result<Judge> {
        if self.nimber && play == Play::Misere {
            let remedy = "take --nimber out";
            return Err(Usage(format!("misère play has no nimbers; {remedy}")).into());
        }
        let source = match (&self.db, &self.coordinator) {
            (db, None) if self.solve => {
                let one = NonZero::<u16>::MIN;
                Source::Inside(Box::new(Embedded::open(db.as_deref(), one, &self.bounds)?))
            }
            (Some(db), _) => Source::Stored(Box::new(database::read_to_answer(db)?)),
            (None, Some(url)) => {
                let runtime = connect::runtime()?;
                let client = runtime.block_on(self.credentials.connect(url))?;
                Source::Cluster(runtime, Box::new(client))
            }
            (None, None) => Source::Nothing,
        };
        let seconds = Duration::from_secs(self.max_seconds.get().into());
        let deadline = self.solve.then(|| Instant::now() + seconds);
        Ok(Judge { play, nimber: self.nimber, deadline, source })
    }
}

impl Judge {
    /// What is known of a position. What is not known is proved, if that was asked for and there is
    /// time.
    ///
    /// # Errors
    /// When the database, the cluster or the search fails, or a person wishes to stop.
    pub fn worth(&mut self, position: &CanonicalPosition) -> anyhow::Result<Worth> {
        let mut worth = self.known(position)?;
        if worth.outcome.is_none() || (self.nimber && worth.nimber.is_none()) {
            worth = self.prove(position)?.unwrap_or(worth);
        }
        // The nimber of a loss is 0, whether it was asked for or not.
        if self.play == Play::Normal && worth.outcome == Some(Outcome::Loss) {
            worth.nimber = Some(Nimber::ZERO);
        }
        Ok(worth)
    }

    /// Positions to which winning moves lead from a position that is won: at least one, if one can
    /// be found.
    ///
    /// # Errors
    /// As for [`Self::worth`], and when the moves cannot be listed.
    pub fn winning(
        &mut self,
        position: &CanonicalPosition,
    ) -> anyhow::Result<Vec<CanonicalPosition>> {
        let known = self.known(position)?.winning;
        if !known.is_empty() || !matches!(self.source, Source::Inside(_)) {
            return Ok(known);
        }
        for child in position.children().context("cannot list the moves")? {
            if self.worth(&child)?.outcome == Some(Outcome::Loss) {
                return Ok(vec![child]);
            }
        }
        Ok(Vec::new())
    }

    /// Closes the source. What was proved is on disk then.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn end(self) -> anyhow::Result<()> {
        match self.source {
            Source::Inside(cluster) => cluster.end(Shutdown::Finish),
            _ => Ok(()),
        }
    }

    fn known(&mut self, position: &CanonicalPosition) -> anyhow::Result<Worth> {
        let play = self.play;
        let in_store = |store: &Reader| {
            anyhow::Ok(knowledge(store, position, play, Trust::Checked, &Default::default())?)
        };
        let known = match &mut self.source {
            Source::Nothing => return Ok(Worth::default()),
            Source::Stored(reader) => in_store(reader)?,
            Source::Inside(cluster) => in_store(cluster.store())?,
            Source::Cluster(runtime, client) => runtime.block_on(client.query(position, play))?,
        };
        Ok(Worth { outcome: known.outcome, nimber: known.nimber, winning: known.winning })
    }

    fn prove(&mut self, position: &CanonicalPosition) -> anyhow::Result<Option<Worth>> {
        let Some(deadline) = self.deadline.filter(|&deadline| Instant::now() < deadline) else {
            return Ok(None);
        };
        let text = position.to_string();
        let Source::Inside(cluster) = &mut self.source else { return Ok(None) };
        cluster.stop_at(Some(deadline));
        let goal = match self.play {
            Play::Normal if self.nimber => Goal::normal(position.clone(), Question::Nimber),
            Play::Normal => Goal::normal(position.clone(), Question::OUTCOME),
            Play::Misere => Goal::misere(position.clone()),
        };
        let solved = cluster.prove(&text, goal, Show::Outcome);
        match solved {
            Ok(solved) => {
                let (outcome, nimber) = solved.value();
                Ok(Some(Worth { outcome, nimber, winning: Vec::new() }))
            }
            Err(Failure::Position(_)) => Ok(None),
            Err(Failure::Everything(error))
                if error.is::<Interrupted>() && deadline <= Instant::now() =>
            {
                Ok(None)
            }
            Err(failure) => Err(failure.about(&text)),
        }
    }
}
