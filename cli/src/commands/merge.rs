//! `sprig merge`: what one database knows comes into another.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use clap::Args;
use serde::Serialize;
use sprig_engine::CanonicalLand;
use sprig_misere::{Base, Node, TreeKey};
use sprig_store::{Batch, Contribution, Exclusion, Fact, Kind, Reader, Store, Value};

use crate::database::{self, Database};
use crate::output::{self, Answer, Format};
use crate::trees::provenance;

const EXAMPLES: &str = "\
Examples:
  sprig merge facts other                everything that `other` knows, into `facts`
  sprig merge facts mine yours --trust   without computing the trees of lands again

Trees are always checked: that their options are known, make their key and do not reduce. That a land
has its tree is checked by finding it from its children, unless you --trust who wrote it. Nimbers and
lost nodes are compared with what is known, and stay verified where they carry your seal.";

/// Merge databases: what the others know comes into the first
///
/// The result is what one database would hold, had everything been found into it. Jobs stay where they are. A fact
/// that contradicts another, or a forged tree, stops the merge; what came before it is kept.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Merge {
    /// The database that grows; it is made where there is none
    #[arg(value_name = "INTO")]
    into: PathBuf,
    /// Databases to read; they are left as they are
    #[arg(value_name = "FROM", required = true)]
    from: Vec<PathBuf>,
    /// Believe that lands have the trees that FROM says, instead of finding them again
    #[arg(long)]
    trust: bool,
    #[command(flatten)]
    format: Format,
}

/// New facts in the first database.
#[derive(Serialize, Default)]
struct Merged {
    nimbers: u64,
    trees: u64,
    rcts: u64,
    losses: u64,
    /// Facts of the others that were known already.
    known: u64,
}

impl Answer for Merged {
    fn text(&self) -> String {
        let Self { nimbers, trees, rcts, losses, known } = self;
        format!(
            "new nimbers  {nimbers}\nnew trees    {trees}\nnew RCTs     {rcts}\n\
             new losses   {losses}\nknown facts  {known}\n"
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
        let before = into.store.counts()?;
        let mut offered = 0;
        for (folder, from) in self.from.iter().zip(&sources) {
            let taker = Taker { into: &into.store, from, folder, trust: self.trust };
            offered += taker.take_all()?;
        }
        let after = into.store.counts()?;
        let new = |kind| after.of(kind) - before.of(kind);
        let known = offered - (after.total() - before.total());
        output::answer(
            &self.format,
            &Merged {
                nimbers: new(Kind::Nimber),
                trees: new(Kind::Tree),
                rcts: new(Kind::Rct),
                losses: new(Kind::Loss),
                known,
            },
        )
    }
}

/// Facts of one commit.
const BATCH: usize = 1 << 14;

/// Takes what one database knows into another.
struct Taker<'a> {
    into: &'a Store,
    from: &'a Reader,
    folder: &'a Path,
    trust: bool,
}

impl Taker<'_> {
    /// Takes everything, in the order in which it came there: options before trees, trees before lands. Says how many
    /// facts there were.
    fn take_all(&self) -> anyhow::Result<u64> {
        let mut base = self.into.base()?;
        let (mut batch, mut offered) = (Batch::default(), 0);
        let mut waiting = 0;
        for group in self.from.groups() {
            let (mut provenance, stored) = group?;
            // Numbers of jobs mean nothing elsewhere.
            provenance.job = None;
            let mut facts = Vec::with_capacity(stored.len());
            for stored in stored {
                let fact = stored.fact;
                self.check(&mut base, &fact).with_context(|| self.refused())?;
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
        self.take_exclusions()?;
        Ok(offered)
    }

    fn take_exclusions(&self) -> anyhow::Result<()> {
        let exclusions = self.from.exclusions().collect::<Result<Vec<Exclusion>, _>>()?;
        let provenance = provenance("merge");
        for exclusions in exclusions.chunks(BATCH) {
            for exclusion in exclusions {
                CanonicalLand::from_key(&exclusion.land).with_context(|| self.refused())?;
            }
            let (provenance, exclusions) = (provenance.clone(), exclusions.to_vec());
            let contributions = vec![Contribution { provenance, facts: Vec::new(), exclusions }];
            self.commit(&Batch { contributions, ..Batch::default() })?;
        }
        Ok(())
    }

    fn commit(&self, batch: &Batch) -> anyhow::Result<()> {
        self.into.commit(batch).map(drop).with_context(|| self.refused())
    }

    /// Holds a fact against what can be seen without a search.
    fn check(&self, base: &mut Base, fact: &Fact) -> anyhow::Result<()> {
        match &fact.value {
            Value::Nimber(_) => drop(CanonicalLand::from_key(&fact.subject)?),
            Value::Loss => drop(Node::decode(&fact.subject)?),
            Value::Options(options) => {
                let key = (*fact.subject).try_into().context("a tree has no key")?;
                base.forest_mut().learn(TreeKey::from_bytes(key), options)?;
            }
            Value::Rct(key) => {
                let land = CanonicalLand::from_key(&fact.subject)?;
                let Some(tree) = base.forest().find(*key) else {
                    bail!("land `{land}` is said to have tree {key}, which is not stored");
                };
                if self.trust {
                    base.learn(land.key(), tree)?;
                } else {
                    base.check(&land, tree)?;
                }
            }
        }
        Ok(())
    }

    fn refused(&self) -> String {
        format!("{} is not merged any further", self.folder.display())
    }
}
