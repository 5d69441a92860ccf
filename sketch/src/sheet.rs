//! Several pictures on one sheet, each with its caption.

use crate::glyphs;
use crate::picture::Picture;
use crate::svg::{Look, Writer};

/// A cell of a sheet, in units of its text.
const CELL: (f64, f64) = (300.0, 230.0);
/// How much larger than by itself a picture is shown.
const LARGEST: f64 = 1.3;
/// The part of a cell's height that a caption takes.
const CAPTION: f64 = 26.0;
/// The size of a unit of a caption's glyphs, where there is room.
const LETTERING: f64 = 1.7;

/// Pictures in rows.
pub struct Sheet {
    /// What the sheet shows.
    pub title: String,
    /// The pictures with their captions, in the order of reading.
    pub entries: Vec<(Picture, String)>,
    /// How many pictures stand beside each other.
    pub columns: usize,
}

impl Sheet {
    /// The sheet as an SVG document.
    pub fn svg(&self, look: &Look) -> String {
        let columns = self.columns.clamp(1, self.entries.len().max(1));
        let rows = self.entries.len().div_ceil(columns);
        let mut writer = Writer::new(look, &self.title);
        for (i, (picture, caption)) in self.entries.iter().enumerate() {
            let (x, y) = ((i % columns) as f64 * CELL.0, (i / columns) as f64 * CELL.1);
            writer.card(x + 3.0, y + 3.0, CELL.0 - 6.0, CELL.1 - 6.0);
            let (width, height) = picture.extent();
            let room = (CELL.0 - 16.0, CELL.1 - CAPTION - 14.0);
            let scale = (room.0 / width).min(room.1 / height).min(LARGEST);
            writer.picture(
                picture,
                x + (CELL.0 - width * scale) / 2.0,
                y + 8.0 + (room.1 - height * scale) / 2.0,
                scale,
            );
            let fits = (CELL.0 - 24.0) / glyphs::width(caption).max(1.0);
            let ink = writer.colours.ink;
            let at = (x + CELL.0 / 2.0, y + CELL.1 - CAPTION / 2.0 - 4.0);
            writer.text(caption, at.0, at.1, fits.min(LETTERING), ink);
        }
        let listed: Vec<&str> = self.entries.iter().map(|(_, caption)| caption.as_str()).collect();
        let (width, height) = (columns as f64 * CELL.0, rows as f64 * CELL.1);
        writer.document(width, height, width, &self.title, &listed.join("; "))
    }
}
