//! Reads certificates as files of facts. Their facts are checked like those of any file, one by one and not as a proof.

use std::io::Read;

use anyhow::{anyhow, ensure};
use sprig_certificate::{CertificateError, Entry, Fact, Game, Loss, Play, Reader};
use sprig_engine::CanonicalPosition;
use sprig_foreign::Record;

use super::Plan;
use super::gather::{Gathered, Place};
use super::progress::Reading;
use crate::strategy::written_canonically;

/// Takes in the facts of a certificate.
///
/// # Errors
/// When it cannot be read, was damaged, or is about a game of its own.
pub fn take(
    plan: &Plan,
    file: usize,
    source: impl Read + 'static,
    gathered: &mut Gathered,
) -> anyhow::Result<()> {
    let name = &plan.names[file];
    let wrong = |why: CertificateError| anyhow!("{name}: {why}");
    let mut reader = Reader::open(source).map_err(wrong)?;
    let header = reader.header().clone();
    ensure!(
        header.game == Game::Sprouts,
        "{name}: this certificate is about the game `{}`; facts of `{}` alone can be imported",
        header.game,
        Game::Sprouts
    );
    let progress = Reading::start(name, None);
    let base = match &header.play {
        Play::Normal => None,
        Play::Misere { base } => Some(gathered.losses.base(CanonicalPosition::of(base))),
    };
    while let Some(Entry { line, text }) = reader.next_entry().map_err(wrong)? {
        let no_fact = |why: String| anyhow!("{name}: line {line}: {why}");
        let place = Place { file, line };
        match base {
            None => {
                let Fact { land, nimber } = text.parse().map_err(no_fact)?;
                gathered.take(plan, &place, Record::Nimber { position: land, nimber })?;
            }
            Some(base) => {
                let loss: Loss = text.parse().map_err(no_fact)?;
                gathered.losses.write(&place, base, written_canonically(&loss));
            }
        }
        gathered.lines += 1;
        plan.go_on()?;
        progress.show(0, gathered.lines);
    }
    Ok(())
}
