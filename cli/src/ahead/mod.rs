//! Every child of a position with its value, for `moves`, `best` and `query`.

mod asker;

use clap::Args;
use serde::Serialize;
use sprig_domain::{Outcome, Play, Ruleset};
use sprig_engine::paper::Paper;
use sprig_engine::{Budget, Nimber};

use crate::connect::Credentials;
use crate::output::{Format, Style};
use crate::positions::OnePosition;
use crate::variant::Variant;
use asker::{Asker, Wanted};
use sprig_ask::{Source, Value, Valued, follows, valued, word};

/// The position, and where values come from.
#[derive(Args)]
pub struct Ahead {
    #[command(flatten)]
    position: OnePosition,
    /// Who cannot move wins
    #[arg(long)]
    misere: bool,
    #[command(flatten)]
    variant: Variant,
    /// Folder of a database; with --solve it is made where there is none, and keeps what is proved
    #[cfg(feature = "coordinator")]
    #[arg(long, value_name = "DIR", conflicts_with = "coordinator")]
    db: Option<std::path::PathBuf>,
    /// Address of a coordinator [env: SPRIG_COORDINATOR=, unless there is --db or --solve]
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
#[derive(Serialize, schemars::JsonSchema)]
pub struct Found {
    pub position: String,
    /// The position as it was read, not reduced: what the words of the moves refer to.
    pub written: String,
    pub canonical: String,
    pub game: &'static str,
    pub play: &'static str,
    /// What follows from the moves, for the player who makes one of them.
    pub outcome: Option<&'static str>,
    pub nimber: Option<u8>,
    /// The best first.
    pub moves: Vec<Value>,
    /// The best move, the best answer and so on, to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<Step>>,
}

/// A move of the best line.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Step {
    /// The position before it, as it lies on paper.
    pub written: String,
    #[serde(flatten)]
    pub best: Value,
}

impl Found {
    /// The line that says what is known of the position itself.
    pub fn head(&self) -> String {
        let outcome = self.outcome.map_or_else(
            || "not known who wins".to_owned(),
            |outcome| format!("{outcome} for the player to move"),
        );
        let nimber = self.nimber.map_or_else(String::new, |nimber| format!(", nimber {nimber}"));
        let written = match self.written == self.canonical {
            true => String::new(),
            false => format!("moves are those of {}\n", self.written),
        };
        format!("{}: {outcome}{nimber}\n{written}", self.canonical)
    }
}

impl Ahead {
    /// Finds the moves and their values, and the best line if `line` is set.
    ///
    /// # Errors
    /// When the text is no position, it has too many moves, no source is named, or the source
    /// cannot be asked.
    pub fn find(&self, line: bool) -> anyhow::Result<Found> {
        let (typed, position) = self.position.read()?;
        let paper = Paper::of(&position);
        let canonical = paper.canonical();
        let play = if self.misere { Play::Misere } else { Play::Normal };
        self.variant.check(&canonical)?;
        let rules = Ruleset { game: self.variant.game(), play };
        let mut asker = self.asker()?;
        let moves = self.valued(&mut asker, &paper, rules, Wanted::All, false)?;
        let (outcome, nimber) = follows(&moves, play, |_| true);
        let line = line.then(|| self.line(&mut asker, &paper, &moves, rules)).transpose()?;
        asker.end()?;
        Ok(Found {
            position: typed,
            written: paper.position().to_string(),
            canonical: self.style.print(&canonical),
            game: rules.game.name(),
            play: play.name(),
            outcome: outcome.map(word),
            nimber: nimber.map(Nimber::get),
            moves: moves
                .iter()
                .map(|valued| Value::new(&paper, valued, &|child| self.style.print(child)))
                .collect(),
            line,
        })
    }

    /// The moves of a position with their values, the best first. In a position that is lost all
    /// moves lose.
    fn valued(
        &self,
        asker: &mut Asker,
        paper: &Paper,
        rules: Ruleset,
        wanted: Wanted,
        is_lost: bool,
    ) -> anyhow::Result<Vec<Valued>> {
        let reached = rules.game.moves(paper, &mut Budget::default());
        let reached = reached.map_err(|error| anyhow::anyhow!("cannot list the moves: {error}"))?;
        let mut found = asker.moves(&paper.canonical(), rules, wanted)?;
        for (found, source) in found.iter_mut().filter(|_| is_lost) {
            if !found.verified || found.outcome.is_none() {
                (found.outcome, found.nimber, found.verified) = (Some(Outcome::Win), None, true);
                *source = Some(Source::Here);
            }
        }
        Ok(valued(reached, found, Some(rules)))
    }

    /// The best line: the best move, the best answer and so on, to the end of the game. After the
    /// first move no more is proved than the winner needs.
    fn line(
        &self,
        asker: &mut Asker,
        start: &Paper,
        moves: &[Valued],
        rules: Ruleset,
    ) -> anyhow::Result<Vec<Step>> {
        let (mut line, mut paper) = (Vec::new(), start.clone());
        let mut best = moves.first().cloned();
        while let Some(valued) = best {
            let before = paper.position().to_string();
            line.push(Step {
                written: before,
                best: Value::new(&paper, &valued, &|child| self.style.print(child)),
            });
            let wanted = match valued.found.outcome {
                // The opponent wins after this move, so a winning answer must be found.
                Some(Outcome::Win) => Wanted::Winning,
                _ => Wanted::Nothing,
            };
            let is_lost = valued.found.verified && valued.found.outcome == Some(Outcome::Loss);
            paper = paper.play(&valued.reached.witness)?;
            best = self.valued(asker, &paper, rules, wanted, is_lost)?.into_iter().next();
        }
        Ok(line)
    }
}
