//! Games as the World Game of Sprouts Association writes them.

use std::collections::BTreeSet;

use anyhow::Context;
use sprig_domain::Play;
use sprig_engine::CanonicalPosition;
use sprig_engine::paper::{Number, Paper, Witness};
use sprig_records::{MAX_SPOTS, Player, Walks, Writer, curve, fresh_spots, told};

/// Most moves that are tried to find the one that leads to a position.
const MOST_MOVES: usize = 100_000;

/// The number of fresh spots that a position consists of. A record can begin with nothing else.
///
/// # Errors
/// When the position is another one.
pub fn spots(position: &CanonicalPosition) -> anyhow::Result<u32> {
    fresh_spots(position).with_context(|| {
        format!(
            "a record begins with 1 to {MAX_SPOTS} fresh spots, and `{position}` is something else"
        )
    })
}

/// The text of a record. The first of the players moves first.
pub fn text(
    spots: u32,
    play: Play,
    names: [&str; 2],
    moves: Vec<String>,
    first_wins: Option<bool>,
) -> String {
    let players = names.map(|name| Player { name: name.to_owned(), inviting: false });
    let mut parts = vec![sprig_records::head(spots, play == Play::Misere, &players)];
    parts.extend(moves);
    parts.extend(first_wins.map(|first| if first { "I" } else { "II" }.to_owned()));
    parts.join(" ") + "\n"
}

/// The moves of a game on paper. Each is the paper before it, the curve, and the paper after it.
///
/// # Errors
/// When a move cannot be written.
pub fn drawn<'a>(
    spots: u32,
    turns: impl Iterator<Item = (&'a Paper, &'a Witness, &'a Paper)>,
) -> anyhow::Result<Vec<String>> {
    let walks =
        |paper: &Paper| -> Vec<Walks> { paper.regions().map(<[Vec<Number>]>::to_vec).collect() };
    let mut writer = Writer::start(spots);
    let moves = turns.map(|(before, witness, after)| {
        let region = &walks(before)[witness.region];
        let along: BTreeSet<Number> =
            witness.along.iter().flat_map(|&boundary| region[boundary].clone()).collect();
        let made = curve(writer.table(), before.ends(witness), &along, &walks(after));
        let made = made.context("no move of the record draws this curve")?;
        Ok(writer.write(&made)?.to_string())
    });
    moves.collect()
}

/// The moves of a game whose positions are given.
///
/// # Errors
/// When no move leads to one of the positions, or the move cannot be written.
pub fn followed(spots: u32, positions: &[CanonicalPosition]) -> anyhow::Result<Vec<String>> {
    Ok(told(spots, positions, MOST_MOVES)?.iter().map(ToString::to_string).collect())
}
