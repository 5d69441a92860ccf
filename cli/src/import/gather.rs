//! Reads files of facts.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use flate2::bufread::MultiGzDecoder;
use sprig_audit::Nimbers;
use sprig_engine::{
    CanonicalLand, CanonicalPosition, Canonizer, Effort, Generator, Nimber, Position,
};
use sprig_foreign::{Reader, Record};

use super::progress::Reading;
use super::{Plan, certificates, losses, rcts};

/// What the files claim.
pub struct Gathered {
    /// Lines read, without headers and empty lines.
    pub lines: u64,
    /// Claims about nimbers of lands.
    pub nimbers: Nimbers,
    /// Claims about trees, and about trees of lands.
    pub rcts: rcts::Claims,
    /// Claims about lost nodes.
    pub losses: losses::Claims,
    canon: Canon,
}

/// The place of a line: the number of its file, and its own number.
pub struct Place {
    pub file: usize,
    pub line: u64,
}

const LINE_BITS: u32 = 48;

impl Place {
    /// The place as one number. Numbers have the order of the places.
    pub fn number(&self) -> u64 {
        (self.file as u64) << LINE_BITS | self.line
    }

    pub fn of(number: u64) -> Self {
        Self { file: (number >> LINE_BITS) as usize, line: number & ((1 << LINE_BITS) - 1) }
    }
}

/// Reads all files of a plan.
///
/// # Errors
/// When one cannot be read, or a line is no claim.
pub fn gather(plan: &Plan) -> anyhow::Result<Gathered> {
    let mut gathered = Gathered {
        lines: 0,
        nimbers: Nimbers::new(plan.memory),
        rcts: rcts::Claims::default(),
        losses: losses::Claims::default(),
        canon: Canon::default(),
    };
    for (file, path) in plan.files.iter().enumerate() {
        let name = &plan.names[file];
        let (mut source, length) = open(path)?;
        let start = source.fill_buf().with_context(|| format!("cannot read {name}"))?;
        if sprig_certificate::is_certificate(start) {
            certificates::take(plan, file, source, &mut gathered)?;
            continue;
        }
        let mut reader = Reader::new(source);
        let progress = Reading::start(name, length);
        while let Some(record) = reader.next() {
            let (line, record) =
                record.map_err(|error| anyhow::Error::from(error).context(name.clone()))?;
            gathered.take(plan, &Place { file, line }, record)?;
            gathered.lines += 1;
            plan.go_on()?;
            progress.show(reader.bytes(), gathered.lines);
        }
    }
    Ok(gathered)
}

/// The name of a file in messages.
pub fn name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".into() } else { path.display().to_string() }
}

/// What files begin with that gzip has packed.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Opens a file, packed by gzip or not, and gives its text and the length of that if it is known.
fn open(path: &Path) -> anyhow::Result<(Box<dyn BufRead>, Option<u64>)> {
    let (mut source, length): (Box<dyn BufRead>, _) = if path == Path::new("-") {
        (Box::new(io::stdin().lock()), None)
    } else {
        let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        let length = file.metadata().ok().filter(|data| data.is_file()).map(|data| data.len());
        (Box::new(BufReader::with_capacity(1 << 20, file)), length)
    };
    let start = source.fill_buf().with_context(|| format!("cannot read {}", name(path)))?;
    if start.starts_with(&GZIP) {
        let text = BufReader::with_capacity(1 << 20, MultiGzDecoder::new(source));
        return Ok((Box::new(text), None));
    }
    Ok((source, length))
}

impl Gathered {
    /// Takes in what a line says.
    ///
    /// # Errors
    /// When it says something of a nimber that no line can say.
    pub fn take(&mut self, plan: &Plan, place: &Place, record: Record) -> anyhow::Result<()> {
        match record {
            Record::Nimber { position, nimber } => {
                let land = self.canon.land(&position, nimber);
                let land = land.with_context(|| plan.place(place.number()))?;
                land.map_or(Ok(()), |land| Ok(self.nimbers.add(&land, nimber, place.number())?))
            }
            Record::Tree { rct, options } => {
                let taken = self.rcts.tree(place, rct, options);
                taken.map_err(|error| rcts::wrong_tree(plan, error))
            }
            Record::Rct { position, rct } => {
                self.rcts.land(place, CanonicalPosition::of(&position), rct);
                Ok(())
            }
            Record::Loss { position, one, rcts } => {
                self.losses.take(place, CanonicalPosition::of(&position), one, rcts);
                Ok(())
            }
        }
    }
}

/// Finds the canonical lands of positions, and keeps its scratch memory between them.
struct Canon {
    generator: Generator,
    canonizer: Canonizer,
}

impl Default for Canon {
    fn default() -> Self {
        Self { generator: Generator::default(), canonizer: Canonizer::new(Effort::Exact) }
    }
}

impl Canon {
    /// The land that a line is about. None if the line is about the empty position.
    fn land(
        &mut self,
        position: &Position,
        nimber: Nimber,
    ) -> anyhow::Result<Option<CanonicalLand>> {
        let mut keys = Vec::new();
        for land in &position.0 {
            let lands = self.generator.reduce(land).iter();
            keys.extend(lands.map(|land| self.canonizer.key(land).to_vec()));
        }
        match keys.len() {
            0 => ensure!(
                nimber == Nimber::ZERO,
                "`{position}` has no moves left, so its nimber is 0, not {nimber}"
            ),
            1 => {}
            lands => bail!("`{position}` is a sum of {lands} lands; take a line for each"),
        }
        Ok(keys.pop().map(|key| CanonicalLand::from_reduced(&key)))
    }
}
