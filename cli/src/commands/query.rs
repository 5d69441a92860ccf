//! `sprig query`: what is known of a position, without any search.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_engine::{CanonicalPosition, Nimber};
use sprig_proto::{Knowledge, Play};

use crate::connect::{self, Credentials};
use crate::output::{self, Answer, Format, Style};
use crate::positions::OnePosition;

const EXAMPLES: &str = "\
Examples:
  sprig query '0*16' --db facts          what a database knows
  sprig query '0*16' --coordinator http://127.0.0.1:7425
                                         the same of a database that is in use
  sprig query '0*14' --misere --db facts when the last to move loses";

/// Show what is known of a position: outcome, nimber or tree, winning moves
///
/// Searches nothing. A database that a coordinator or `solve` works on is asked through its coordinator.
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
    /// Folder of a database that no process has open
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
}

#[derive(Serialize)]
struct Land {
    land: String,
    nimber: Option<u8>,
    excluded: Vec<u8>,
    tree: Option<String>,
}

impl Known {
    fn new(
        typed: String,
        canonical: &CanonicalPosition,
        play: Play,
        knowledge: Knowledge,
        style: &Style,
    ) -> Self {
        let lands = knowledge.lands.into_iter().map(|known| Land {
            land: style.print(&CanonicalPosition::from_lands([known.land])),
            nimber: known.nimber.map(Nimber::get),
            excluded: known.excluded.into_iter().map(Nimber::get).collect(),
            tree: known.tree.map(|tree| tree.to_string()),
        });
        Self {
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
        }
        for child in &self.winning {
            text += &format!("wins        {child}\n");
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
    ) -> anyhow::Result<Knowledge> {
        #[cfg(feature = "coordinator")]
        if let Some(folder) = &self.db {
            let database = crate::database::Database::open(folder)?;
            // Whoever has the folder believes what is in it.
            let trust = sprig_coordinator::Trust::Believed;
            return Ok(sprig_coordinator::knowledge(
                &database.store,
                position,
                play,
                trust,
                &Default::default(),
            )?);
        }
        let url = self.coordinator.as_deref().unwrap_or(connect::DEFAULT_URL);
        connect::runtime()?
            .block_on(async { Ok(credentials.connect(url).await?.query(position, play).await?) })
    }
}

impl Query {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (typed, position) = self.position.read()?;
        let canonical = CanonicalPosition::of(&position);
        let play = if self.misere { Play::Misere } else { Play::Normal };
        let knowledge = self.source.ask(&self.credentials, &canonical, play)?;
        output::answer(&self.format, &Known::new(typed, &canonical, play, knowledge, &self.style))
    }
}
