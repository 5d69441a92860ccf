//! `sprig compare`: whether two games can replace each other, and if not, which game tells them
//! apart.

use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_calculator::{Comparer, Expression};
use sprig_domain::{Goal, Play, Question};
use sprig_engine::CanonicalPosition;
use sprig_trees::Tree;
use sprig_worker::Shutdown;

use crate::database::Database;
use crate::embedded::Embedded;
use crate::failure::{Usage, quote};
use crate::memory::Bounds;
use crate::output::{self, Answer, Format};
use crate::positions;
use crate::solved::Show;
use crate::tree_of::{tree_of, worth};
use crate::trees::Trees;

const EXAMPLES: &str = "\
Examples:
  sprig compare '0*2' '0.AB|AB'          normal play: the same nimber?
  sprig compare '0*1' '0*2' --misere     misère play: the same tree? If not, a game that tells them apart
  sprig compare '{0;1}+2' 0 --misere     of Nim-heaps and trees, if there are braces on one side:
  sprig compare '{0;{2}}+2' '{2}' --misere";

/// Decide whether two games can replace each other in every sum, or build a game that tells them apart
///
/// In normal play they can exactly when they have the same nimber, in misère play when they have the same reduced
/// canonical tree. If not, the game T that is shown makes a loss of A + T and a win of B + T; both sums are worked out.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Compare {
    /// A position, or with --misere a tree such as `{0;{2}}+2`
    #[arg(value_name = "A")]
    a: String,
    /// Another one
    #[arg(value_name = "B")]
    b: String,
    /// Who cannot move wins
    #[arg(long)]
    misere: bool,
    /// Folder of a database, made where there is none, which keeps what is proved
    #[arg(long, value_name = "DIR")]
    db: Option<PathBuf>,
    /// In misère play, refuse positions whose game tree has more lands than this, or sums with more trees
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    max_lands: usize,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    format: Format,
}

/// What came out. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Compared {
    /// The first game.
    a: String,
    /// The second game.
    b: String,
    play: &'static str,
    /// Whether they can replace each other in every sum.
    equal: bool,
    /// Nimbers, or trees as nested sets, or their content keys.
    worth: [String; 2],
    /// The game T: A + T is a loss, B + T is a win; none if they are equal.
    told_by: Option<String>,
}

impl Answer for Compared {
    fn text(&self) -> String {
        let what = if self.play == Play::Normal.name() { "nimber" } else { "tree" };
        let Self { a, b, worth: [of_a, of_b], .. } = self;
        let mut text = format!("{}\n", self.line());
        text += &format!("{what:12}{of_a} of {a}\n{what:12}{of_b} of {b}\n");
        if let Some(told_by) = &self.told_by {
            text += &format!("told by     T = {told_by}: {a} + T is a loss, {b} + T is a win\n");
        }
        text
    }

    fn line(&self) -> String {
        if self.equal { "equal" } else { "different" }.to_owned()
    }
}

impl Compare {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let compared = if self.misere { self.trees()? } else { self.nimbers()? };
        output::answer(&self.format, &compared)
    }

    fn nimbers(&self) -> anyhow::Result<Compared> {
        let mut read = Vec::new();
        for text in [&self.a, &self.b] {
            if text.contains('{') {
                let what = "is a tree, and trees are compared in misère play: add --misere";
                return Err(Usage(format!("{} {what}", quote(text))).into());
            }
            read.push((text, CanonicalPosition::of(&positions::read_typed(&text.into())?.1)));
        }
        let one = NonZero::<u16>::MIN;
        let memory = self.bounds.of_database(one);
        let database = Database::open_to_answer(self.db.as_deref(), memory)?;
        let mut cluster = Embedded::start(database, one, || self.bounds.of_one(one, memory))?;
        let mut nimbers = Vec::new();
        for (text, position) in read {
            let question = Question::Nimber;
            let solved = cluster.prove(text, Goal::normal(position, question), Show::Nimber);
            let solved = match solved {
                Ok(solved) => solved,
                Err(failure) => {
                    // The error of the search says more than one of its end.
                    let _ = cluster.end(Shutdown::Finish);
                    return Err(failure.about(text));
                }
            };
            nimbers.push(solved.line());
        }
        cluster.end(Shutdown::Finish)?;
        let equal = nimbers[0] == nimbers[1];
        // The sum of A and a heap of the same nimber is 0.
        let told_by = (!equal).then(|| format!("the Nim-heap {}", nimbers[0]));
        Ok(self.compared(Play::Normal, equal, [nimbers[0].clone(), nimbers[1].clone()], told_by))
    }

    fn trees(&self) -> anyhow::Result<Compared> {
        let written = |text: &str| -> anyhow::Result<Expression> {
            let read = text.parse();
            Ok(read.map_err(|error| Usage(format!("tree {}: {error}", quote(text))))?)
        };
        // A sum of numbers beside a tree means a sum of heaps.
        let are_trees = [&self.a, &self.b].iter().any(|text| text.contains('{'));
        let mut sides = Vec::new();
        for text in [&self.a, &self.b] {
            sides.push(match are_trees && !text.contains(['*', '.', '|', '!']) {
                true => Err(written(text)?),
                false => Ok(CanonicalPosition::of(&positions::read_typed(&text.into())?.1)),
            });
        }
        let mut trees = Trees::open(self.db.as_deref(), 1)?;
        let mut found = Vec::new();
        for (side, text) in sides.iter().zip([&self.a, &self.b]) {
            let tree = match side {
                Ok(position) => tree_of(&mut trees, position, self.max_lands),
                Err(written) => worth(&mut trees, written, self.max_lands),
            };
            found.push(tree.map_err(|failure| failure.about(text))?);
        }
        let (forest, _) = trees.forest_and_sums();
        let pair = (found[0], found[1]);
        let told_by = Comparer::default().tell_apart(forest, pair, self.max_lands as f64)?;
        let name = |tree: Tree| {
            let short = trees.forest().nested(tree, 1000);
            short.unwrap_or_else(|| trees.forest().key(tree).to_string())
        };
        let worth = [name(pair.0), name(pair.1)];
        Ok(self.compared(Play::Misere, told_by.is_none(), worth, told_by.map(name)))
    }

    fn compared(
        &self,
        play: Play,
        equal: bool,
        worth: [String; 2],
        told_by: Option<String>,
    ) -> Compared {
        Compared { a: self.a.clone(), b: self.b.clone(), play: play.name(), equal, worth, told_by }
    }
}
