//! `sprig merge`: takes the knowledge of one database into another.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, ensure};
use clap::Args;
use serde::Serialize;
use sprig_audit::{AuditError, check_exclusions};
use sprig_domain::Game;
use sprig_domain::Node;
use sprig_engine::CanonicalLand;
use sprig_engine::Watched;
use sprig_store::{
    Batch, Contribution, Counts, Exclusion, Fact, Kind, Reader, Status, Store, Value, Worth,
};

use crate::auditing::{self, Effort, Tally};
use crate::database::{self, Database};
use crate::failure::Interrupted;
use crate::output::{self, Answer, Format};
use crate::stop::Stop;
use crate::trees::provenance;

const EXAMPLES: &str = "\
Examples:
  sprig merge facts other                everything that `other` knows, into `facts`
  sprig merge facts mine yours --trust   without a check: you vouch for both

What carries your seal comes in as verified. What others say comes in as claims, which are then checked
as by `sprig audit`: what follows from verified facts is verified, the rest stays claimed, and nothing is
answered from it.";

/// Merge databases: what the others know comes into the first
///
/// The result is what one database would hold, had everything been found into it. Jobs stay where they are. A fact
/// that contradicts another stops the merge; what came before it is kept.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Merge {
    /// The database that grows; it is made where there is none
    #[arg(value_name = "INTO")]
    into: PathBuf,
    /// Databases to read; they are left as they are
    #[arg(value_name = "FROM", required = true)]
    from: Vec<PathBuf>,
    /// Vouch for FROM: all of its nimbers, trees of lands and lost nodes come in as verified, unchecked
    #[arg(long)]
    trust: bool,
    #[command(flatten)]
    effort: Effort,
    #[command(flatten)]
    format: Format,
}

/// New facts in the first database, and what its facts are worth.
#[derive(Serialize, Default, schemars::JsonSchema)]
pub struct Merged {
    nimbers: u64,
    trees: u64,
    rcts: u64,
    losses: u64,
    /// Facts of the others that were known already.
    known: u64,
    /// Facts of the first database that are verified now.
    verified: u64,
    /// Facts of it that are merely claimed.
    claimed: u64,
    /// Those of them that are false.
    refuted: u64,
}

impl Answer for Merged {
    fn text(&self) -> String {
        let Self { nimbers, trees, rcts, losses, known, verified, claimed, refuted } = self;
        format!(
            "new nimbers  {nimbers}\nnew trees    {trees}\nnew RCTs     {rcts}\n\
             new losses   {losses}\nknown facts  {known}\nverified     {verified}\n\
             claimed      {claimed}\nfalse        {refuted}\n"
        )
    }

    fn line(&self) -> String {
        format!("{} new", self.nimbers + self.trees + self.rcts + self.losses)
    }
}

impl Merge {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let place = |folder: &PathBuf| folder.canonicalize().ok();
        ensure!(
            !self.from.iter().any(|from| from.exists() && place(from) == place(&self.into)),
            "{} cannot be merged into itself; name two databases",
            self.into.display()
        );
        let sources: Vec<Reader> =
            self.from.iter().map(|folder| database::read(folder)).collect::<Result<_, _>>()?;
        let into = Database::open_or_create(Some(&self.into), usize::MAX)?;
        let stop = Stop::flag(None)?;
        let before = into.store.counts()?;
        let mut offered = 0;
        for (folder, from) in self.from.iter().zip(&sources) {
            let taker = Taker { into: &into.store, from, folder, trust: self.trust };
            offered += taker.take_facts()?;
        }
        let after = into.store.counts()?;
        let watched = Arc::new(Watched::until(Arc::clone(&stop)));
        let Tally { refuted, .. } = auditing::check(&into.store, &self.effort, stop)?;
        for (folder, from) in self.from.iter().zip(&sources) {
            let taker = Taker { into: &into.store, from, folder, trust: self.trust };
            taker.take_exclusions(&watched)?;
        }
        let Worth { verified, claimed } = into.store.worth()?;
        let [verified, claimed] = [verified, claimed].map(Counts::total);
        let new = |kind| after.of(kind) - before.of(kind);
        let known = offered - (after.total() - before.total());
        let merged = Merged {
            nimbers: new(Kind::Nimber),
            trees: new(Kind::Tree),
            rcts: new(Kind::Rct),
            losses: new(Kind::Loss),
            known,
            verified,
            claimed,
            refuted,
        };
        output::answer(&self.format, &merged)
    }
}

/// Facts in one commit.
const BATCH: usize = 1 << 14;

/// Takes the knowledge of one database into another.
struct Taker<'a> {
    into: &'a Store,
    from: &'a Reader,
    folder: &'a Path,
    trust: bool,
}

impl Taker<'_> {
    /// Takes all facts, in the order in which they came into the other database: options before
    /// trees, and trees before lands. Gives their number.
    fn take_facts(&self) -> anyhow::Result<u64> {
        let (mut batch, mut offered) = (Batch::default(), 0);
        let mut waiting = 0;
        for group in self.from.groups() {
            let (mut provenance, stored) = group?;
            // The number of a job means nothing in another database.
            provenance.job = None;
            let mut facts = Vec::with_capacity(stored.len());
            for stored in stored {
                let status = self.worth(&stored.fact);
                let fact = Fact { status, ..stored.fact };
                check_form(&fact).with_context(|| self.refused())?;
                facts.push(fact);
            }
            (offered, waiting) = (offered + facts.len() as u64, waiting + facts.len());
            batch.contributions.push(Contribution { provenance, facts, exclusions: Vec::new() });
            if waiting >= BATCH {
                self.commit(&std::mem::take(&mut batch))?;
                waiting = 0;
            }
        }
        self.commit(&batch)?;
        Ok(offered)
    }

    /// The status of a fact before it is checked. A tree is always checked, so it needs no trust in
    /// the other database's owner.
    fn worth(&self, fact: &Fact) -> Status {
        if self.trust && fact.kind() != Kind::Tree { Status::Verified } else { fact.status }
    }

    /// Takes the won couples that follow from verified facts.
    fn take_exclusions(&self, watched: &Arc<Watched>) -> anyhow::Result<()> {
        Game::ALL.into_iter().try_for_each(|game| self.take_exclusions_of(game, watched))
    }

    fn take_exclusions_of(&self, game: Game, watched: &Arc<Watched>) -> anyhow::Result<()> {
        let exclusions = self.from.of(game).exclusions().collect::<Result<Vec<Exclusion>, _>>()?;
        let shown = match check_exclusions(&self.into.of(game), exclusions, watched) {
            Err(AuditError::Stopped) => {
                let message = "what was taken in is kept, the same command goes on from there";
                return Err(Interrupted::new(message.to_owned()).into());
            }
            shown => shown?,
        };
        let provenance = provenance("merge");
        for exclusions in shown.chunks(BATCH) {
            let (provenance, exclusions) = (provenance.clone(), exclusions.to_vec());
            let contributions = vec![Contribution { provenance, facts: Vec::new(), exclusions }];
            self.commit(&Batch { contributions, ..Batch::default() })?;
        }
        Ok(())
    }

    fn commit(&self, batch: &Batch) -> anyhow::Result<()> {
        self.into.commit(batch).map(drop).with_context(|| self.refused())
    }

    fn refused(&self) -> String {
        format!("{} is not merged any further", self.folder.display())
    }
}

/// Checks that the bytes of a fact are a land or a node at all. The database itself checks that the
/// options of a tree make its key.
fn check_form(fact: &Fact) -> anyhow::Result<()> {
    match fact.value {
        Value::Nimber(_) | Value::Rct(_) => drop(CanonicalLand::from_key(&fact.subject)?),
        Value::Loss => drop(Node::decode(&fact.subject)?),
        Value::Options(_) => {}
    }
    Ok(())
}
