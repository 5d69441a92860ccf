//! Moves in the words of the text that a position is written in.

use std::fmt::Write;

use super::{Course, Paper, Place, Witness};
use crate::notation::names;
use crate::{Boundary, Land, Region, Spot, Surface};

/// The words for a curve whose new spot is left out.
pub(super) const BARE: &str = "without a spot";

impl Paper {
    /// A move in the words of [`Paper::position`]: the ends of the curve in brackets where they
    /// stand on their boundaries, and the boundaries that come to lie on the same side as the spots
    /// between the brackets.
    ///
    /// `[0]-A[B]` joins two boundaries; `[A]B[C] around 0*2` divides one, with `B` and two fresh
    /// spots on one side; `[0] around 12` is a curve from a spot to itself. Where there are several
    /// regions the number of the region stands before that, counted from 1 through the text. Behind
    /// it stands, after commas, how the curve runs: `with a handle` (which the named side has),
    /// `leaving a handle` (which the other side has, or what is left), `through a cross-cap`,
    /// `turning AB1` (a boundary that gets its other direction), `without a spot`.
    ///
    /// # Panics
    /// When the move is none of this paper.
    #[must_use]
    pub fn words(&self, witness: &Witness) -> String {
        let mut text = String::new();
        if self.regions.len() > 1 {
            let _ = write!(text, "region {}: ", witness.region + 1);
        }
        let position = self.position();
        let (land, region) = self.written(&position.0, witness.region);
        let scribe = Scribe { land, region, ends: witness.ends };
        let [from, to] = witness.ends;
        text += &scribe.boundary(from.boundary);
        if !witness.divides() {
            text = text + "-" + &scribe.boundary(to.boundary);
        }
        if !witness.along.is_empty() {
            text = text + " around " + &scribe.list(&witness.along);
        }
        let surface = self.regions[witness.region].surface;
        text + &manner(witness, &witness.course, surface, &|boundary| scribe.boundary(boundary))
    }

    /// The written region with this number, and its land.
    fn written<'a>(&self, lands: &'a [Land], region: usize) -> (&'a Land, &'a Region) {
        let mut regions =
            lands.iter().flat_map(|land| land.0.iter().map(move |region| (land, region)));
        regions.nth(region).expect("the region is on this paper")
    }
}

/// Writes parts of a region.
struct Scribe<'a> {
    land: &'a Land,
    region: &'a Region,
    /// The ends of the curve, which are written in brackets.
    ends: [Place; 2],
}

/// How a curve runs, as it is written after what the curve does on the sphere. `name` names a
/// boundary.
pub(super) fn manner(
    witness: &Witness,
    course: &Course,
    surface: Surface,
    name: &dyn Fn(usize) -> String,
) -> String {
    let mut words = Vec::new();
    // Handles that are left of cross-caps are named, as cross-caps might be left instead.
    let is_telling = |left: Surface| !surface.is_orientable() && left.genus() > 0;
    match course {
        Course::Plain => {}
        Course::Crossed => words.push("through a cross-cap".to_owned()),
        Course::Shared { surfaces: [first, second], .. } => {
            if !first.is_sphere() {
                words.push(format!("with {}", amount(*first)));
            }
            if is_telling(*second) {
                words.push(format!("leaving {}", amount(*second)));
            }
        }
        Course::Open { is_one_sided, left, .. } => {
            words.push(match (surface.is_orientable(), is_one_sided) {
                (true, _) => "through a handle".to_owned(),
                (false, true) => "through a cross-cap".to_owned(),
                (false, false) => "through two cross-caps".to_owned(),
            });
            if is_telling(*left) {
                words.push(format!("leaving {}", amount(*left)));
            }
        }
    }
    if !course.turned().is_empty() {
        let turned: Vec<String> = course.turned().iter().map(|&boundary| name(boundary)).collect();
        words.push(format!("turning {}", turned.join(" and ")));
    }
    if witness.is_bare {
        words.push(BARE.to_owned());
    }
    words.iter().map(|word| format!(", {word}")).collect()
}

/// Handles or cross-caps in words.
fn amount(surface: Surface) -> String {
    let noun = if surface.is_orientable() { "handle" } else { "cross-cap" };
    match surface.genus().unsigned_abs() {
        1 => format!("a {noun}"),
        count => format!("{count} {noun}s"),
    }
}

impl Scribe<'_> {
    fn boundary(&self, number: usize) -> String {
        let names = names(self.land);
        let Boundary(spots) = &self.region.0[number];
        let token = |(spot, token): (usize, &Spot)| {
            let name = match token {
                Spot::Zero => "0",
                Spot::One => "1",
                Spot::Two => "2",
                Spot::Letter(letter) => &names[letter],
            };
            let is_end = self.ends.contains(&Place { boundary: number, spot });
            if is_end { format!("[{name}]") } else { name.to_owned() }
        };
        spots.iter().enumerate().map(token).collect()
    }

    /// Boundaries as notation has them: `0*2.12`.
    fn list(&self, boundaries: &[usize]) -> String {
        let written: Vec<String> = boundaries.iter().map(|&number| self.boundary(number)).collect();
        let runs = written.chunk_by(|a, b| a == b && a == "0").map(|run| match run.len() {
            1 => run[0].clone(),
            count => format!("0*{count}"),
        });
        runs.collect::<Vec<_>>().join(".")
    }
}
