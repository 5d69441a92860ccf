//! `sprig query`: what is known of a position, without any search.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_engine::{CanonicalPosition, Nimber};
use sprig_proto::Knowledge;

use crate::connect::{self, Credentials};
use crate::output::{self, Answer, Format, Style};
use crate::positions::OnePosition;

const EXAMPLES: &str = "\
Examples:
  sprig query '0*16' --db facts          what a database knows
  sprig query '0*16' --coordinator http://127.0.0.1:7425
                                         the same of a database that is in use";

/// Show what is known of a position: outcome, nimber, winning moves
///
/// Searches nothing. A database that a coordinator or `solve` works on is asked through its coordinator.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Query {
    #[command(flatten)]
    position: OnePosition,
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
}

impl Known {
    fn new(
        typed: String,
        canonical: &CanonicalPosition,
        knowledge: Knowledge,
        style: &Style,
    ) -> Self {
        let lands = knowledge.lands.into_iter().map(|known| Land {
            land: style.print(&CanonicalPosition::from_lands([known.land])),
            nimber: known.nimber.map(Nimber::get),
            excluded: known.excluded.into_iter().map(Nimber::get).collect(),
        });
        Self {
            position: typed,
            canonical: style.print(canonical),
            play: "normal",
            outcome: knowledge.outcome.map(|outcome| outcome.to_string()),
            nimber: knowledge.nimber.map(Nimber::get),
            lands: lands.collect(),
            winning: knowledge.winning.iter().map(|child| style.print(child)).collect(),
        }
    }
}

impl Answer for Known {
    fn text(&self) -> String {
        let mut text = format!("outcome     {}\n", self.line());
        if let Some(nimber) = self.nimber {
            text += &format!("nimber      {nimber}\n");
        }
        for Land { land, nimber, excluded } in &self.lands {
            let excluded: Vec<_> = excluded.iter().map(u8::to_string).collect();
            text += &match nimber {
                Some(nimber) => format!("land        {land} has nimber {nimber}\n"),
                None if excluded.is_empty() => format!("land        {land} has no known nimber\n"),
                None => {
                    format!("land        {land} does not have nimber {}\n", excluded.join(", "))
                }
            };
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
    ) -> anyhow::Result<Knowledge> {
        #[cfg(feature = "coordinator")]
        if let Some(folder) = &self.db {
            let database = crate::database::Database::open(folder)?;
            return Ok(sprig_coordinator::knowledge(&database.store, position)?);
        }
        let url = self.coordinator.as_deref().unwrap_or(connect::DEFAULT_URL);
        connect::runtime()?
            .block_on(async { Ok(credentials.connect(url).await?.query(position).await?) })
    }
}

impl Query {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (typed, position) = self.position.read()?;
        let canonical = CanonicalPosition::of(&position);
        let knowledge = self.source.ask(&self.credentials, &canonical)?;
        output::answer(&self.format, &Known::new(typed, &canonical, knowledge, &self.style))
    }
}
