//! Writes the facts of a database kind by kind, each kind sorted by the bytes of its subjects. So
//! the same facts give the same file, in whatever order they were found.

use std::io::{self, Write};

use anyhow::anyhow;
use sprig_domain::{Node, TreeKey};
use sprig_engine::CanonicalLand;
use sprig_foreign::{Format, Kind, Name, Numbers, Writer};
use sprig_store::{Fact, Kind as Of, Reader, Status, Value};
use sprig_trees::{Forest, Tree};

use crate::failure::OutputClosed;
use crate::forest;

/// Writes facts of the chosen kinds.
pub struct Exporter<'a, W> {
    store: &'a Reader,
    writer: Writer<W>,
    names: Names,
    /// Whether claims are written too, with a mark.
    claims: bool,
    /// Claims that were left out.
    pub left_out: u64,
    /// Claims about bytes that are no land, so that they cannot be written.
    pub malformed: u64,
}

/// Whether the bytes of a claim are a land, a tree or a node. A stranger may have sent any bytes.
fn is_about_something(fact: &Fact) -> bool {
    match &fact.value {
        Value::Nimber(_) | Value::Rct(_) => CanonicalLand::from_key(&fact.subject).is_ok(),
        Value::Options(_) => fact.subject.len() == size_of::<TreeKey>(),
        Value::Loss => Node::decode(&fact.subject).is_ok(),
    }
}

/// How the file names RCTs.
enum Names {
    /// By their keys.
    Keys,
    /// By numbers. All trees of the database are in memory for this.
    Numbers { forest: Box<Forest>, numbers: Numbers },
}

impl<'a, W: Write> Exporter<'a, W> {
    /// An exporter for verified facts of these kinds, and with `claims` for claims too.
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
    /// When the database or the output fails.
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

    /// Facts about other surfaces than the sphere that were left out, as the format has no sign for them.
    pub fn elsewhere(&self) -> u64 {
        self.writer.left_out()
    }

    /// Flushes the output, and gives how many facts were written. Some are counted under several
    /// texts.
    ///
    /// # Errors
    /// When the output fails.
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

/// Writes the trees in the order of their numbers, with the options sorted by height. Heaps need no
/// line.
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

/// The error when a file cannot be written.
pub fn unwritten(error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => OutputClosed.into(),
        _ => anyhow::Error::from(error).context("cannot write; make room, or name another file"),
    }
}
