//! Writes the facts of a database, kind by kind, each in the order of the bytes they are about: the same facts give the
//! same file, whoever found them and whenever.

use std::io::{self, Write};

use anyhow::anyhow;
use sprig_domain::{Node, TreeKey};
use sprig_engine::CanonicalLand;
use sprig_foreign::{Format, Kind, Name, Numbers, Writer};
use sprig_store::{Fact, Kind as Of, Reader, Status, Value};
use sprig_trees::{Forest, Tree};

use crate::failure::OutputClosed;
use crate::forest;

/// Writes facts of some kinds.
pub struct Exporter<'a, W> {
    store: &'a Reader,
    writer: Writer<W>,
    names: Names,
    /// Whether claims are written, too, and marked.
    claims: bool,
    /// Claims that were left out.
    pub left_out: u64,
    /// Claims about bytes that are no land: they cannot be written.
    pub malformed: u64,
}

/// Whether the bytes that a claim is about are those of a land, tree or node: a stranger may write any.
fn is_about_something(fact: &Fact) -> bool {
    match &fact.value {
        Value::Nimber(_) | Value::Rct(_) => CanonicalLand::from_key(&fact.subject).is_ok(),
        Value::Options(_) => fact.subject.len() == size_of::<TreeKey>(),
        Value::Loss => Node::decode(&fact.subject).is_ok(),
    }
}

/// What RCTs are called in the file.
enum Names {
    /// By their keys.
    Keys,
    /// By numbers, which takes all trees of the database in memory.
    Numbers { forest: Box<Forest>, numbers: Numbers },
}

impl<'a, W: Write> Exporter<'a, W> {
    /// An exporter for these kinds of verified facts, and, with `claims`, of claims.
    ///
    /// # Errors
    /// When the database fails.
    pub fn new(
        store: &'a Reader,
        out: W,
        format: Format,
        kinds: &[Kind],
        claims: bool,
    ) -> anyhow::Result<Self> {
        let numbered = kinds.iter().any(|&kind| kind != Kind::Nimbers && kind != Kind::Losses);
        let names = match format {
            Format::Program { .. } if numbered => Names::numbers(store)?,
            _ => Names::Keys,
        };
        Ok(Self {
            store,
            writer: Writer::new(out, format),
            names,
            claims,
            left_out: 0,
            malformed: 0,
        })
    }

    /// Writes all facts of a kind.
    ///
    /// # Errors
    /// When the database or the writing fails.
    pub fn kind(&mut self, kind: Kind) -> anyhow::Result<()> {
        self.writer.section(kind).map_err(unwritten)?;
        if let (Kind::Trees, Names::Numbers { forest, numbers }) = (kind, &self.names) {
            return numbered_trees(&mut self.writer, forest, numbers).map_err(unwritten);
        }
        let of = match kind {
            Kind::Nimbers => Of::Nimber,
            Kind::Trees => Of::Tree,
            Kind::Rcts => Of::Rct,
            Kind::Losses | Kind::Nodes => Of::Loss,
        };
        let Self { store, writer, names, claims, left_out, malformed } = self;
        for fact in store.facts(of) {
            let fact = fact?.fact;
            let is_claimed = fact.status == Status::Claimed;
            if is_claimed && !*claims {
                *left_out += 1;
                continue;
            }
            if is_claimed && !is_about_something(&fact) {
                *malformed += 1;
                continue;
            }
            writer.mark(is_claimed);
            let land = || CanonicalLand::from_reduced(&fact.subject);
            let written = match &fact.value {
                Value::Nimber(nimber) => writer.nimber(&land(), *nimber),
                Value::Rct(key) => writer.rct(&land(), names.of(*key)?),
                Value::Options(options) => {
                    let key = TreeKey::from_bytes((*fact.subject).try_into()?);
                    let options: Vec<_> = options.iter().copied().map(Name::Key).collect();
                    writer.tree(Name::Key(key), &options)
                }
                Value::Loss => {
                    let node = Node::decode(&fact.subject)?;
                    let is_plain = !node.one() && node.trees().is_empty();
                    match kind {
                        Kind::Losses if is_plain => writer.loss(node.lands()),
                        Kind::Losses => Ok(()),
                        _ => {
                            let rcts = node.trees().iter().map(|&key| names.of(key));
                            let rcts: Vec<_> = rcts.collect::<Result<_, _>>()?;
                            writer.node(node.lands(), node.one(), &rcts)
                        }
                    }
                }
            };
            written.map_err(unwritten)?;
        }
        Ok(())
    }

    /// Sends off what is buffered, and tells how many facts were written, some of them under several texts.
    ///
    /// # Errors
    /// When the writing fails.
    pub fn finish(self) -> anyhow::Result<u64> {
        let lines = self.writer.lines();
        self.writer.finish().map_err(unwritten)?;
        Ok(lines)
    }
}

impl Names {
    fn numbers(store: &Reader) -> anyhow::Result<Self> {
        let mut forest = Box::new(Forest::default());
        forest::read(store, &mut forest)?;
        Ok(Self::Numbers { numbers: Numbers::of(&forest), forest })
    }

    fn of(&self, key: TreeKey) -> anyhow::Result<Name> {
        match self {
            Self::Keys => Ok(Name::Key(key)),
            Self::Numbers { forest, numbers } => Ok(numbers.name(forest, find(forest, key)?)),
        }
    }
}

/// Writes the trees in the order of their numbers, options by height. Heaps need no line.
fn numbered_trees<W: Write>(
    writer: &mut Writer<W>,
    forest: &Forest,
    numbers: &Numbers,
) -> io::Result<()> {
    for &tree in numbers.trees() {
        let name = |tree| (forest.height(tree), numbers.name(forest, tree));
        let mut options: Vec<_> = forest.options(tree).map(name).collect();
        options.sort_unstable();
        let options: Vec<_> = options.into_iter().map(|(_, name)| name).collect();
        writer.tree(numbers.name(forest, tree), &options)?;
    }
    Ok(())
}

fn find(forest: &Forest, key: TreeKey) -> anyhow::Result<Tree> {
    forest.find(key).ok_or_else(|| {
        anyhow!("the database names tree {key} without its options; restore it from a copy")
    })
}

/// What to say when a file cannot be written.
pub fn unwritten(error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => OutputClosed.into(),
        _ => anyhow::Error::from(error).context("cannot write; make room, or name another file"),
    }
}
