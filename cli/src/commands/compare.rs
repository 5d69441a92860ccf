//! `sprig compare`: whether two games can replace each other, and if not, which game tells them
//! apart.

use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use clap::Args;
use serde::Serialize;
use sprig_calculator::{Comparer, Expression, Pairs, copy};
use sprig_domain::{Goal, Play, Question};
use sprig_engine::CanonicalPosition;
use sprig_trees::{Base, News, Tree, TreeError};
use sprig_worker::Shutdown;

use crate::database::Database;
use crate::embedded::Embedded;
use crate::failure::{Usage, quote};
use crate::memory::Bounds;
use crate::output::{self, Answer, Format};
use crate::positions;
use crate::solved::Show;
use crate::tree_of::{tree_of, worth};
use crate::trees::{Trees, flow};

const EXAMPLES: &str = "\
Examples:
  sprig compare '0*2' '0.AB|AB'          normal play: the same nimber?
  sprig compare '0*1' '0*2' --misere     misère play: the same tree? If not, a game that tells them apart
  sprig compare '{0;1}+2' 0 --misere     of Nim-heaps and trees, if there are braces on one side:
  sprig compare '{0;{2}}+2' '{2}' --misere
  sprig compare '{0;1}' '{0;1}+2+2' --misere --within '0*5'
                                         is there a Sprouts position of up to 5 spots that tells them apart?";

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
    /// For --misere: look for a land among those that this position leads to, alone or beside a land of one move, that
    /// tells them apart. Trees that differ among all games may be the same within Sprouts
    #[arg(long, value_name = "POS", requires = "misere")]
    within: Option<String>,
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
    /// What positions of Sprouts say, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<Within>,
}

/// Whether positions that another one leads to tell them apart.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Within {
    /// The position whose lands were tried.
    position: String,
    /// How many lands were tried, each alone and beside a land of one move.
    lands: usize,
    /// One with the fewest lives that tells them apart, if there is one.
    told_by: Option<ToldBy>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct ToldBy {
    /// The position X.
    position: String,
    /// The outcomes of A + X and B + X.
    outcomes: [&'static str; 2],
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
        if let Some(Within { position, lands, told_by }) = &self.within {
            text += &match told_by {
                Some(ToldBy { position, outcomes: [of_a, of_b] }) => format!(
                    "in Sprouts  by X = {position}: {a} + X is a {of_a}, {b} + X is a {of_b}\n"
                ),
                None => format!(
                    "in Sprouts  by none of the {lands} lands that {position} leads to, nor by one of them beside 22\n"
                ),
            };
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
            sides.push(match are_trees && !text.contains(['*', '.', '|', '!', 'S']) {
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
        let pair = (found[0], found[1]);
        let within = match &self.within {
            Some(text) => Some(self.told_within(&mut trees, pair, text)?),
            None => None,
        };
        let (forest, _) = trees.forest_and_sums();
        let told_by = Comparer::default().tell_apart(forest, pair, self.max_lands as f64)?;
        let name = |tree: Tree| {
            let short = trees.forest().nested(tree, 1000);
            short.unwrap_or_else(|| trees.forest().key(tree).to_string())
        };
        let worth = [name(pair.0), name(pair.1)];
        let compared = self.compared(Play::Misere, told_by.is_none(), worth, told_by.map(name));
        Ok(Compared { within, ..compared })
    }

    /// The first land that the position leads to, by lives, beside which two trees have different
    /// outcomes.
    fn told_within(
        &self,
        trees: &mut Trees,
        pair: (Tree, Tree),
        text: &str,
    ) -> anyhow::Result<Within> {
        let position = CanonicalPosition::of(&positions::read_typed(&text.into())?.1);
        let mut base = Base::default();
        let watch = |news: &News<'_>| flow(news.progress().met <= self.max_lands);
        if let Err(error) = base.build(&position, NonZero::<usize>::MIN, watch) {
            ensure!(
                !matches!(error, TreeError::Stopped { .. }),
                "position `{text}` leads to more than {} lands; --max-lands allows more",
                self.max_lands
            );
            return Err(error.into());
        }
        let mut lands: Vec<_> = base.facts().collect();
        lands.sort_by_cached_key(|(land, _)| (land.lives(), land.to_string()));
        let (forest, _) = trees.forest_and_sums();
        let mut pairs = Pairs::default();
        // One after the other is there in the forest of the two trees.
        let told_by = lands.iter().find_map(|(land, tree)| {
            let tree = copy(base.forest(), *tree, forest);
            [(tree, ""), (tree.plus_one(), "+22")].into_iter().find_map(|(test, beside)| {
                if !pairs.are_told_apart(forest, pair, test) {
                    return None;
                }
                let mut wins = |tree| if pairs.wins(forest, tree, test) { "win" } else { "loss" };
                let outcomes = [wins(pair.0), wins(pair.1)];
                Some(ToldBy { position: format!("{land}{beside}"), outcomes })
            })
        });
        Ok(Within { position: position.to_string(), lands: lands.len(), told_by })
    }

    fn compared(
        &self,
        play: Play,
        equal: bool,
        worth: [String; 2],
        told_by: Option<String>,
    ) -> Compared {
        let (a, b, play) = (self.a.clone(), self.b.clone(), play.name());
        Compared { a, b, play, equal, worth, told_by, within: None }
    }
}
