//! `sprig export`: writes facts to files.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::ensure;
use clap::{Args, ValueEnum};
use serde::Serialize;
use sprig_ask::{plural, with_verb};
use sprig_domain::Game;
use sprig_foreign::{Dialect, Format as FileFormat, Kind};
use sprig_store::{Kind as StoreKind, Status};

use crate::database;
use crate::draft::Draft;
use crate::export::{Exporter, unwritten};
use crate::output::{self, Answer};

const EXAMPLES: &str = "\
Examples:
  sprig export --db facts                every fact, as JSON Lines on standard output
  sprig export --db facts --format glop --kind nimbers -o nimbers.txt
                                         a database for GLOP
  sprig export --db facts --format csv --kind nimbers | cut -d, -f2 | sort | uniq -c";

/// Write the facts of a database to a file: JSON Lines, CSV, or text for GLOP and SPOTS
///
/// Sorted: two databases with the same facts give the same bytes. What is merely claimed is left out, unless you ask for --claims.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Export {
    /// Folder of a database
    #[arg(long, value_name = "DIR")]
    db: PathBuf,
    /// What the file looks like
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    format: FormatName,
    /// Which facts [default: all in JSON Lines, which alone can hold several kinds; else nimbers]
    #[arg(long, value_name = "KIND")]
    kind: Option<KindName>,
    /// Also write what is merely claimed, marked `"claimed":true`; needs JSON Lines
    #[arg(long)]
    claims: bool,
    /// For GLOP and SPOTS, which look lands up by exact text: write each under at most N texts
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..))]
    variants: u8,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Say what was written as exactly one JSON object
    #[arg(long, requires = "output")]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatName {
    /// Text database of GLOP
    Glop,
    /// Text database of SPOTS
    Spots,
    /// JSON Lines: an object a line
    Jsonl,
    /// Comma-separated values
    Csv,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KindName {
    /// Nimbers of lands
    Nimbers,
    /// Options of reduced canonical trees
    Trees,
    /// Trees of lands
    Rcts,
    /// Losing sums of lands, 1 and trees in misère play
    Losses,
    /// Those of them that are sums of lands alone
    PlainLosses,
}

impl KindName {
    fn kind(self) -> Kind {
        match self {
            Self::Nimbers => Kind::Nimbers,
            Self::Trees => Kind::Trees,
            Self::Rcts => Kind::Rcts,
            Self::Losses => Kind::Nodes,
            Self::PlainLosses => Kind::Losses,
        }
    }
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Written {
    file: String,
    /// Lines that were written.
    lines: u64,
}

impl Answer for Written {
    fn line(&self) -> String {
        format!("{} written to {}", plural(self.lines, "line"), self.file)
    }
}

impl Export {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let kinds = self.kinds();
        ensure!(
            !self.claims || self.format == FormatName::Jsonl,
            "a file of this format cannot say which facts are claims; leave out --claims, or write --format jsonl"
        );
        let store = database::read(&self.db)?;
        let mut out = Output::open(self.output.as_deref())?;
        let buffered = BufWriter::with_capacity(1 << 16, &mut out);
        let mut exporter =
            Exporter::new(&store, buffered, self.file_format(), &kinds, self.claims)?;
        kinds.iter().try_for_each(|&kind| exporter.kind(kind))?;
        if exporter.left_out > 0 {
            remark!(
                "sprig: {} left out, as merely claimed; `sprig audit --db {}` checks what is claimed, --claims writes it all the same",
                with_verb(exporter.left_out, "fact", ["was", "were"]),
                self.db.display()
            );
        }
        if exporter.malformed > 0 {
            remark!(
                "sprig: {} about bytes that are no land, tree or node, and left out",
                with_verb(exporter.malformed, "claim", ["is", "are"])
            );
        }
        let written = store.game();
        let others = Game::ALL.into_iter().filter(|&game| game != written);
        for game in others {
            let (store, mut count) = (store.of(game), 0);
            // A tree is of no game, and was written with those of any.
            let kinds = StoreKind::ALL.into_iter().filter(|&kind| kind != StoreKind::Tree);
            for stored in kinds.flat_map(|kind| store.facts(kind)) {
                count += u64::from(self.claims || stored?.fact.status == Status::Verified);
            }
            if count > 0 {
                remark!(
                    "sprig: {} of the game {}, and left out: files hold those of {}",
                    with_verb(count, "fact", ["is", "are"]),
                    game.name(),
                    written.name()
                );
            }
        }
        if exporter.elsewhere() > 0 {
            remark!(
                "sprig: {} about other surfaces than the sphere, for which this format has no sign, and left out",
                with_verb(exporter.elsewhere(), "fact", ["is", "are"])
            );
        }
        let lines = exporter.finish()?;
        out.keep().map_err(unwritten)?;
        match &self.output {
            None => Ok(ExitCode::SUCCESS),
            Some(file) => {
                let written = Written { file: file.display().to_string(), lines };
                output::answer(&output::Format { json: self.json }, &written)
            }
        }
    }

    fn kinds(&self) -> Vec<Kind> {
        match (self.kind, self.format) {
            (Some(kind), _) => vec![kind.kind()],
            (None, FormatName::Jsonl) => {
                vec![Kind::Nimbers, Kind::Trees, Kind::Rcts, Kind::Nodes]
            }
            // Files of these formats hold facts of one kind, and so do most databases.
            (None, _) => {
                remark!("sprig: writing nimbers; --kind says which other facts");
                vec![Kind::Nimbers]
            }
        }
    }

    fn file_format(&self) -> FileFormat {
        let variants = self.variants.into();
        match self.format {
            FormatName::Glop => FileFormat::Program { dialect: Dialect::Glop, variants },
            FormatName::Spots => FileFormat::Program { dialect: Dialect::Spots, variants },
            FormatName::Jsonl => FileFormat::JsonLines,
            FormatName::Csv => FileFormat::Csv,
        }
    }
}

/// The output for the facts.
enum Output {
    Screen(io::StdoutLock<'static>),
    File(Draft),
}

impl Output {
    fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        Ok(match path {
            None => Self::Screen(io::stdout().lock()),
            Some(path) => Self::File(Draft::create(path)?),
        })
    }

    fn keep(self) -> io::Result<()> {
        match self {
            Self::Screen(_) => Ok(()),
            Self::File(draft) => draft.keep(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Screen(screen) => screen.write(bytes),
            Self::File(draft) => draft.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Screen(screen) => screen.flush(),
            Self::File(draft) => draft.flush(),
        }
    }
}
