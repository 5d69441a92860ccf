//! The writer of short lists.

use std::collections::HashMap;

use sprig_engine::{Letter, Position, Spot};

/// The short list of a position, its spots numbered as they come; `!` for the empty position.
///
/// A boundary list cannot tell a surface, so this is for positions of the sphere.
#[must_use]
pub fn short(position: &Position) -> String {
    let (mut regions, mut last) = (Vec::new(), 0_u32);
    let mut next = || {
        last += 1;
        last
    };
    for land in &position.0 {
        let mut letters: HashMap<Letter, u32> = HashMap::new();
        for region in &land.0 {
            let mut stacks = Vec::new();
            for boundary in &region.0 {
                let alone = boundary.0.len() == 1;
                let cards = boundary.0.iter().map(|spot| match spot {
                    Spot::Letter(letter) => {
                        letters.entry(*letter).or_insert_with(&mut next).to_string()
                    }
                    Spot::Zero => next().to_string(),
                    Spot::One if alone => format!("{}o", next()),
                    Spot::One => next().to_string(),
                    Spot::Two => format!("{}t", next()),
                });
                stacks.push(cards.collect::<Vec<_>>().join(","));
            }
            regions.push(stacks.join(";"));
        }
    }
    if regions.is_empty() { "!".to_owned() } else { regions.join("/") }
}
