//! Makes a large file to import: `relabelled SPOTS BYTES` writes a text database for GLOP of about
//! `BYTES` bytes to standard output. It has true nimbers of the lands of a game's tree, each line
//! written in another way.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};

use fastrand::Rng;
use sprig_engine::{CanonicalLand, CanonicalPosition, Letter, Nimber, Position, Spot, mex};

/// Changes names, rotations, orders and directions. The position stays the same.
fn reword(choices: &mut Rng, position: &mut Position) {
    for land in &mut position.0 {
        let mut names: Vec<u16> = (0..240).collect();
        choices.shuffle(&mut names);
        choices.shuffle(&mut land.0);
        for region in &mut land.0 {
            choices.shuffle(&mut region.0);
            let mirrored = choices.bool();
            for boundary in &mut region.0 {
                if mirrored {
                    boundary.0.reverse();
                }
                let turn = choices.usize(..boundary.0.len());
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
    let mut choices = Rng::with_seed(1);
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "[Positions+Nimber]")?;
    let mut written = 0;
    while written < bytes {
        let (position, nimber) = &facts[choices.usize(..facts.len())];
        let mut position = position.clone();
        reword(&mut choices, &mut position);
        let line = format!("{position} {nimber}\n");
        out.write_all(line.as_bytes())?;
        written += line.len() as u64;
    }
    Ok(out.flush()?)
}
