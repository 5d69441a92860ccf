//! Diagrams of what follows from what: positions or trees in rows, each above its options, and each
//! only once, even if several ways lead to it.

use crate::glyphs;
use crate::picture::Picture;
use crate::svg::{Look, Writer};

/// Room for a picture, in units of the diagram's text.
const PICTURE: (f64, f64) = (132.0, 104.0);
/// How much larger than by itself a picture is shown.
const LARGEST: f64 = 0.9;
/// The part of a card's height that a caption takes.
const CAPTION: f64 = 24.0;
/// The size of a unit of a caption's glyphs, where there is room.
const LETTERING: f64 = 1.5;
/// The space between cards of a row, and between rows.
const GAP: (f64, f64) = (16.0, 52.0);
/// How often rows are ordered by the places of their neighbours.
const ROUNDS: usize = 12;

/// A card of a diagram.
pub struct Card {
    /// What stands on it, above the caption.
    pub picture: Option<Picture>,
    /// Its caption.
    pub caption: String,
    /// What follows from it: indices in the list of cards, all after its own.
    pub options: Vec<usize>,
}

/// Cards in rows by how long play from them can last.
pub struct Diagram {
    /// What the diagram shows.
    pub title: String,
    /// The cards, each before its options.
    pub cards: Vec<Card>,
}

impl Card {
    fn size(&self) -> (f64, f64) {
        match self.picture {
            Some(_) => (PICTURE.0 + 8.0, PICTURE.1 + CAPTION + 4.0),
            None => ((glyphs::width(&self.caption) * LETTERING + 16.0).max(28.0), CAPTION + 4.0),
        }
    }
}

/// The cards in rows, and the ways between them.
struct Plan {
    /// What each row has: cards, and with numbers after those of the cards, the points at which a
    /// way passes.
    rows: Vec<Vec<usize>>,
    /// What each way passes, from card to card, with one stop in each row.
    ways: Vec<Vec<usize>>,
    stops: usize,
}

impl Diagram {
    /// The diagram as an SVG document.
    pub fn svg(&self, look: &Look) -> String {
        let Plan { rows, ways, stops } = self.plan();
        let mut sizes: Vec<(f64, f64)> = self.cards.iter().map(Card::size).collect();
        sizes.resize(stops, (0.0, 0.0));
        let taken = |row: &Vec<usize>| row.iter().map(|&c| sizes[c].0 + GAP.0).sum::<f64>() + GAP.0;
        let widths: Vec<f64> = rows.iter().map(taken).collect();
        let widest = widths.iter().copied().fold(0.0, f64::max);
        let mut corners = vec![(0.0, 0.0); stops];
        let mut y = GAP.0;
        for (row, width) in rows.iter().zip(&widths) {
            // Rows with few cards are spread, but not to the rims.
            let spare = (widest - width) / (row.len() + 1) as f64;
            let mut x = GAP.0 + spare;
            let height = row.iter().map(|&c| sizes[c].1).fold(0.0, f64::max);
            for &stop in row {
                // A way goes straight through its row.
                sizes[stop].1 = height;
                corners[stop] = (x, y);
                x += sizes[stop].0 + GAP.0 + spare;
            }
            y += height + GAP.1;
        }
        let mut writer = Writer::new(look, &self.title);
        for way in &ways {
            let ends = |stop: usize| {
                let ((x, y), (width, height)) = (corners[stop], sizes[stop]);
                [(x + width / 2.0, y), (x + width / 2.0, y + height)]
            };
            let stops: Vec<[(f64, f64); 2]> = way.iter().map(|&stop| ends(stop)).collect();
            writer.way(&stops);
        }
        for (i, card) in self.cards.iter().enumerate() {
            card.write(&mut writer, corners[i], sizes[i]);
        }
        let listed: Vec<&str> = self.cards.iter().map(|card| card.caption.as_str()).collect();
        let height = y - GAP.1 + GAP.0;
        writer.document(widest, height, widest.max(height), &self.title, &listed.join("; "))
    }

    /// The cards by their height, the highest first, so that ways seldom cross.
    fn plan(&self) -> Plan {
        let mut heights = vec![0; self.cards.len()];
        for (i, card) in self.cards.iter().enumerate().rev() {
            let below = card.options.iter().map(|&option| {
                assert!(option > i, "options come behind what they follow from");
                heights[option] + 1
            });
            heights[i] = below.max().unwrap_or(0);
        }
        let most = heights.iter().max().map_or(0, |height| height + 1);
        let mut rows = vec![Vec::new(); most];
        for (card, height) in heights.iter().enumerate() {
            rows[most - 1 - height].push(card);
        }
        let mut stops = self.cards.len();
        let mut ways = Vec::new();
        for (i, card) in self.cards.iter().enumerate() {
            for &option in &card.options {
                let mut way = vec![i];
                for row in &mut rows[most - heights[i]..most - 1 - heights[option]] {
                    row.push(stops);
                    way.push(stops);
                    stops += 1;
                }
                way.push(option);
                ways.push(way);
            }
        }
        let mut beside = vec![Vec::new(); stops];
        for pair in ways.iter().flat_map(|way| way.windows(2)) {
            beside[pair[0]].push(pair[1]);
            beside[pair[1]].push(pair[0]);
        }
        order(&mut rows, &beside);
        Plan { rows, ways, stops }
    }
}

/// Moves what stands in rows to the middle of its neighbours, as shares of their rows.
fn order(rows: &mut [Vec<usize>], beside: &[Vec<usize>]) {
    let mut at = vec![0.0; beside.len()];
    for _ in 0..ROUNDS {
        for row in &mut *rows {
            let wish = |stop: usize| {
                let near = &beside[stop];
                let sum: f64 = near.iter().map(|&other| at[other]).sum();
                if near.is_empty() { at[stop] } else { sum / near.len() as f64 }
            };
            let mut wishes: Vec<(f64, usize)> =
                row.iter().map(|&stop| (wish(stop), stop)).collect();
            wishes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            *row = wishes.into_iter().map(|(_, stop)| stop).collect();
            for (i, &stop) in row.iter().enumerate() {
                at[stop] = (i as f64 + 0.5) / row.len() as f64;
            }
        }
    }
}

impl Card {
    fn write(&self, writer: &mut Writer, (x, y): (f64, f64), (width, height): (f64, f64)) {
        writer.card(x, y, width, height);
        if let Some(picture) = &self.picture {
            let (wide, high) = picture.extent();
            let scale = (PICTURE.0 / wide).min(PICTURE.1 / high).min(LARGEST);
            let left = x + (width - wide * scale) / 2.0;
            writer.picture(picture, left, y + 4.0 + (PICTURE.1 - high * scale) / 2.0, scale);
        }
        let fits = (width - 12.0) / glyphs::width(&self.caption).max(1.0);
        let ink = writer.colours.ink;
        let at = (x + width / 2.0, y + height - CAPTION / 2.0 - 2.0);
        writer.text(&self.caption, at.0, at.1, fits.min(LETTERING), ink);
    }
}
