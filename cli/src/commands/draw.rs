//! `sprig draw`: pictures.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use clap::{Args, ValueEnum};
use sprig_domain::Game;
use sprig_engine::CanonicalPosition;
use sprig_sketch::{Look, Picture, Sheet, Theme};

use crate::diagrams::{Subject, canonical_tree, game_tree, reduced_tree};
use crate::drawings;
use crate::failure::{Usage, quote};
use crate::image::{self, Terminal};
use crate::output;
use crate::positions;
use crate::variant::Variant;

const EXAMPLES: &str = "\
Examples:
  sprig draw '0*3.AB|0.2.AC|BC.1' -o a.svg    an SVG file
  sprig draw '0*3.AB|0.2.AC|BC.1' -o a.png    pixels
  sprig draw '0*3'                            in a terminal that shows images (kitty, iTerm2)
  sprig draw '0*4' --children -o moves.svg    every different move, on one sheet
  sprig draw '0*2' '0.AB|AB' '2AB|AB' -o game.svg --theme dark
                                              several positions on one sheet
  sprig draw --game game.txt -o game.svg      a game: a file with one position a line
  sprig draw '0*2' --tree -o tree.svg         the game tree, each position once
  sprig draw 3 --children --variant black-and-white -o bw.svg
                                              every move where the new spot may be left out
  sprig draw '0*4' --rct -o rct.svg           what it is worth in misère play
  sprig draw '0.AB|AB' --canonical -o c.svg   its game tree without duplicates
  sprig draw '{0;2;{3}}' --rct -o t.svg       a tree that is written as sets
  sprig draw --hoey-full '5,1,3,2,4/5,4,1/6,2,3/6,3,1,4,2' -o end.svg
                                              a whole drawing, with numbers and dead spots
  sprig draw --hoey-full '1;2' '1,3,2,3' '1,3,2,4/4,2,3,1' -o game.svg
                                              a game by its lists: what is there stays in its place
  sprig draw '0*2' -o - | less                SVG to standard output";

/// Draw positions: pictures that, read as a person reads them, are the position
///
/// The picture shows the canonical form, not the drawing that led to it: positions that are the
/// same game have the same picture. --hoey-full shows a drawing as it is, with its dead spots. Every
/// picture is read back from its geometry, by exact rules, before it is shown.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Draw {
    /// The position, in GLOP style (`0*2.AB|AB`) or AJS style; several make a sheet. With --rct and --canonical also a tree
    #[arg(value_name = "POS", required_unless_present = "game")]
    positions: Vec<OsString>,
    /// Draw the positions of a file, one a line (`-`: standard input), on one sheet
    #[arg(long, value_name = "FILE", conflicts_with = "positions")]
    game: Option<PathBuf>,
    /// Draw full boundary lists as they are: every spot by its number, dead ones as squares. At the end of a game
    /// survivors, their dead neighbours and pharisees are told apart. What follows by moves stays in its place
    #[arg(long, conflicts_with_all = ["children", "tree", "rct", "canonical"])]
    hoey_full: bool,
    /// Draw the canonical children of the position on one sheet
    #[arg(long, conflicts_with = "game")]
    children: bool,
    /// Draw the game tree of the position: each canonical position once, above its children; what has
    /// no picture in the plane stands there as text
    #[arg(long, conflicts_with_all = ["game", "children"])]
    tree: bool,
    /// Draw the reduced canonical tree of the position, what it is worth in misère play
    #[arg(long, conflicts_with_all = ["game", "children", "tree"])]
    rct: bool,
    /// Draw the canonical tree: the game tree without duplicates, as nested sets
    #[arg(long, conflicts_with_all = ["game", "children", "tree", "rct"])]
    canonical: bool,
    #[command(flatten)]
    variant: Variant,
    /// Where the picture goes: FILE.svg, FILE.png, or `-` for SVG to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Its colours
    #[arg(long, value_name = "THEME", default_value = "light")]
    theme: Colours,
    /// Whether spots bear their names; if not, they show their lives as dots
    #[arg(long, value_name = "WHETHER", default_value = "on")]
    labels: Switch,
    /// How many pictures of a sheet stand beside each other
    #[arg(long, value_name = "COUNT", default_value = "6", value_parser = clap::value_parser!(u16).range(1..=100))]
    columns: u16,
    /// How many pictures a sheet holds at most, and how many cards a tree
    #[arg(long, value_name = "COUNT", default_value = "120", value_parser = clap::value_parser!(u32).range(1..=2000))]
    most: u32,
    /// Width of a PNG in pixels; without it, twice the picture's own
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(16..=10_000))]
    width: Option<u32>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Colours {
    /// For light pages
    Light,
    /// For dark pages
    Dark,
    /// For paper, without colours
    Print,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

/// The place for a picture.
enum Target<'a> {
    File(image::File<'a>),
    Output,
    Terminal(Terminal),
}

impl Draw {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let target = self.target()?;
        let svg = self.svg()?;
        match target {
            Target::Output => output::print(svg)?,
            Target::File(file) => file.write(&svg, self.width)?,
            Target::Terminal(terminal) => {
                output::print(terminal.show(&image::png(&svg, self.width)?))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The place for the picture. A wrong one is found before anything is drawn.
    fn target(&self) -> anyhow::Result<Target<'_>> {
        let Some(path) = &self.output else {
            if !std::io::stdout().is_terminal() {
                return Ok(Target::Output);
            }
            let terminal = Terminal::of(|name| std::env::var(name).ok());
            let terminal = terminal.context(
                "this terminal is not known to show images; write the picture to a file with -o FILE.svg",
            )?;
            return Ok(Target::Terminal(terminal));
        };
        if path == Path::new("-") {
            return Ok(Target::Output);
        }
        image::File::of(path).map(Target::File)
    }

    /// The position or the expression whose tree is to be drawn.
    fn subject(&self) -> anyhow::Result<Subject> {
        let option = if self.rct { "--rct" } else { "--canonical" };
        let typed = only(&self.positions, option)?;
        let text = typed.to_string_lossy().trim().to_owned();
        if !text.contains('{') {
            let (_, position) = positions::read_typed(typed)?;
            let position = CanonicalPosition::of(&position);
            self.variant.check(&position)?;
            return Ok(Subject::Position(position));
        }
        let read =
            text.parse().map_err(|error| Usage(format!("tree {}: {error}", quote(&text))))?;
        Ok(Subject::Written(text, read))
    }

    fn svg(&self) -> anyhow::Result<String> {
        let theme = match self.theme {
            Colours::Light => Theme::Light,
            Colours::Dark => Theme::Dark,
            Colours::Print => Theme::Print,
        };
        let look = Look { theme, labels: self.labels == Switch::On };
        let (game, most) = (self.variant.game(), self.most as usize);
        if game != Game::Sprouts && !(self.children || self.tree || self.rct) {
            return Err(Usage(format!(
                "a picture is the same in every game: --variant {game} goes with --children, --tree or --rct"
            ))
            .into());
        }
        if self.hoey_full {
            return self.drawings(&look);
        }
        if self.rct {
            return Ok(reduced_tree(game, &self.subject()?, most)?.svg(&look));
        }
        if self.canonical {
            return Ok(canonical_tree(&self.subject()?, most)?.svg(&look));
        }
        let positions = match &self.game {
            Some(file) => positions::listed(file)?,
            None => {
                let read = self.positions.iter().map(|text| Ok(positions::read_typed(text)?.1));
                read.collect::<anyhow::Result<_>>()?
            }
        };
        let positions: Vec<_> = positions.iter().map(CanonicalPosition::of).collect();
        positions.iter().try_for_each(|position| self.variant.check(position))?;
        if self.tree {
            return Ok(game_tree(game, only(&positions, "--tree")?, most)?.svg(&look));
        }
        if !self.children {
            self.say_blank(&positions);
        }
        if let [position] = &positions[..]
            && !self.children
        {
            return Ok(picture(position)?.svg(&look));
        }
        let (title, shown) = if self.children {
            children(game, &positions)?
        } else {
            ensure!(!positions.is_empty(), NO_POSITION);
            (format!("{} Sprouts positions", positions.len()), positions)
        };
        self.say_rest(shown.len());
        let (shown, undrawn): (Vec<_>, Vec<_>) = match self.children {
            // A move over a handle leads to a position without a picture. The other positions are
            // drawn.
            true => shown.into_iter().partition(Picture::is_defined),
            false => (shown, Vec::new()),
        };
        if !undrawn.is_empty() {
            let [have, are] = if undrawn.len() == 1 { ["has", "is"] } else { ["have", "are"] };
            let undrawn: Vec<String> = undrawn.iter().map(ToString::to_string).collect();
            let undrawn = undrawn.join(", ");
            remark!("sprig: {undrawn} {have} no picture in the plane, and {are} left out");
        }
        let entries = shown.into_iter().take(most).enumerate().map(|(i, position)| {
            let text = position.to_string();
            let caption = if self.children { text } else { format!("{}: {text}", i + 1) };
            Ok((picture(&position)?, caption))
        });
        let entries = entries.collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Sheet { title, entries, columns: usize::from(self.columns) }.svg(&look))
    }

    /// Full lists, as they are.
    fn drawings(&self, look: &Look) -> anyhow::Result<String> {
        let mut tables = match &self.game {
            Some(file) => positions::listed_full(file)?,
            None => {
                self.positions.iter().map(positions::read_full).collect::<anyhow::Result<_>>()?
            }
        };
        ensure!(!tables.is_empty(), NO_POSITION);
        let all = tables.len();
        self.say_rest(all);
        tables.truncate(self.most as usize);
        let shown = drawings::of_tables(&tables)?;
        let shown = shown.into_iter().zip(&tables);
        let shown = shown.map(|(drawn, table)| drawings::ending(table, &drawn).unwrap_or(drawn));
        let shown: Vec<Picture> = shown.collect();
        if let [picture] = &shown[..] {
            return Ok(picture.svg(look));
        }
        let captions = (1..).zip(&tables).map(|(number, table)| format!("{number}: {table}"));
        let entries = shown.into_iter().zip(captions).collect();
        let title = format!("{all} drawings of Sprouts");
        Ok(Sheet { title, entries, columns: usize::from(self.columns) }.svg(look))
    }

    /// Says how many positions a sheet leaves out, if it does.
    fn say_rest(&self, all: usize) {
        let most = self.most as usize;
        if all > most {
            remark!("sprig: the sheet shows {most} of {all} positions; --most {all} shows all");
        }
    }

    /// Says where no move is left, as there is nothing to see then.
    fn say_blank(&self, positions: &[CanonicalPosition]) {
        let all = positions.len();
        let blank = positions.iter().filter(|position| position.lands().is_empty()).count();
        let what = match (blank, &self.positions[..]) {
            (0, _) => return,
            (_, [typed]) => {
                format!("in {}, so the picture is blank", quote(&typed.to_string_lossy()))
            }
            (1, _) => format!("in 1 of {all} positions, so its picture is blank"),
            _ => format!("in {blank} of {all} positions, so their pictures are blank"),
        };
        let is_list = |typed: &OsString| sprig_hoey::is_list(&typed.to_string_lossy());
        let remedy = match self.positions.iter().any(is_list) {
            true => "; --hoey-full draws a list with its dead spots",
            false => "",
        };
        remark!("sprig: no move is left {what}{remedy}");
    }
}

/// What is wrong with a file without a position.
const NO_POSITION: &str = "there is no position to draw; write one a line";

/// The only position, for an option that takes one.
fn only<'a, T>(positions: &'a [T], option: &str) -> anyhow::Result<&'a T> {
    let [position] = positions else {
        bail!("{option} takes one position, not {}", positions.len());
    };
    Ok(position)
}

/// A title, and the canonical children of the only position, sorted as text.
fn children(
    game: Game,
    positions: &[CanonicalPosition],
) -> anyhow::Result<(String, Vec<CanonicalPosition>)> {
    let parent = only(positions, "--children")?;
    let children = game.children(parent).context("cannot list the children")?;
    ensure!(!children.is_empty(), "`{parent}` has no children: no move is left");
    let mut children: Vec<_> =
        children.into_iter().map(|child| (child.to_string(), child)).collect();
    children.sort();
    let title = format!("Children of the Sprouts position {parent}");
    Ok((title, children.into_iter().map(|(_, child)| child).collect()))
}

fn picture(position: &CanonicalPosition) -> anyhow::Result<Picture> {
    Picture::of(position).with_context(|| format!("cannot draw `{position}`"))
}
