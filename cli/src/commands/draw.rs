//! `sprig draw`: pictures.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use clap::{Args, ValueEnum};
use sprig_engine::CanonicalPosition;
use sprig_sketch::{Look, Picture, Sheet, Theme};

use crate::diagrams::{game_tree, reduced_tree};
use crate::draft;
use crate::image::{self, Terminal};
use crate::output;
use crate::positions;

const EXAMPLES: &str = "\
Examples:
  sprig draw '0*3.AB|0.2.AC|BC.1' -o a.svg    an SVG file
  sprig draw '0*3.AB|0.2.AC|BC.1' -o a.png    pixels
  sprig draw '0*3'                            in a terminal that shows images (kitty, iTerm2)
  sprig draw '0*4' --children -o moves.svg    every different move, on one sheet
  sprig draw '0*2' '0.AB|AB' '2AB|AB' -o game.svg --theme dark
                                              several positions on one sheet
  sprig draw --game game.txt -o game.svg      a game: a file with one position a line
  sprig draw 2 --tree -o tree.svg             the game tree, each position once
  sprig draw '0*4' --rct -o rct.svg           what it is worth in misere play
  sprig draw '0*2' -o - | less                SVG to standard output";

/// Draw positions: pictures that, read as a person reads them, are the position
///
/// The picture shows the canonical form, not the drawing that led to it: positions that are the
/// same game have the same picture. Every picture is read back from its geometry, by exact rules,
/// before it is shown.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Draw {
    /// The position, in GLOP style (`0*2.AB|AB`) or AJS style; several make a sheet
    #[arg(value_name = "POS", required_unless_present = "game")]
    positions: Vec<OsString>,
    /// Draw the positions of a file, one a line (`-`: standard input), on one sheet
    #[arg(long, value_name = "FILE", conflicts_with = "positions")]
    game: Option<PathBuf>,
    /// Draw the canonical children of the position on one sheet
    #[arg(long, conflicts_with = "game")]
    children: bool,
    /// Draw the game tree of the position: each canonical position once, above its children
    #[arg(long, conflicts_with_all = ["game", "children"])]
    tree: bool,
    /// Draw the reduced canonical tree of the position, what it is worth in misere play
    #[arg(long, conflicts_with_all = ["game", "children", "tree"])]
    rct: bool,
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

/// Where a picture goes.
enum Target<'a> {
    Svg(&'a Path),
    Png(&'a Path),
    Output,
    Terminal(Terminal),
}

impl Draw {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let target = self.target()?;
        let svg = self.svg()?;
        match target {
            Target::Output => output::print(svg)?,
            Target::Svg(path) => draft::write(path, svg.as_bytes())?,
            Target::Png(path) => draft::write(path, &image::png(&svg, self.width)?)?,
            Target::Terminal(terminal) => {
                output::print(terminal.show(&image::png(&svg, self.width)?))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Where the picture goes; a mistake there is found before anything is drawn.
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
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => Ok(Target::Svg(path)),
            Some("png") => {
                ensure!(
                    cfg!(feature = "png"),
                    "this build of sprig writes no PNG; use -o FILE.svg"
                );
                Ok(Target::Png(path))
            }
            _ => bail!(
                "cannot tell the format of {} from its name; end it in .svg or .png",
                path.display()
            ),
        }
    }

    fn svg(&self) -> anyhow::Result<String> {
        let theme = match self.theme {
            Colours::Light => Theme::Light,
            Colours::Dark => Theme::Dark,
            Colours::Print => Theme::Print,
        };
        let look = Look { theme, labels: self.labels == Switch::On };
        let positions = match &self.game {
            Some(file) => positions::listed(file)?,
            None => {
                let read = self.positions.iter().map(|text| Ok(positions::read_typed(text)?.1));
                read.collect::<anyhow::Result<_>>()?
            }
        };
        let positions: Vec<_> = positions.iter().map(CanonicalPosition::of).collect();
        if self.tree || self.rct {
            let option = if self.tree { "--tree" } else { "--rct" };
            let position = only(&positions, option)?;
            let draw = if self.tree { game_tree } else { reduced_tree };
            return Ok(draw(position, self.most as usize)?.svg(&look));
        }
        if let [position] = &positions[..]
            && !self.children
        {
            return Ok(picture(position)?.svg(&look));
        }
        let (title, shown) = if self.children {
            children(&positions)?
        } else {
            ensure!(!positions.is_empty(), "there is no position to draw; write one a line");
            (format!("{} Sprouts positions", positions.len()), positions)
        };
        let (all, most) = (shown.len(), self.most as usize);
        if all > most {
            eprintln!("sprig: the sheet shows {most} of {all} positions; --most {all} shows all");
        }
        let entries = shown.into_iter().take(most).enumerate().map(|(i, position)| {
            let text = position.to_string();
            let caption = if self.children { text } else { format!("{}: {text}", i + 1) };
            Ok((picture(&position)?, caption))
        });
        let entries = entries.collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Sheet { title, entries, columns: usize::from(self.columns) }.svg(&look))
    }
}

/// The one position that an option is about.
fn only<'a>(
    positions: &'a [CanonicalPosition],
    option: &str,
) -> anyhow::Result<&'a CanonicalPosition> {
    let [position] = positions else {
        bail!("{option} takes one position, not {}", positions.len());
    };
    Ok(position)
}

/// A title, and the canonical children of the one position, sorted as text.
fn children(positions: &[CanonicalPosition]) -> anyhow::Result<(String, Vec<CanonicalPosition>)> {
    let parent = only(positions, "--children")?;
    let children = parent.children().context("cannot list the children")?;
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
