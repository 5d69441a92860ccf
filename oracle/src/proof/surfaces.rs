//! Lands that are not of the sphere: their moves are those of a sheet ([`crate::sheet`]), and every
//! option is reduced as a whole.

use std::collections::BTreeMap;

use sprig_engine::Position;

use super::land::{
    ALONE, END, LETTER, ONE, SPHERE, Spot, TWO, TooManyMoves, is_letter, read, regions,
};
use super::lands::Lands;
use crate::sheet::{Card, Face, Sheet};

/// The reduced lands of a written position.
///
/// # Errors
/// [`TooManyMoves`] if there are more spots than can be counted.
pub(super) fn lands_of(position: &Position) -> Result<Vec<Vec<Spot>>, TooManyMoves> {
    read(position)?;
    Ok(rows(&Sheet::of(position).reduced()))
}

/// Calls `visit` with the options of a land, as [`super::options::Moves::visit`] does.
pub(super) fn visit(
    land: &[Spot],
    lands: &mut Lands,
    wanted: impl Fn(&[u64]) -> bool,
    mut visit: impl FnMut(&Lands) -> bool,
) -> u64 {
    let mut count = 0;
    sheet(land).for_each_option(|option| {
        count += 1;
        lands.set_all(rows(&option.reduced()).iter().map(Vec::as_slice));
        !wanted(lands.sketches()) || visit(lands)
    });
    count
}

/// A land as a sheet.
fn sheet(land: &[Spot]) -> Sheet {
    let mut sheet = Sheet::default();
    let mut letters: BTreeMap<Spot, Card> = BTreeMap::new();
    for region in regions(land) {
        let mut walks = Vec::new();
        for (degree, count) in (0..).zip(region.loners) {
            walks.extend((0..count).map(|_| vec![sheet.spot(degree)]));
        }
        let mut card = |&spot: &Spot| match spot {
            ONE => sheet.spot(1),
            TWO => sheet.spot(2),
            letter => *letters.entry(letter).or_insert_with(|| sheet.spot(2)),
        };
        walks.extend(region.walks().map(|walk| walk.iter().map(&mut card).collect()));
        sheet.faces.push(Face { genus: region.surface.genus(), walks });
    }
    sheet
}

/// The lands of a reduced sheet. Letters are named in the order in which they come.
fn rows(sheet: &Sheet) -> Vec<Vec<Spot>> {
    let passes = sheet.passes();
    let lands = sheet.lands().into_iter().map(|faces| {
        let (mut row, mut names) = (Vec::new(), vec![0; passes.len()]);
        let mut next = LETTER;
        for Face { genus, walks } in faces.into_iter().map(|f| &sheet.faces[f]) {
            if *genus != 0 {
                row.push(SPHERE.wrapping_add_signed(*genus));
            }
            let loners = row.len();
            row.extend([ALONE; 3]);
            for walk in walks {
                let begin = row.len();
                for card in walk.iter().map(|&card| card as usize) {
                    row.push(match (sheet.degrees[card], passes[card]) {
                        (0, _) => END,
                        (1, _) => ONE,
                        (_, 1) => TWO,
                        _ => {
                            if names[card] == 0 {
                                names[card] = next;
                                next += 1;
                            }
                            names[card]
                        }
                    });
                }
                match row[begin..] {
                    // A spot of degree 0, 1 or 2 that stands alone.
                    [spot] if !is_letter(spot) => {
                        row.truncate(begin);
                        row[loners + usize::from(spot)] += 1;
                    }
                    _ => row.push(END),
                }
            }
        }
        row
    });
    lands.collect()
}
