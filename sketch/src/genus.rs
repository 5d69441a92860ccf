//! The sign for handles and cross-caps.

use std::fmt::Write;

use sprig_engine::Surface;

use crate::glyphs;
use crate::svg::{Writer, number};

impl Writer {
    /// The handles or cross-caps of a region: the sign for one of them, and how many there are.
    pub fn genus(&mut self, x: f64, y: f64, radius: f64, surface: Surface) {
        let count = surface.genus().unsigned_abs();
        // A single sign stands in the middle, and one for several above their number.
        let (up, size) =
            if count == 1 { (0.0, 0.8 * radius) } else { (0.4 * radius, 0.6 * radius) };
        let at =
            |dx: f64, dy: f64| format!("{} {}", number(x + dx * size), number(y - up + dy * size));
        let path = if surface.is_orientable() {
            // A bridge: its two feet, and its two rails.
            format!(
                "M{}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0M{}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0\
                 M{}C{} {} {}M{}Q{} {}",
                at(-1.0, 0.55),
                at(0.36, 0.55),
                at(-1.0, 0.55),
                at(-1.0, -1.2),
                at(1.0, -1.2),
                at(1.0, 0.55),
                at(-0.36, 0.55),
                at(0.0, -0.9),
                at(0.36, 0.55),
                r = number(0.32 * size),
                d = number(0.64 * size),
            )
        } else {
            format!(
                "M{}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0M{}L{}M{}L{}",
                at(-0.9, 0.0),
                at(-0.636, -0.636),
                at(0.636, 0.636),
                at(-0.636, 0.636),
                at(0.636, -0.636),
                r = number(0.9 * size),
                d = number(1.8 * size),
            )
        };
        let ink = self.colours.ink;
        _ = writeln!(
            self.body,
            "<path class=\"genus\" d=\"{path}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"1.5\" \
             stroke-linecap=\"round\"/>"
        );
        if count > 1 {
            let text = format!("\u{d7}{count}");
            let fits = (1.6 * radius / glyphs::width(&text)).min(0.55 * radius / glyphs::HEIGHT);
            self.text(&text, x, y + 0.6 * radius, fits, ink);
        }
    }
}
