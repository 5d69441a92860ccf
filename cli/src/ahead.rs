//! One move ahead: every child of a position with its value, for `moves` and `best`.

use clap::Args;
use serde::Serialize;
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};
use sprig_proto::{Goal, Move, Outcome, Play, Question};

use crate::connect::{self, Credentials};
use crate::failure::Usage;
use crate::output::{Format, Style};
use crate::positions::OnePosition;
use crate::prove::prove;
use crate::solved::Show;
use crate::stop::Stop;

/// The position, and where values come from.
#[derive(Args)]
pub struct Ahead {
    #[command(flatten)]
    position: OnePosition,
    /// Who cannot move wins
    #[arg(long)]
    misere: bool,
    /// Folder of a database; with --solve it is made where there is none, and keeps what is proved
    #[cfg(feature = "coordinator")]
    #[arg(long, value_name = "DIR", conflicts_with = "coordinator")]
    db: Option<std::path::PathBuf>,
    /// Address of a coordinator
    #[arg(long, value_name = "URL")]
    coordinator: Option<String>,
    /// Prove what is not known: here, or with --coordinator on the cluster
    #[arg(long)]
    solve: bool,
    /// With --solve: prove the nimbers, not only who wins
    #[arg(long, requires = "solve", conflicts_with = "misere")]
    nimber: bool,
    #[cfg(feature = "coordinator")]
    #[command(flatten)]
    bounds: crate::memory::Bounds,
    #[command(flatten)]
    credentials: Credentials,
    #[command(flatten)]
    pub format: Format,
    #[command(flatten)]
    style: Style,
}

/// A position, one move ahead. Its fields are the keys of the JSON object.
#[derive(Serialize)]
pub struct Found {
    pub position: String,
    pub canonical: String,
    pub play: &'static str,
    /// What follows from the moves, for the player who makes one of them.
    pub outcome: Option<&'static str>,
    pub nimber: Option<u8>,
    /// The best first.
    pub moves: Vec<Value>,
}

/// A move, and what it is worth.
#[derive(Serialize)]
pub struct Value {
    /// Where it leads.
    pub child: String,
    /// The outcome there, for the opponent.
    pub outcome: Option<&'static str>,
    pub nimber: Option<u8>,
    /// `verified` or `claimed`; none if nothing is known.
    pub status: Option<&'static str>,
}

impl Found {
    /// What is known of the position itself, on a line.
    pub fn head(&self) -> String {
        let outcome = self.outcome.map_or_else(
            || "not known who wins".to_owned(),
            |outcome| format!("{outcome} for the player to move"),
        );
        let nimber = self.nimber.map_or_else(String::new, |nimber| format!(", nimber {nimber}"));
        format!("{}: {outcome}{nimber}\n", self.canonical)
    }
}

impl Value {
    /// What the move does for the player who makes it.
    pub fn word(&self) -> &'static str {
        match self.outcome {
            Some("loss") => "wins",
            Some(_) => "loses",
            None => "unknown",
        }
    }
}

impl Ahead {
    /// Finds the moves and their values.
    ///
    /// # Errors
    /// When the position is none or has too many moves, there is nowhere to look, or that cannot be asked.
    pub fn find(&self) -> anyhow::Result<Found> {
        let (typed, position) = self.position.read()?;
        let canonical = CanonicalPosition::of(&position);
        let play = if self.misere { Play::Misere } else { Play::Normal };
        let mut moves = self.moves(&canonical, play)?;
        moves.sort_by_key(rank);
        // What is merely claimed says nothing about the position.
        let sure = moves.iter().map(|found| match found.verified {
            true => found.clone(),
            false => Move { outcome: None, nimber: None, ..found.clone() },
        });
        let sure: Vec<_> = sure.collect();
        let outcome = Move::outcome_before(&sure, play);
        let nimber = match play {
            Play::Normal => Move::nimber_before(&sure),
            Play::Misere => None,
        };
        // A loss is worth nothing, also where not every move has a known nimber.
        let is_lost = outcome == Some(Outcome::Loss) && play == Play::Normal;
        let nimber = nimber.or(is_lost.then_some(Nimber::ZERO));
        let values = moves.iter().map(|found| Value {
            child: self.style.print(&found.child),
            outcome: found.outcome.map(word),
            nimber: found.nimber.map(Nimber::get),
            status: found.outcome.map(|_| if found.verified { "verified" } else { "claimed" }),
        });
        Ok(Found {
            position: typed,
            canonical: self.style.print(&canonical),
            play: play.name(),
            outcome: outcome.map(word),
            nimber: nimber.map(Nimber::get),
            moves: values.collect(),
        })
    }

    fn moves(&self, position: &CanonicalPosition, play: Play) -> anyhow::Result<Vec<Move>> {
        if let Some(url) = &self.coordinator {
            return self.of_cluster(url, position, play);
        }
        #[cfg(feature = "coordinator")]
        if self.db.is_some() || self.solve {
            return self.of_database(position, play);
        }
        let remedy = "say where to look with --db DIR or --coordinator URL, or --solve it here";
        Err(Usage(format!("nothing is known without a database; {remedy}")).into())
    }

    fn of_cluster(
        &self,
        url: &str,
        position: &CanonicalPosition,
        play: Play,
    ) -> anyhow::Result<Vec<Move>> {
        connect::runtime()?.block_on(async {
            let mut client = self.credentials.connect(url).await?;
            let mut moves = client.moves(position, play).await?;
            let mut stop = Stop::listen()?;
            for found in moves.iter_mut().filter(|found| self.is_wanted(found)) {
                let (text, goal) = (found.child.to_string(), self.goal(found));
                let solved = prove(&mut client, &mut stop, &text, goal, 0, Show::Outcome).await;
                let solved = solved.map_err(|failure| failure.about(&text))?;
                (found.outcome, found.nimber) = solved.value();
                found.verified = true;
            }
            Ok(moves)
        })
    }

    /// Whether a value is to be proved.
    fn is_wanted(&self, found: &Move) -> bool {
        let is_known = found.verified && found.outcome.is_some();
        self.solve && (!is_known || (self.nimber && found.nimber.is_none()))
    }

    fn goal(&self, found: &Move) -> Goal {
        let question = match (self.misere, self.nimber) {
            (true, _) => Question::Misere,
            (_, true) => Question::Normal(sprig_search::Question::Nimber),
            _ => Question::Normal(sprig_search::Question::Outcome { heap: Nimber::ZERO }),
        };
        Goal { position: found.child.clone(), question }
    }
}

#[cfg(feature = "coordinator")]
mod here {
    //! Values from a database, and proofs inside this process.

    use std::num::NonZero;
    use std::sync::Arc;

    use anyhow::Context;
    use sprig_engine::CanonicalPosition;
    use sprig_misere::search::Limits;
    use sprig_proto::{Move, Play};
    use sprig_store::Reader;
    use sprig_worker::Shutdown;

    use super::Ahead;
    use crate::database::{self, Database};
    use crate::embedded::Embedded;
    use crate::misere::Misere;
    use crate::solved::Show;

    impl Ahead {
        pub(super) fn of_database(
            &self,
            position: &CanonicalPosition,
            play: Play,
        ) -> anyhow::Result<Vec<Move>> {
            if !self.solve {
                let folder = self.db.as_deref().context("a folder is given")?;
                return listed(&database::read_to_answer(folder)?, position, play);
            }
            match play {
                Play::Normal => self.solved(position),
                Play::Misere => self.solved_misere(position),
            }
        }

        fn solved(&self, position: &CanonicalPosition) -> anyhow::Result<Vec<Move>> {
            let one = NonZero::<u16>::MIN;
            let memory = self.bounds.of_database(one);
            let database = Database::open_or_create(self.db.as_deref(), memory)?;
            let mut moves = listed(&database.store, position, Play::Normal)?;
            let mut cluster = Embedded::start(database, one, || self.bounds.of_one(one, memory))?;
            for found in moves.iter_mut().filter(|found| self.is_wanted(found)) {
                let text = found.child.to_string();
                match cluster.prove(&text, self.goal(found), Show::Outcome) {
                    Ok(solved) => (found.outcome, found.nimber) = solved.value(),
                    Err(failure) => {
                        // Why it ends is more than how.
                        let _ = cluster.end(Shutdown::Finish);
                        return Err(failure.about(&text));
                    }
                }
                found.verified = true;
            }
            cluster.end(Shutdown::Finish)?;
            Ok(moves)
        }

        fn solved_misere(&self, position: &CanonicalPosition) -> anyhow::Result<Vec<Move>> {
            let sprig_search::Limits { memory, threads } = self.bounds.of_all()?;
            let mut misere = Misere::open(self.db.as_deref(), None, Limits { memory, threads })?;
            let children = position.children().context("cannot list the moves")?;
            let moves = children.into_iter().map(|child| {
                let text = child.to_string();
                let solved = misere.prove(&text, &child.to_position());
                let solved = solved.map_err(|failure| failure.about(&text))?;
                Ok(Move { child, outcome: solved.value().0, nimber: None, verified: true })
            });
            moves.collect()
        }
    }

    fn listed(
        store: &Reader,
        position: &CanonicalPosition,
        play: Play,
    ) -> anyhow::Result<Vec<Move>> {
        Ok(sprig_coordinator::moves(store, position, play, &Arc::default())?)
    }
}

/// The best move first: those that win, with few lives left, what is merely claimed behind what is verified; then those of which
/// nothing is known; then those that lose, with many lives left.
fn rank(found: &Move) -> (u8, bool, i64, String) {
    let lives: i64 = found.child.lands().iter().map(CanonicalLand::lives).map(i64::from).sum();
    let (class, lives) = match found.outcome {
        Some(Outcome::Loss) => (0, lives),
        None => (1, lives),
        Some(Outcome::Win) => (2, -lives),
    };
    (class, !found.verified, lives, found.child.to_string())
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win => "win",
        Outcome::Loss => "loss",
    }
}
