//! Where values of moves come from, and which are to be proved.

use sprig_ask::{Source, sourced};
use sprig_domain::{Goal, Outcome, Play, Question, Ruleset};
use sprig_engine::CanonicalPosition;
use sprig_proto::{Client, Move};
use tokio::runtime::Runtime;

use super::Ahead;
use crate::connect;
use crate::failure::{Failure, Usage};
use crate::prove::prove;
use crate::solved::{Show, Solved};
use crate::stop::Stop;

/// Which unknown values are to be proved.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    All,
    /// Values until one move wins.
    Winning,
    Nothing,
}

/// The source of values.
pub struct Asker {
    place: Where,
    /// Whether unknown values are proved at all. `nimber` asks for nimbers too.
    solve: bool,
    nimber: bool,
}

enum Where {
    Cluster(Box<Cluster>),
    #[cfg(feature = "coordinator")]
    Database(Box<sprig_store::Reader>),
    #[cfg(feature = "coordinator")]
    Here(Box<crate::embedded::Embedded>),
}

struct Cluster {
    runtime: Runtime,
    client: Client,
    stop: Stop,
}

impl Ahead {
    /// The source that the options name.
    ///
    /// # Errors
    /// When they name none, or one that cannot be asked.
    pub(super) fn asker(&self) -> anyhow::Result<Asker> {
        Ok(Asker { place: self.place()?, solve: self.solve, nimber: self.nimber })
    }

    fn place(&self) -> anyhow::Result<Where> {
        // A settings file may name a coordinator. A database on the command line comes first.
        #[cfg(feature = "coordinator")]
        let is_here = self.db.is_some();
        #[cfg(not(feature = "coordinator"))]
        let is_here = false;
        if let (Some(url), false) = (&self.coordinator, is_here) {
            return self.cluster(url);
        }
        #[cfg(feature = "coordinator")]
        if let Some(place) = self.place_here()? {
            return Ok(place);
        }
        let url = connect::named(None)
            .ok_or_else(|| Usage(format!("{}, or --solve it here", connect::nobody_asked())))?;
        self.cluster(&url)
    }

    fn cluster(&self, url: &str) -> anyhow::Result<Where> {
        let runtime = connect::runtime()?;
        let (client, stop) = runtime.block_on(async {
            anyhow::Ok((self.credentials.connect(url).await?, Stop::listen()?))
        })?;
        Ok(Where::Cluster(Box::new(Cluster { runtime, client, stop })))
    }
}

impl Asker {
    /// The value of each child of a position, known or proved now, with its source.
    ///
    /// # Errors
    /// When there are too many moves, or the source does not answer.
    pub fn moves(
        &mut self,
        position: &CanonicalPosition,
        rules: Ruleset,
        wanted: Wanted,
    ) -> anyhow::Result<Vec<(Move, Option<Source>)>> {
        let known = self.known(position, rules)?;
        let said = |found: &Move| found.outcome.filter(|_| found.verified);
        // If a move wins, or all outcomes are known, the position itself tells no more.
        let is_open = known.iter().all(|found| said(found) != Some(Outcome::Loss))
            && known.iter().any(|found| said(found).is_none());
        let is_lost = is_open && self.is_lost(position, rules)?;
        let mut moves = sourced(known, self.source(), is_lost);
        let wins = |found: &Move| found.verified && found.outcome == Some(Outcome::Loss);
        let mut has_won = moves.iter().any(|(found, _)| wins(found));
        for (found, source) in &mut moves {
            if wanted == Wanted::Nothing || (wanted == Wanted::Winning && has_won) {
                break;
            }
            let is_known = found.verified && found.outcome.is_some();
            if !self.solve || (is_known && !(self.nimber && found.nimber.is_none())) {
                continue;
            }
            let text = found.child.to_string();
            match self.prove(&text, found, rules) {
                Ok(solved) => (found.outcome, found.nimber) = solved.value(),
                Err(failure) => return Err(failure.about(&text)),
            }
            found.verified = true;
            *source = Some(self.proved());
            has_won |= wins(found);
        }
        Ok(moves)
    }

    /// The values that are known without a proof.
    fn known(&mut self, position: &CanonicalPosition, rules: Ruleset) -> anyhow::Result<Vec<Move>> {
        match &mut self.place {
            Where::Cluster(cluster) => {
                let Cluster { runtime, client, .. } = &mut **cluster;
                Ok(runtime.block_on(client.moves(position, rules))?)
            }
            #[cfg(feature = "coordinator")]
            Where::Database(reader) => here::listed(&reader.of(rules.game), position, rules.play),
            #[cfg(feature = "coordinator")]
            Where::Here(here) => here::listed(&here.store().of(rules.game), position, rules.play),
        }
    }

    /// Whether the position itself is known to be lost, whatever is known of its moves.
    fn is_lost(&mut self, position: &CanonicalPosition, rules: Ruleset) -> anyhow::Result<bool> {
        let outcome = match &mut self.place {
            Where::Cluster(cluster) => {
                let Cluster { runtime, client, .. } = &mut **cluster;
                runtime.block_on(client.query(position, rules))?.outcome
            }
            #[cfg(feature = "coordinator")]
            Where::Database(reader) => here::outcome(&reader.of(rules.game), position, rules.play)?,
            #[cfg(feature = "coordinator")]
            Where::Here(here) => here::outcome(&here.store().of(rules.game), position, rules.play)?,
        };
        Ok(outcome == Some(Outcome::Loss))
    }

    fn prove(&mut self, text: &str, found: &Move, rules: Ruleset) -> Result<Solved, Failure> {
        let question = if self.nimber { Question::Nimber } else { Question::OUTCOME };
        let goal = match rules.play {
            Play::Normal => Goal::new(rules, found.child.clone(), question),
            Play::Misere => Goal::new(rules, found.child.clone(), Question::OUTCOME),
        };
        let goal = goal.map_err(|why| Failure::Position(why.into()))?;
        match &mut self.place {
            Where::Cluster(cluster) => {
                let Cluster { runtime, client, stop } = &mut **cluster;
                runtime.block_on(prove(client, stop, text, goal, Show::Outcome))
            }
            #[cfg(feature = "coordinator")]
            Where::Database(_) => unreachable!("a database that is read proves nothing"),
            #[cfg(feature = "coordinator")]
            Where::Here(here) => here.prove(text, goal, Show::Outcome),
        }
    }

    /// The source of a value that was known.
    fn source(&self) -> Source {
        match &self.place {
            Where::Cluster(_) => Source::Cluster,
            #[cfg(feature = "coordinator")]
            _ => Source::Database,
        }
    }

    /// The source of a value that was proved now.
    fn proved(&self) -> Source {
        match &self.place {
            Where::Cluster(_) => Source::Cluster,
            #[cfg(feature = "coordinator")]
            _ => Source::Here,
        }
    }

    /// Ends the process or connection that proves.
    ///
    /// # Errors
    /// When what was proved cannot be kept.
    pub fn end(self) -> anyhow::Result<()> {
        match self.place {
            #[cfg(feature = "coordinator")]
            Where::Here(here) => here.end(sprig_worker::Shutdown::Finish),
            _ => Ok(()),
        }
    }
}

#[cfg(feature = "coordinator")]
mod here {
    //! Values from a database, and proofs inside this process.

    use std::num::NonZero;
    use std::sync::Arc;

    use sprig_coordinator::{Trust, knowledge};
    use sprig_domain::{Outcome, Play};
    use sprig_engine::CanonicalPosition;
    use sprig_proto::Move;
    use sprig_store::Reader;

    use super::{Ahead, Where};
    use crate::database;
    use crate::embedded::Embedded;

    impl Ahead {
        /// The database that the options name, or a search in this process.
        pub(super) fn place_here(&self) -> anyhow::Result<Option<Where>> {
            if self.solve {
                let one = NonZero::<u16>::MIN;
                let cluster = Embedded::open(self.db.as_deref(), one, &self.bounds)?;
                return Ok(Some(Where::Here(Box::new(cluster))));
            }
            let reader = self.db.as_deref().map(database::read_to_answer).transpose()?;
            Ok(reader.map(|reader| Where::Database(Box::new(reader))))
        }
    }

    pub fn listed(
        store: &Reader,
        position: &CanonicalPosition,
        play: Play,
    ) -> anyhow::Result<Vec<Move>> {
        Ok(sprig_coordinator::moves(store, position, play, &Arc::default())?)
    }

    pub fn outcome(
        store: &Reader,
        position: &CanonicalPosition,
        play: Play,
    ) -> anyhow::Result<Option<Outcome>> {
        Ok(knowledge(store, position, play, Trust::Checked, &Arc::default())?.outcome)
    }
}
