//! Certificates as commands read and check them: in files, whose names stand in messages.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, anyhow};
use sprig_certificate::{Fact, Form, Header, Loss};
use sprig_verify::{Bases, Checked, Manner, Step, VerifyError};

/// A certificate in memory.
pub struct Certificate {
    /// The name of the file, for messages.
    name: String,
    read: sprig_verify::Certificate,
}

/// Runs the same work on all threads at once. The work divides itself among them.
pub fn on_all(threads: usize, work: &(dyn Fn() + Sync)) {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
}

impl Certificate {
    /// Reads a certificate and checks its checksum.
    ///
    /// # Errors
    /// When the file cannot be read, or is no certificate.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let source: Box<dyn Read> = if path == Path::new("-") {
            Box::new(std::io::stdin())
        } else {
            Box::new(File::open(path).with_context(|| format!("cannot open the file {name}"))?)
        };
        let read = sprig_verify::Certificate::read(source).map_err(|why| wrong(&name, &why))?;
        Ok(Self { name, read })
    }

    /// The header of the certificate.
    pub fn header(&self) -> &Header {
        &self.read.header
    }

    /// The facts of normal play.
    ///
    /// # Errors
    /// At the first line that is no fact.
    pub fn facts(&self) -> impl Iterator<Item = anyhow::Result<Fact>> + '_ {
        self.read.facts().map(|fact| fact.map_err(|why| wrong(&self.name, &why)))
    }

    /// The facts of misère play.
    ///
    /// # Errors
    /// At the first line that is no fact.
    pub fn losses(&self) -> impl Iterator<Item = anyhow::Result<Loss>> + '_ {
        self.read.losses().map(|loss| loss.map_err(|why| wrong(&self.name, &why)))
    }

    /// The certificate in another form. Each line is checked to be a fact.
    ///
    /// # Errors
    /// At the first line that is no fact.
    pub fn written(&self, form: Form) -> anyhow::Result<Vec<u8>> {
        self.read.written(form).map_err(|why| wrong(&self.name, &why))
    }

    /// Checks every step with the oracle. `done` is told how far the check is. In misère play the
    /// base is taken from `bases` if the certificate before named the same.
    ///
    /// # Errors
    /// At the first step that is wrong, or at the claim if it does not follow.
    pub fn check(
        &self,
        bases: &mut Bases,
        manner: &Manner<'_>,
        done: impl Fn(Step) + Sync,
    ) -> anyhow::Result<Checked> {
        self.read.check(bases, manner, done).map_err(|why| wrong(&self.name, &why))
    }
}

/// The error of a file, or of a place in it.
fn wrong(name: &str, why: &VerifyError) -> anyhow::Error {
    match why {
        VerifyError::Unreadable(_) => anyhow!("{name}: {why}"),
        VerifyError::LargeBase { .. } => anyhow!("{name}, {why}; --large-base allows it"),
        _ => anyhow!("{name}, {why}"),
    }
}
