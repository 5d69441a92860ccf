//! Makes a large file to import: `relabelled SPOTS BYTES` writes so many bytes of a text database for GLOP to standard
//! output, with true nimbers of the lands of a game's tree, every line in other words.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};

use sprig_engine::{CanonicalLand, CanonicalPosition, Letter, Nimber, Position, Spot, mex};

/// A stream of choices (SplitMix64).
struct Choices(u64);

impl Choices {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * bound as u128) >> 64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// Names, rotations, orders and directions; the position stays the same.
    fn reword(&mut self, position: &mut Position) {
        for land in &mut position.0 {
            let mut names: Vec<u16> = (0..240).collect();
            self.shuffle(&mut names);
            self.shuffle(&mut land.0);
            for region in &mut land.0 {
                self.shuffle(&mut region.0);
                let mirrored = self.below(2) == 1;
                for boundary in &mut region.0 {
                    if mirrored {
                        boundary.0.reverse();
                    }
                    let turn = self.below(boundary.0.len());
                    boundary.0.rotate_left(turn);
                    for spot in &mut boundary.0 {
                        if let Spot::Letter(Letter(letter)) = spot {
                            *letter = names[usize::from(*letter)];
                        }
                    }
                }
            }
        }
    }
}

/// Finds the nimber of a land and of all below it.
fn nimber(land: &CanonicalLand, known: &mut HashMap<CanonicalLand, Nimber>) -> Nimber {
    if let Some(&nimber) = known.get(land) {
        return nimber;
    }
    let children = land.children().expect("small lands have few moves");
    let sums = children.iter().map(|child| {
        let nimbers = child.lands().iter().map(|land| nimber(land, known));
        nimbers.fold(Nimber::ZERO, Nimber::nim_sum)
    });
    let found = mex(sums.collect::<Vec<_>>()).expect("small lands have small nimbers");
    known.insert(land.clone(), found);
    found
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (spots, bytes) = (arguments.next(), arguments.next());
    let (spots, bytes): (usize, u64) =
        (spots.ok_or("SPOTS?")?.parse()?, bytes.ok_or("BYTES?")?.parse()?);
    let mut known = HashMap::new();
    for land in CanonicalPosition::of(&Position::start(spots)).lands() {
        nimber(land, &mut known);
    }
    let mut facts: Vec<(Position, Nimber)> = known
        .into_iter()
        .map(|(land, nimber)| (CanonicalPosition::from_lands([land]).to_position(), nimber))
        .collect();
    facts.sort_by(|a, b| a.0.cmp(&b.0));
    let mut choices = Choices(1);
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "[Positions+Nimber]")?;
    let mut written = 0;
    while written < bytes {
        let (position, nimber) = &facts[choices.below(facts.len())];
        let mut position = position.clone();
        choices.reword(&mut position);
        let line = format!("{position} {nimber}\n");
        out.write_all(line.as_bytes())?;
        written += line.len() as u64;
    }
    Ok(out.flush()?)
}
