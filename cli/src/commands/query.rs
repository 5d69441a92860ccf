//! `sprig query`: what is known of a position, without any search.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_engine::{CanonicalPosition, Nimber};
use sprig_proto::{Knowledge, LandKnowledge, Play};

use crate::connect::{self, Credentials};
use crate::output::{self, Answer, Format, Style};
use crate::positions::OnePosition;

const EXAMPLES: &str = "\
Examples:
  sprig query '0*16' --db facts          what a database knows
  sprig query '0*16' --coordinator http://10.0.0.1:7425
                                         the same of a database on another machine
  sprig query '0*14' --misere --db facts when the last to move loses";

/// Show what is known of a position: outcome, nimber or tree, winning moves
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
    source: Source,
    #[command(flatten)]
    credentials: Credentials,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    style: Style,
}

/// Whom to ask.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct Source {
    /// Folder of a database
    #[cfg(feature = "coordinator")]
    #[arg(long, value_name = "DIR")]
    db: Option<std::path::PathBuf>,
    /// Address of a coordinator
    #[arg(long, value_name = "URL")]
    coordinator: Option<String>,
}

#[derive(Serialize)]
struct Known {
    position: String,
    canonical: String,
    play: &'static str,
    outcome: Option<String>,
    nimber: Option<u8>,
    lands: Vec<Land>,
    winning: Vec<String>,
    /// What the database claims beside that; none if it claims no more.
    claimed: Option<Claims>,
}

#[derive(Serialize)]
struct Land {
    land: String,
    nimber: Option<u8>,
    excluded: Vec<u8>,
    tree: Option<String>,
    /// What is merely claimed of it.
    claimed: Option<String>,
}

/// What would be known if claims were believed, as far as it is not known without them.
#[derive(Serialize, PartialEq)]
struct Claims {
    outcome: Option<String>,
    nimber: Option<u8>,
    winning: Vec<String>,
}

/// What was answered: from verified facts, and, of a database, what it would be if claims were believed.
struct Told {
    verified: Knowledge,
    claimed: Option<Knowledge>,
}

impl Known {
    fn new(
        typed: String,
        canonical: &CanonicalPosition,
        play: Play,
        Told { verified: knowledge, claimed }: Told,
        style: &Style,
    ) -> Self {
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
            position: typed,
            canonical: style.print(canonical),
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

/// What is merely claimed of a land.
fn claim_of(verified: &LandKnowledge, claimed: &[LandKnowledge]) -> Option<String> {
    let claimed = claimed.iter().find(|claimed| claimed.land == verified.land)?;
    match (claimed.nimber, claimed.tree) {
        (Some(nimber), _) if verified.nimber.is_none() => Some(format!("nimber {nimber}")),
        (_, Some(tree)) if verified.tree.is_none() => Some(format!("tree {tree}")),
        _ => None,
    }
}

impl Land {
    /// What is known of it.
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
        text
    }

    fn line(&self) -> String {
        match &self.outcome {
            Some(outcome) => format!("{outcome} for the player to move"),
            None => "unknown".to_owned(),
        }
    }
}

impl Source {
    fn ask(
        &self,
        credentials: &Credentials,
        position: &CanonicalPosition,
        play: Play,
    ) -> anyhow::Result<Told> {
        #[cfg(feature = "coordinator")]
        if let Some(folder) = &self.db {
            use sprig_coordinator::{Trust, knowledge};
            use std::sync::Arc;
            let reader = crate::database::read_to_answer(folder)?;
            let verified = knowledge(&reader, position, play, Trust::Checked, &Arc::default())?;
            let has_claims = reader.worth()?.claimed.total() > 0;
            let claimed = has_claims
                .then(|| knowledge(&reader, position, play, Trust::Believed, &Arc::default()));
            return Ok(Told { verified, claimed: claimed.transpose()? });
        }
        let url = self.coordinator.as_deref().unwrap_or(connect::DEFAULT_URL);
        let verified = connect::runtime()?.block_on(async {
            anyhow::Ok(credentials.connect(url).await?.query(position, play).await?)
        })?;
        Ok(Told { verified, claimed: None })
    }
}

impl Query {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (typed, position) = self.position.read()?;
        let canonical = CanonicalPosition::of(&position);
        let play = if self.misere { Play::Misere } else { Play::Normal };
        let told = self.source.ask(&self.credentials, &canonical, play)?;
        output::answer(&self.format, &Known::new(typed, &canonical, play, told, &self.style))
    }
}
