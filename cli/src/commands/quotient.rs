//! `sprig quotient`: what sums of a closed set of games can tell apart in misère play.

use std::ffi::OsString;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;
use sprig_calculator::{Element, Expression, Quotient, Seen, copy, nim_heap};
use sprig_engine::{CanonicalPosition, Position};
use sprig_trees::{Base, Census, Forest, News, Sums, Tree};

use crate::failure::{Usage, quote};
use crate::output::{self, Answer, Format};
use crate::positions;
use crate::table::table;
use crate::watching::Watching;

const EXAMPLES: &str = "\
Examples:
  sprig quotient --nim 2                 Nim with heaps of 1 and 2: six classes
  sprig quotient '0*2'                   sums of all positions that 2 spots lead to
  sprig quotient '{{2}}' '3'             with trees, numbers are Nim-heaps

Two sums are in one class if no sum of the set tells them apart in misère play. Trees that differ among all games may be in
one class: 2 and 2+2+2 in Nim with heaps up to 2. See docs/misere.md.";

/// Most lands of a game tree. A larger one is no small set.
const LANDS: usize = 2_000;

/// Longest tree that is written as nested sets.
const LONGEST: usize = 60;

/// Find the misère quotient of a small closed set of games: the classes of its sums
///
/// The set holds the games that are given, and all that moves in them lead to. The classes are proved: two sums of one class
/// have the same outcome beside every sum of the set, and of two classes some sum of the set tells.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct QuotientOf {
    /// Positions; or trees such as `{2}`, then numbers are Nim-heaps
    #[arg(value_name = "GAME", required_unless_present = "nim")]
    games: Vec<OsString>,
    /// Nim-heaps up to this size
    #[arg(long, value_name = "SIZE", value_parser = clap::value_parser!(u16).range(..=64))]
    nim: Option<u16>,
    /// Give up when there are more classes
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    max_classes: usize,
    #[command(flatten)]
    format: Format,
}

/// A quotient. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Found {
    play: &'static str,
    /// Trees whose sums are all sums of the set: nested sets, or content keys.
    generators: Vec<String>,
    /// The classes of sums that the set tells apart.
    classes: Vec<Class>,
    /// Each game that was given, and the place of its class.
    games: Vec<(String, usize)>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Class {
    /// A shortest sum.
    sum: String,
    outcome: String,
    /// The places of the classes of it and one more generator.
    with: Vec<usize>,
}

impl Answer for Found {
    fn text(&self) -> String {
        let mut text = self.line() + "\n";
        let name = |class: usize| self.classes[class].sum.clone();
        let rows = self.classes.iter().map(|class| {
            let with = self.generators.iter().zip(&class.with);
            let with: Vec<_> =
                with.map(|(generator, &sum)| format!("+{generator} = {}", name(sum))).collect();
            [class.sum.clone(), class.outcome.clone(), with.join(", ")]
        });
        text += &table(["CLASS", "OUTCOME", "WITH"], &[], rows);
        for (game, class) in &self.games {
            text += &format!("{game} is in the class of {}\n", name(*class));
        }
        text
    }

    fn line(&self) -> String {
        match self.classes.len() {
            1 => "1 class".to_owned(),
            classes => format!("{classes} classes"),
        }
    }
}

impl QuotientOf {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut forest = Forest::default();
        let (mut set, mut games) = (Vec::new(), Vec::new());
        let typed: Vec<String> =
            self.games.iter().map(|game| game.to_string_lossy().into_owned()).collect();
        let are_trees = typed.iter().any(|game| game.contains('{'));
        if let Some(size) = self.nim {
            set.push(nim_heap(&mut forest, size));
        }
        for (typed, game) in typed.into_iter().zip(&self.games) {
            let trees = match are_trees {
                true => written(&mut forest, &typed)?,
                false => visited(&mut forest, &positions::read_typed(game)?.1, &typed)?,
            };
            games.push((typed, trees[0]));
            set.extend(trees);
        }
        let forest = Arc::new(forest);
        let quotient = self.found(&forest, set)?;
        let name = |tree: Tree| {
            forest.nested(tree, LONGEST).unwrap_or_else(|| forest.key(tree).to_string())
        };
        let generators: Vec<String> = quotient.generators.iter().map(|&tree| name(tree)).collect();
        let classes = quotient.elements.iter().zip(&quotient.with);
        let classes = classes.map(|(Element { sum, outcome }, with)| {
            let parts: Vec<&str> = sum.iter().map(|&at| &*generators[at]).collect();
            let sum = if parts.is_empty() { "0".to_owned() } else { parts.join("+") };
            Class { sum, outcome: outcome.to_string(), with: with.clone() }
        });
        let classes = classes.collect();
        let class = |(typed, tree)| {
            (typed, quotient.class(tree).expect("the set has every game that was given"))
        };
        let games = games.into_iter().map(class).collect();
        output::answer(&self.format, &Found { play: "misere", generators, classes, games })
    }

    /// The quotient of these trees, while a person can see how far it is and stop it.
    fn found(&self, forest: &Arc<Forest>, set: Vec<Tree>) -> anyhow::Result<Quotient> {
        let nim = self.nim.map(|size| format!("Nim with heaps up to {size}"));
        let games = self.games.iter().map(|game| game.to_string_lossy().into_owned());
        let games: Vec<String> = nim.into_iter().chain(games).collect();
        let about = format!("misère quotient of {}", games.join(", "));
        let watching = Watching::new("sums played out");
        let seen = Seen { sums: watching.done(), ..Seen::default() };
        let (forest, most, counted) = (forest.clone(), self.max_classes, seen.clone());
        let work = move || Quotient::counted(&forest, set, most, &counted);
        let known = || {
            let classes = seen.classes.load(Relaxed);
            format!("they tell {classes} classes apart, and there may be more")
        };
        Ok(watching.over(&about, work, known)??)
    }
}

/// The tree that a text means, and all trees in the text.
fn written(forest: &mut Forest, typed: &str) -> anyhow::Result<Vec<Tree>> {
    let read: Expression =
        typed.parse().map_err(|error| Usage(format!("tree {}: {error}", quote(typed))))?;
    Ok(read.parts(forest, &mut Sums::default(), 1e6)?)
}

/// The tree of a position, and the trees of all positions that it leads to.
fn visited(forest: &mut Forest, position: &Position, typed: &str) -> anyhow::Result<Vec<Tree>> {
    let position = CanonicalPosition::of(position);
    let mut base = Base::default();
    let watch = |news: &News<'_>| match news.progress().met <= LANDS {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    if base.build(&position, NonZero::<usize>::MIN, watch).is_err() {
        bail!(
            "position `{typed}` leads to more than {LANDS} lands, no small set; ask for a smaller one"
        );
    }
    let census = Census::of(&position).with_context(|| format!("position `{typed}`"))?;
    let mut trees: Vec<Tree> =
        census.members().map(|member| copy(census.forest(), member.tree, forest)).collect();
    // The position itself comes last, as no other position has as many lives.
    trees.reverse();
    Ok(trees)
}
