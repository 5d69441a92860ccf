//! Writes files.

use std::io::{self, Write};

use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};

use crate::json::{Loss, NimberOf, Object, RctOf, Tree};
use crate::variants::{land_texts, position_texts};
use crate::{Dialect, Kind, Name};

/// What a file looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Text for GLOP or SPOTS.
    Program {
        /// Which of them.
        dialect: Dialect,
        /// The most texts under which a land is written.
        variants: usize,
    },
    /// JSON Lines.
    JsonLines,
    /// Comma-separated values.
    Csv,
}

/// Writes facts to a file, section by section.
pub struct Writer<W> {
    out: W,
    format: Format,
    lines: u64,
    /// Whether the facts that come are merely claimed.
    claimed: bool,
    left_out: u64,
}

impl<W: Write> Writer<W> {
    /// Writes to `out`, which should be buffered.
    pub fn new(out: W, format: Format) -> Self {
        Self { out, format, lines: 0, claimed: false, left_out: 0 }
    }

    /// Lines written, without headers.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Facts about other surfaces than the sphere that were left out: the texts of GLOP and SPOTS have no sign for
    /// them, and would say something else.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Whether the facts that come next are merely claimed. Only JSON Lines can say so: they must
    /// not be written to other files.
    ///
    /// # Panics
    /// When they are to be written to a file that cannot say so.
    pub fn mark(&mut self, claimed: bool) {
        assert!(!claimed || self.format == Format::JsonLines, "only JSON Lines marks claims");
        self.claimed = claimed;
    }

    /// Begins a section of facts of this kind.
    ///
    /// # Errors
    /// What the system says.
    pub fn section(&mut self, kind: Kind) -> io::Result<()> {
        match self.format {
            Format::Program { .. } => writeln!(self.out, "{}", kind.header()),
            Format::JsonLines => Ok(()),
            Format::Csv => writeln!(self.out, "{}", kind.columns()),
        }
    }

    /// Writes the nimber of a land.
    ///
    /// # Errors
    /// What the system says.
    pub fn nimber(&mut self, land: &CanonicalLand, nimber: Nimber) -> io::Result<()> {
        match self.format {
            Format::JsonLines => self.json(Object::Nimber(NimberOf {
                land: land.to_string(),
                nimber: nimber.get().into(),
                claimed: self.claimed,
            })),
            _ => self.about_land(land, &nimber.to_string()),
        }
    }

    /// Writes the RCT of a land.
    ///
    /// # Errors
    /// What the system says.
    pub fn rct(&mut self, land: &CanonicalLand, rct: Name) -> io::Result<()> {
        match self.format {
            Format::JsonLines => {
                let (land, rct, claimed) = (land.to_string(), rct.to_string(), self.claimed);
                self.json(Object::Rct(RctOf { land, rct, claimed }))
            }
            _ => self.about_land(land, &rct.to_string()),
        }
    }

    /// Writes an RCT and its options, sorted.
    ///
    /// # Errors
    /// What the system says.
    pub fn tree(&mut self, rct: Name, options: &[Name]) -> io::Result<()> {
        match self.format {
            Format::Program { .. } => self.line(&[&rct.to_string(), " ", &list(options)]),
            Format::Csv => self.line(&[&rct.to_string(), ",", &list(options)]),
            Format::JsonLines => {
                let options = options.iter().map(Name::to_string).collect();
                let (rct, claimed) = (rct.to_string(), self.claimed);
                self.json(Object::Tree(Tree { rct, options, claimed }))
            }
        }
    }

    /// Writes a sum of lands that is lost in misère play.
    ///
    /// # Errors
    /// What the system says.
    pub fn loss(&mut self, position: &CanonicalPosition) -> io::Result<()> {
        match self.format {
            Format::Program { dialect, variants } => {
                let texts =
                    self.spelled(position.lands(), || position_texts(position, dialect, variants));
                texts.iter().try_for_each(|text| self.line(&[text]))
            }
            _ => self.node(position, false, &[]),
        }
    }

    /// Writes a sum of lands, perhaps a heap of 1, and RCTs that is lost in misère play.
    ///
    /// # Errors
    /// What the system says.
    pub fn node(
        &mut self,
        position: &CanonicalPosition,
        one: bool,
        rcts: &[Name],
    ) -> io::Result<()> {
        let bit = if one { "1" } else { "0" };
        match self.format {
            Format::Program { dialect, variants } => {
                let rcts = list(rcts);
                let blank = if rcts.is_empty() { "" } else { " " };
                let texts =
                    self.spelled(position.lands(), || position_texts(position, dialect, variants));
                texts.iter().try_for_each(|text| self.line(&[text, " ", bit, blank, &rcts]))
            }
            Format::Csv => self.line(&[&position.to_string(), ",", bit, ",", &list(rcts)]),
            Format::JsonLines => {
                let rcts = rcts.iter().map(Name::to_string).collect();
                let (loss, claimed) = (position.to_string(), self.claimed);
                self.json(Object::Loss(Loss { loss, one, rcts, claimed }))
            }
        }
    }

    /// Writes a land, under all texts by which it may be looked up, and a value.
    fn about_land(&mut self, land: &CanonicalLand, value: &str) -> io::Result<()> {
        match self.format {
            Format::Program { dialect, variants } => {
                let texts = self
                    .spelled(std::slice::from_ref(land), || land_texts(land, dialect, variants));
                texts.iter().try_for_each(|text| self.line(&[text, " ", value]))
            }
            _ => self.line(&[&land.to_string(), ",", value]),
        }
    }

    /// The texts of some lands for programs; none where these cannot say what it is.
    fn spelled(&mut self, lands: &[CanonicalLand], texts: impl Fn() -> Vec<String>) -> Vec<String> {
        if lands.iter().all(CanonicalLand::is_spherical) {
            return texts();
        }
        self.left_out += 1;
        Vec::new()
    }

    fn line(&mut self, parts: &[&str]) -> io::Result<()> {
        self.lines += 1;
        parts.iter().try_for_each(|part| self.out.write_all(part.as_bytes()))?;
        self.out.write_all(b"\n")
    }

    fn json(&mut self, object: Object) -> io::Result<()> {
        let line = serde_json::to_string(&object)?;
        self.line(&[&line])
    }

    /// Sends off what is buffered.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn list(names: &[Name]) -> String {
    names.iter().map(Name::to_string).collect::<Vec<_>>().join(" ")
}
