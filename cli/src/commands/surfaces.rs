//! `sprig surfaces`: start positions on one surface after the other.

use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use sprig_domain::{Goal, Play, Question};
use sprig_engine::{CanonicalPosition, Position, Surface, limit};
use sprig_trees::{CanonicalBase, CanonicalTree};

use super::solve::Search;
use crate::failure::Interrupted;
use crate::output::{self, Answer, Format};
use crate::table::table;
use crate::watching::Watching;

const EXAMPLES: &str = "\
Examples:
  sprig surfaces 2                       to 3 handles and 4 cross-caps: nothing changes from 2 handles, 3 cross-caps on
  sprig surfaces 5 --handles 1 --cross-caps 2 --db facts
                                         the sphere, the torus, the projective plane and the Klein bottle
  sprig surfaces 4 --misere --json       for programs

One position alone: `sprig solve '0*12@1'` (the torus), `sprig solve '0*12@-1'` (the projective plane).";

/// Say who wins the game of N spots on each surface, and from how many handles or cross-caps on nothing changes
///
/// Surfaces are the sphere with handles (1 is the torus) and with cross-caps (1 is the projective plane, 2 the Klein bottle). Where
/// all lands of the games can be visited, their canonical trees are compared: equal letters are equal games, in every play and
/// every sum. Where there are too many, only outcomes and nimbers are.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Surfaces {
    /// Spots
    #[arg(value_name = "N", value_parser = clap::value_parser!(u8).range(1..=106))]
    spots: u8,
    /// Who cannot move wins. There are no nimbers then
    #[arg(long)]
    misere: bool,
    /// Most handles [default: 2N - 1 to three spots, 2 from four on]
    #[arg(long, value_name = "G", value_parser = clap::value_parser!(u16).range(..=1000))]
    handles: Option<u16>,
    /// Most cross-caps [default: 4N - 4 to three spots, 3 from four on; at least 1]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(..=1000))]
    cross_caps: Option<u16>,
    /// The same number for both
    #[arg(long, value_name = "G", conflicts_with_all = ["handles", "cross_caps"], value_parser = clap::value_parser!(u16).range(..=1000))]
    max_genus: Option<u16>,
    /// Lands that are visited at most to compare trees; 0 compares none
    #[arg(long, value_name = "LANDS", default_value = "20000")]
    trees: usize,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Found {
    /// Spots of the start position.
    spots: u8,
    play: &'static str,
    /// The surfaces that were looked at.
    surfaces: Vec<Row>,
    /// Those with handles.
    orientable: Series,
    /// Those with cross-caps.
    non_orientable: Option<Series>,
}

/// One surface.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Row {
    surface: String,
    /// Handles, or cross-caps below 0.
    genus: i16,
    position: String,
    outcome: String,
    nimber: Option<u8>,
    /// Equal letters are equal canonical trees; none where they were not found.
    tree: Option<String>,
}

/// Handles or cross-caps, one more each time.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Series {
    /// The number from which on nothing changes.
    from: Option<u16>,
    /// The number from which on two values take turns, if they are seen to do so twice.
    alternates_from: Option<u16>,
    /// The last one that was looked at.
    seen_to: u16,
    /// What was compared: `trees` or `values`.
    compared: &'static str,
    /// Whether it is proved that nothing changes behind the last one.
    proved: bool,
}

impl Series {
    /// The series of surfaces in the order of their genus. The first has `first` handles or
    /// cross-caps.
    fn of(rows: &[Row], first: u16, lives: u32) -> Option<Self> {
        let last = rows.last()?;
        let has_trees = rows.iter().all(|row| row.tree.is_some());
        let is_like = |one: &Row, other: &Row| match has_trees {
            true => one.tree == other.tree,
            false => one.outcome == other.outcome && one.nimber == other.nimber,
        };
        let alike = rows.iter().rev().take_while(|row| is_like(row, last)).count();
        let seen_to = last.genus.unsigned_abs();
        // The most handles or cross-caps that the reduction leaves of very many. A surface with no
        // more than these, or one more, keeps all of them.
        let most = |genus: i16| {
            let surface = Surface::new(genus.into()).expect("within the limit");
            limit(lives, surface).genus().unsigned_abs()
        };
        let enough = match last.genus {
            0.. => most(Surface::MAX),
            _ => most(-Surface::MAX).max(most(1 - Surface::MAX)),
        };
        let proved = has_trees && seen_to >= enough;
        let from = first + u16::try_from(rows.len() - alike).expect("few surfaces");
        // With cross-caps there is a bound for even numbers and another for odd ones.
        let is_bound = proved && (last.genus >= 0 || enough == 0);
        let from = (alike > 1 || is_bound).then_some(from);
        let compared = if has_trees { "trees" } else { "values" };
        let turns = rows.iter().rev().zip(rows.iter().rev().skip(2));
        let turns = turns.take_while(|(one, other)| is_like(one, other)).count();
        let alternates = from.is_none() && turns > 1;
        let behind = u16::try_from(rows.len() - turns).expect("few surfaces");
        let alternates_from = alternates.then(|| first + behind - 2);
        Some(Self { from, alternates_from, seen_to, compared, proved })
    }

    fn said(&self, what: &str) -> String {
        let Self { from, alternates_from, seen_to, compared, proved } = self;
        let seen = if *proved { "proved".to_owned() } else { format!("seen to {seen_to}") };
        let compared = match *compared {
            "trees" => "the canonical tree",
            _ => "the value",
        };
        if let Some(from) = alternates_from {
            return format!("{what}: {compared} is one of two in turn from {from} on ({seen})\n");
        }
        match from {
            Some(from) => format!("{what}: {compared} is the same from {from} on ({seen})\n"),
            None => format!(
                "{what}: {compared} still changes from {} to {seen_to}\n",
                seen_to.saturating_sub(1)
            ),
        }
    }
}

impl Answer for Found {
    fn text(&self) -> String {
        let rows = self.surfaces.iter().map(|row| {
            let nimber = row.nimber.map_or_else(|| "-".to_owned(), |nimber| nimber.to_string());
            let tree = row.tree.clone().unwrap_or_else(|| "-".to_owned());
            [row.surface.clone(), row.position.clone(), row.outcome.clone(), nimber, tree]
        });
        let text = table(["SURFACE", "POSITION", "OUTCOME", "NIMBER", "TREE"], &[], rows);
        let series = self.non_orientable.as_ref();
        text + &self.orientable.said("handles")
            + &series.map_or_else(String::new, |series| series.said("cross-caps"))
    }

    fn line(&self) -> String {
        self.surfaces.iter().map(|row| row.outcome.as_str()).collect::<Vec<_>>().join(" ")
    }
}

impl Surfaces {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let spots = u16::from(self.spots);
        let few = |small: u16, large| if spots <= 3 { small } else { large };
        let handles = self.handles.or(self.max_genus).unwrap_or_else(|| few(2 * spots - 1, 2));
        let crosses = self.cross_caps.or(self.max_genus);
        let crosses = crosses.unwrap_or_else(|| few((4 * spots - 4).max(1), 3));
        let genera =
            (0..=i64::from(handles)).chain((1..=i64::from(crosses)).map(|crosses| -crosses));
        let starts: Vec<(Surface, Position)> = genera
            .map(|genus| {
                let surface = Surface::new(genus).context("too many handles or cross-caps")?;
                Ok((surface, Position::start_on(spots.into(), surface)))
            })
            .collect::<anyhow::Result<_>>()?;
        let play = if self.misere { Play::Misere } else { Play::Normal };
        let goals = (1..).zip(&starts).map(|(number, (_, start))| {
            let position = CanonicalPosition::of(start);
            let goal = if self.misere {
                Goal::misere(position)
            } else {
                Goal::normal(position, Question::Nimber)
            };
            (format!("{start}, {number} of {}", starts.len()), goal)
        });
        let watching = Watching::new("lands looked at");
        watching.listen()?;
        let mut rows: Vec<Row> = Vec::new();
        let found = self.search.each(goals, |solved| {
            let (surface, start) = &starts[rows.len()];
            let (outcome, nimber) = solved.value();
            rows.push(Row {
                surface: surface.name(),
                genus: surface.genus(),
                position: start.to_string(),
                outcome: outcome.map_or_else(String::new, |outcome| outcome.to_string()),
                nimber: nimber.filter(|_| !self.misere).map(|nimber| nimber.get()),
                tree: None,
            });
        });
        found.map_err(|error| with_those_before(error, &rows, starts.len()))?;
        let (about, most) = (format!("canonical trees of {spots} spots"), self.trees);
        let positions: Vec<(Surface, CanonicalPosition)> = starts
            .iter()
            .map(|(surface, start)| (*surface, CanonicalPosition::of(start)))
            .collect();
        let known = || said(&rows, starts.len());
        let base = CanonicalBase::default().counting(watching.done());
        let letters = move || Trees::of(base).letters(&positions, most);
        let letters = watching.over(&about, letters, known)?;
        let surfaces: Vec<Row> =
            rows.into_iter().zip(letters).map(|(row, tree)| Row { tree, ..row }).collect();
        let (orientable, others) = surfaces.split_at(usize::from(handles) + 1);
        let lives = 3 * u32::from(spots);
        let non_orientable = Series::of(others, 1, lives);
        let orientable = Series::of(orientable, 0, lives).expect("the sphere is there");
        let (spots, play) = (self.spots, play.name());
        let found = Found { spots, play, surfaces, orientable, non_orientable };
        output::answer(&self.format, &found)
    }
}

/// An interruption, with the values that were found before it.
fn with_those_before(error: anyhow::Error, rows: &[Row], all: usize) -> anyhow::Error {
    match error.downcast::<Interrupted>() {
        Ok(Interrupted { message, figures }) => {
            Interrupted { message: format!("{}; {message}", said(rows, all)), figures }.into()
        }
        Err(error) => error,
    }
}

/// The values that were found, for a person who does not wait for all of them.
fn said(rows: &[Row], all: usize) -> String {
    let value = |row: &Row| {
        let nimber = row.nimber.map_or_else(String::new, |nimber| format!(", nimber {nimber}"));
        format!("{} {}{nimber}", row.position, row.outcome)
    };
    let values: Vec<String> = rows.iter().map(value).collect();
    let these = if values.is_empty() { String::new() } else { format!(": {}", values.join("; ")) };
    format!("{} of {all} surfaces are solved{these}", rows.len())
}

/// Canonical trees of start positions. Each different tree has a letter.
struct Trees {
    base: CanonicalBase,
    met: Vec<CanonicalTree>,
    /// Whether the last tree was too large. Those of surfaces with more handles or cross-caps are
    /// then too large as well.
    is_too_large: bool,
}

impl Trees {
    fn of(base: CanonicalBase) -> Self {
        Self { base, met: Vec::new(), is_too_large: false }
    }

    /// The letters of positions on surfaces: first those with handles, then those with cross-caps.
    fn letters(
        mut self,
        starts: &[(Surface, CanonicalPosition)],
        most: usize,
    ) -> Vec<Option<String>> {
        let letters = starts.iter().map(|(surface, start)| {
            // The series with cross-caps begins with small trees again.
            self.is_too_large &= surface.genus() != -1;
            self.letter(start, most)
        });
        letters.collect()
    }

    /// The letter of a position's tree. None if the tree takes more lands than `most`.
    fn letter(&mut self, position: &CanonicalPosition, most: usize) -> Option<String> {
        let tree =
            if most > 0 && !self.is_too_large { self.base.tree(position, most) } else { None };
        self.is_too_large |= tree.is_none();
        let tree = tree?;
        let met = self.met.iter().position(|&met| met == tree).unwrap_or_else(|| {
            self.met.push(tree);
            self.met.len() - 1
        });
        let letter = char::from(b'a' + u8::try_from(met % 26).expect("below 26"));
        Some(if met < 26 { letter.to_string() } else { format!("{letter}{}", met / 26) })
    }
}
