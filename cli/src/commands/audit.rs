//! `sprig audit`: checks the claims of a database.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use sprig_ask::{plural, with_verb};
use sprig_domain::Game;
use sprig_store::{Counts, Event, EventKind, Kind, Status, Store, Worth};

use crate::auditing::{self, Effort, Tally};
use crate::database::Database;
use crate::output::{self, Answer, Format};
use crate::stop::Stop;
use crate::trees::provenance;

const EXAMPLES: &str = "\
Examples:
  sprig audit --db received              a database that somebody else has made
  sprig audit --db received --json       for programs
  sprig audit --db received --expansions 100000
                                         searches for what does not follow from other facts
  sprig audit --db received --withdraw   takes out what is left as a claim";

/// Check what a database merely claims: what follows becomes verified
///
/// Claims are checked from the small to the large, on all cores: each by one step from facts that are verified. What follows is
/// verified from then on; the rest stays claimed, and nothing is answered from it. Ctrl-C or a crash loses nothing that was
/// verified: the same command goes on from there.
///
/// Exit code 1 when claims are left.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Audit {
    /// Folder of the database
    #[arg(long, value_name = "DIR")]
    db: PathBuf,
    /// Take claims that are left out of the facts; the log of the database keeps who made them
    #[arg(long)]
    withdraw: bool,
    #[command(flatten)]
    effort: Effort,
    #[command(flatten)]
    format: Format,
}

/// Counts, which are also the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Audited {
    /// Facts that were verified before.
    before: u64,
    /// Facts that are verified now.
    verified: u64,
    /// Claims that a search has proved; they are verified now.
    searched: u64,
    /// Claims that are left.
    claimed: u64,
    /// Those of them that are false.
    refuted: u64,
    /// Claims that were taken out.
    withdrawn: usize,
    /// Wall time.
    seconds: f64,
}

impl Answer for Audited {
    fn text(&self) -> String {
        let Self { before, verified, searched, claimed, refuted, withdrawn, seconds } = self;
        format!(
            "verified before  {before}\nverified now     {verified}\nby search        {searched}\n\
             claimed          {claimed}\nfalse            {refuted}\nwithdrawn        {withdrawn}\n\
             seconds          {seconds:.2}\n"
        )
    }

    fn line(&self) -> String {
        format!("{} verified, {} claimed", self.verified, self.claimed)
    }
}

impl Audit {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let begin = Instant::now();
        let stop = Stop::flag(None)?;
        let store = Database::open(&self.db)?.store;
        let before = store.worth()?.verified.total();
        let Tally { searched, refuted } = auditing::check(&store, &self.effort, stop)?;
        let withdrawn = if self.withdraw { withdraw(&store)? } else { 0 };
        let Worth { verified, claimed } = store.worth()?;
        let [verified, claimed] = [verified, claimed].map(Counts::total);
        let seconds = (begin.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        let audited = Audited { before, verified, searched, claimed, refuted, withdrawn, seconds };
        if claimed > 0 {
            remark!(
                "sprig: {} left, and nothing is answered from claims; --expansions N searches for them, --withdraw takes them out",
                with_verb(claimed, "claim", ["is", "are"])
            );
        }
        output::answer(&self.format, &audited)?;
        Ok(if claimed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// Removes all claims from the facts. Gives their number.
fn withdraw(store: &Store) -> anyhow::Result<usize> {
    let mut claims = Vec::new();
    for game in Game::ALL {
        let store = store.of(game);
        // Trees belong to all games, so they are removed with one game alone.
        let kinds =
            Kind::ALL.into_iter().filter(|&kind| game == Game::Sprouts || kind != Kind::Tree);
        for kind in kinds {
            for stored in store.facts(kind) {
                let fact = stored?.fact;
                if fact.status == Status::Claimed {
                    claims.push((game, kind, fact.subject));
                }
            }
        }
    }
    if claims.is_empty() {
        return Ok(0);
    }
    let detail = format!("{} that an audit has left", plural(claims.len(), "claim"));
    let time = provenance("audit").time;
    let event = Event { time, kind: EventKind::Withdrawn, detail };
    Ok(store.withdraw(&claims, &[event], &[])?)
}
