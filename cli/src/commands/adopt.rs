//! `sprig adopt`: the owner vouches for a database.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_ask::with_verb;
use sprig_store::{Kind, Vouched, Worth};

use crate::database::Database;
use crate::failure::Interrupted;
use crate::output::{self, Answer, Format};
use crate::steps::Steps;
use crate::stop::Stop;

const EXAMPLES: &str = "\
Examples:
  sprig adopt --db facts                 facts of one's own, from before there were seals or of another machine
  sprig adopt --db facts --claims        also what nobody had checked";

/// Vouch for a database: its verified facts become yours
///
/// A fact counts as verified only if it carries the seal of the key that `--seal-key` names. This seals the facts that another
/// key had marked as verified, without looking at what they say: a forged one is believed from then on. `sprig audit` checks
/// them instead, which takes about as long as finding them. What was sealed stays so if this is interrupted; run it again.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Adopt {
    /// Folder of the database
    #[arg(long, value_name = "DIR")]
    db: PathBuf,
    /// Vouch also for facts that were never marked as verified
    #[arg(long)]
    claims: bool,
    #[command(flatten)]
    format: Format,
}

/// Facts sealed now.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Adopted {
    nimbers: u64,
    trees: u64,
    rcts: u64,
    losses: u64,
    /// Facts that are claims still.
    claimed: u64,
}

impl Answer for Adopted {
    fn text(&self) -> String {
        let Self { nimbers, trees, rcts, losses, claimed } = self;
        format!(
            "adopted nimbers  {nimbers}\nadopted trees    {trees}\nadopted RCTs     {rcts}\n\
             adopted losses   {losses}\nstill claimed    {claimed}\n"
        )
    }

    fn line(&self) -> String {
        format!("{} adopted", self.nimbers + self.trees + self.rcts + self.losses)
    }
}

impl Adopt {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let stop = Stop::flag(None)?;
        let store = Database::open(&self.db)?.store;
        let Worth { claimed, .. } = store.worth()?;
        let vouched = if self.claims { Vouched::Claims } else { Vouched::Marked };
        let progress = Steps::start(claimed.total());
        let sealed = store.adopt(vouched, &stop, |done| progress.show(done))?;
        drop(progress);
        let claimed = store.worth()?.claimed.total();
        if stop.load(std::sync::atomic::Ordering::Relaxed) {
            let adopted = sealed.total();
            let adopted = with_verb(adopted, "fact", ["is", "are"]);
            let message = format!("{adopted} adopted; the same command goes on");
            return Err(Interrupted::new(message).into());
        }
        output::answer(
            &self.format,
            &Adopted {
                nimbers: sealed.of(Kind::Nimber),
                trees: sealed.of(Kind::Tree),
                rcts: sealed.of(Kind::Rct),
                losses: sealed.of(Kind::Loss),
                claimed,
            },
        )
    }
}
