//! Full drawings, with numbers and dead spots: of boundary lists, and of games.

use anyhow::Context;
use sprig_engine::CanonicalPosition;
use sprig_oracle::Table;
use sprig_records::Ending;
use sprig_sketch::Picture;

/// The pictures of full tables. Where one comes from the one before by moves, all that was there
/// stays where it is.
///
/// # Errors
/// When one of them is no drawing, or cannot be drawn.
pub fn of_tables(tables: &[Table]) -> anyhow::Result<Vec<Picture>> {
    let lists = tables.iter().map(|table| (position(table), table.rows().to_vec()));
    Picture::game(lists.collect()).context("cannot draw the list with its dead spots")
}

/// The picture of a table with what has become of its spots, if the game is over.
pub fn ending(table: &Table, picture: &Picture) -> Option<Picture> {
    let is_over = position(table).lands().is_empty();
    is_over.then(|| picture.clone().ended(&Ending::of(table).pharisees))
}

fn position(table: &Table) -> CanonicalPosition {
    CanonicalPosition::of(&table.to_position())
}
