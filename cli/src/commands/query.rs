//! `sprig query`: what is known of a position, without any search.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_domain::{Outcome, Play, Ruleset};
use sprig_engine::paper::Paper;
use sprig_engine::{Budget, CanonicalPosition, Nimber};
use sprig_proto::{ClientError, Knowledge, LandKnowledge, Move};

use crate::commands::moves::list;
use crate::connect::{self, Credentials};
use crate::output::{self, Answer, Format, Style};
use crate::positions::OnePosition;
use crate::variant::Variant;
use sprig_ask::{Source, Value, sourced, valued};

const EXAMPLES: &str = "\
Examples:
  sprig query '0*16' --db facts          what a database knows
  sprig query '0*16' --coordinator http://10.0.0.1:7425
                                         the same of a database on another machine
  sprig query '0*14' --misere --db facts when the last to move loses
  sprig query '0*6' --variant black-and-white --db facts
                                         what is known of another game";

/// Show what is known of a position: outcome, nimber or tree, and every move with its value
///
/// Searches nothing. The answer rests on verified facts alone; what a database merely claims is shown as claimed. The database may be in
/// use.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Query {
    #[command(flatten)]
    position: OnePosition,
    /// Who cannot move wins
    #[arg(long)]
    misere: bool,
    #[command(flatten)]
    variant: Variant,
    #[command(flatten)]
    source: Whom,
    #[command(flatten)]
    credentials: Credentials,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    style: Style,
}

/// Whom to ask.
#[derive(Args)]
#[group(multiple = false)]
struct Whom {
    /// Folder of a database
    #[cfg(feature = "coordinator")]
    #[arg(long, value_name = "DIR")]
    db: Option<std::path::PathBuf>,
    /// Address of a coordinator [env: SPRIG_COORDINATOR=, unless there is --db]
    #[arg(long, value_name = "URL")]
    coordinator: Option<String>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Known {
    position: String,
    /// The position as it was read, not reduced: what the words of the moves refer to.
    written: String,
    canonical: String,
    game: &'static str,
    play: &'static str,
    outcome: Option<String>,
    nimber: Option<u8>,
    lands: Vec<Land>,
    /// Children that are known to be lost for the opponent.
    winning: Vec<String>,
    /// Every move, the best first; none where there are too many to list.
    moves: Option<Vec<Value>>,
    /// What the database claims beside that; none if it claims no more.
    claimed: Option<Claims>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Land {
    /// The land, in its canonical form.
    land: String,
    nimber: Option<u8>,
    /// Nimbers that it is known not to have.
    excluded: Vec<u8>,
    /// The key of its tree, in misère play.
    tree: Option<String>,
    /// What is merely claimed of it.
    claimed: Option<String>,
}

/// What would be known if claims were believed, as far as it is not known without them.
#[derive(Serialize, PartialEq, schemars::JsonSchema)]
pub struct Claims {
    outcome: Option<String>,
    nimber: Option<u8>,
    /// Children that are known to be lost for the opponent.
    winning: Vec<String>,
}

/// The answer from verified facts. From a database there is also the answer that would follow if
/// claims were believed.
struct Told {
    verified: Knowledge,
    claimed: Option<Knowledge>,
    /// The values of all children, if they can be listed.
    moves: Option<Vec<(Move, Option<Source>)>>,
}

impl Known {
    fn new(
        typed: String,
        paper: &Paper,
        ruleset: Ruleset,
        Told { verified: knowledge, claimed, moves }: Told,
        style: &Style,
    ) -> Self {
        let Ruleset { game, play } = ruleset;
        let reached = game.moves(paper, &mut Budget::default()).ok();
        let moves = moves.zip(reached).map(|(known, reached)| {
            let moves = valued(reached, known, None);
            moves
                .iter()
                .map(|valued| Value::new(paper, valued, &|child| style.print(child)))
                .collect()
        });
        let claims =
            claimed.as_ref().and_then(|claimed| Claims::beside(&knowledge, claimed, style));
        let of_land = claimed.map_or_else(Vec::new, |claimed| claimed.lands);
        let lands = knowledge.lands.into_iter().map(|known| Land {
            claimed: claim_of(&known, &of_land),
            land: style.print(&CanonicalPosition::from_lands([known.land])),
            nimber: known.nimber.map(Nimber::get),
            excluded: known.excluded.into_iter().map(Nimber::get).collect(),
            tree: known.tree.map(|tree| tree.to_string()),
        });
        Self {
            claimed: claims,
            moves,
            position: typed,
            written: paper.position().to_string(),
            canonical: style.print(&paper.canonical()),
            game: game.name(),
            play: play.name(),
            outcome: knowledge.outcome.map(|outcome| outcome.to_string()),
            nimber: knowledge.nimber.map(Nimber::get),
            lands: lands.collect(),
            winning: knowledge.winning.iter().map(|child| style.print(child)).collect(),
        }
    }
}

impl Claims {
    fn beside(verified: &Knowledge, claimed: &Knowledge, style: &Style) -> Option<Self> {
        let new = |child: &&CanonicalPosition| !verified.winning.contains(child);
        let claims = Self {
            outcome: claimed.outcome.filter(|_| verified.outcome.is_none()).map(|o| o.to_string()),
            nimber: claimed.nimber.filter(|_| verified.nimber.is_none()).map(Nimber::get),
            winning: claimed.winning.iter().filter(new).map(|child| style.print(child)).collect(),
        };
        let nothing = Self { outcome: None, nimber: None, winning: Vec::new() };
        (claims != nothing).then_some(claims)
    }
}

/// The claims about a land.
fn claim_of(verified: &LandKnowledge, claimed: &[LandKnowledge]) -> Option<String> {
    let claimed = claimed.iter().find(|claimed| claimed.land == verified.land)?;
    match (claimed.nimber, claimed.tree) {
        (Some(nimber), _) if verified.nimber.is_none() => Some(format!("nimber {nimber}")),
        (_, Some(tree)) if verified.tree.is_none() => Some(format!("tree {tree}")),
        _ => None,
    }
}

impl Land {
    /// What is known of the land.
    fn known(&self, play: &str) -> String {
        let excluded: Vec<_> = self.excluded.iter().map(u8::to_string).collect();
        match (self.nimber, &self.tree) {
            (Some(nimber), _) => format!("has nimber {nimber}"),
            (_, Some(tree)) => format!("has tree {tree}"),
            _ if play == Play::Misere.name() => "has no known tree".to_owned(),
            _ if excluded.is_empty() => "has no known nimber".to_owned(),
            _ => format!("does not have nimber {}", excluded.join(", ")),
        }
    }
}

impl Answer for Known {
    fn text(&self) -> String {
        let mut text = format!("outcome     {}\n", self.line());
        if let Some(nimber) = self.nimber {
            text += &format!("nimber      {nimber}\n");
        }
        for land in &self.lands {
            text += &format!("land        {} {}\n", land.land, land.known(self.play));
            if let Some(claimed) = &land.claimed {
                text += &format!("claimed     {} has {claimed}\n", land.land);
            }
        }
        for child in &self.winning {
            text += &format!("wins        {child}\n");
        }
        if let Some(claims) = &self.claimed {
            if let Some(outcome) = &claims.outcome {
                text += &format!("claimed     {outcome} for the player to move\n");
            }
            for child in &claims.winning {
                text += &format!("claimed     {child} wins\n");
            }
        }
        text += &match &self.moves {
            Some(moves) => list(moves),
            None => "too many moves to list\n".to_owned(),
        };
        text
    }

    fn line(&self) -> String {
        match &self.outcome {
            Some(outcome) => format!("{outcome} for the player to move"),
            None => "unknown".to_owned(),
        }
    }
}

impl Whom {
    fn ask(
        &self,
        credentials: &Credentials,
        position: &CanonicalPosition,
        ruleset: Ruleset,
    ) -> anyhow::Result<Told> {
        #[cfg(feature = "coordinator")]
        if let Some(folder) = &self.db {
            use sprig_coordinator::{Trust, Unanswered, knowledge};
            use std::sync::Arc;
            let Ruleset { game, play } = ruleset;
            let reader = crate::database::read_to_answer(folder)?.of(game);
            let verified = knowledge(&reader, position, play, Trust::Checked, &Arc::default())?;
            let has_claims = reader.worth()?.claimed.total() > 0;
            let claimed = has_claims
                .then(|| knowledge(&reader, position, play, Trust::Believed, &Arc::default()));
            let moves = match sprig_coordinator::moves(&reader, position, play, &Arc::default()) {
                Ok(moves) => Some(moves),
                Err(Unanswered::Unlisted(_)) => None,
                Err(error) => return Err(error.into()),
            };
            let is_lost = verified.outcome == Some(Outcome::Loss);
            let moves = moves.map(|moves| sourced(moves, Source::Database, is_lost));
            return Ok(Told { verified, claimed: claimed.transpose()?, moves });
        }
        let url = connect::asked(self.coordinator.as_ref())?;
        connect::runtime()?.block_on(async {
            let mut client = credentials.connect(&url).await?;
            let verified = client.query(position, ruleset).await?;
            let is_lost = verified.outcome == Some(Outcome::Loss);
            // A coordinator may refuse to list too many moves, and still know the position.
            let moves = match client.moves(position, ruleset).await {
                Ok(moves) => Some(sourced(moves, Source::Cluster, is_lost)),
                Err(ClientError::Refused(_)) => None,
                Err(error) => return Err(error.into()),
            };
            Ok(Told { verified, claimed: None, moves })
        })
    }
}

impl Query {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (typed, position) = self.position.read()?;
        let paper = Paper::of(&position);
        self.variant.check(&paper.canonical())?;
        let play = if self.misere { Play::Misere } else { Play::Normal };
        let ruleset = Ruleset { game: self.variant.game(), play };
        let told = self.source.ask(&self.credentials, &paper.canonical(), ruleset)?;
        output::answer(&self.format, &Known::new(typed, &paper, ruleset, told, &self.style))
    }
}
