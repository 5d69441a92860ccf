//! The spots of a full drawing: living ones are discs, dead ones have corners. At the end of a game
//! survivors, their dead neighbours and pharisees are told apart by shape and colour.

use std::fmt::Write;

use crate::drawn::Vertex;
use crate::exact::Point;
use crate::full::Full;
use crate::glyphs;
use crate::map::Mark;
use crate::picture::Picture;
use crate::svg::{STEPS, Writer, number};
use crate::words::plural;

/// The height of a line of the legend, and the radius of its signs, in units of the text.
const LINE: f64 = 15.0;
const SIGN: f64 = 5.0;
/// Where the words of the legend begin, and the size of a unit of their glyphs.
const WORDS: f64 = 22.0;
const LETTERING: f64 = 1.4;

/// What a spot is in a full drawing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// It is alive, and the game goes on.
    Living,
    /// It is dead, and the game goes on.
    Dead,
    /// It is alive at the end.
    Survivor,
    /// It is dead, and a survivor owns it.
    Neighbour,
    /// It is dead, and no survivor owns it.
    Pharisee,
}

/// The roles of an ended game, in the order of the legend.
const ENDED: [(Role, &str); 3] = [
    (Role::Survivor, "survivor"),
    (Role::Neighbour, "dead neighbour"),
    (Role::Pharisee, "pharisee"),
];

impl Full {
    /// What a vertex is in this drawing.
    pub(crate) fn role(&self, vertex: &Vertex) -> Role {
        let Some(pharisees) = &self.pharisees else {
            return if vertex.degree < 3 { Role::Living } else { Role::Dead };
        };
        let Mark::Spot(name) = &vertex.mark else { return Role::Dead };
        let is_pharisee = pharisees.iter().any(|number| number.to_string() == *name);
        match vertex.degree {
            0..=2 => Role::Survivor,
            _ if is_pharisee => Role::Pharisee,
            _ => Role::Neighbour,
        }
    }
}

impl Picture {
    /// How many spots have which role at the end of a game, in words.
    pub(crate) fn legend(&self) -> Option<[(Role, String); 3]> {
        let (drawn, full) = self.lands.first().and_then(|placed| {
            let full = placed.drawn.full.as_ref().filter(|full| full.pharisees.is_some())?;
            Some((&placed.drawn, full))
        })?;
        let count = |role| drawn.vertices.iter().filter(|v| full.role(v) == role).count();
        Some(ENDED.map(|(role, noun)| (role, plural(count(role), noun))))
    }

    /// The picture with room for its legend, if it has one.
    pub(crate) fn with_legend(mut self) -> Self {
        let Some(lines) = self.legend() else { return self };
        let steps = |units: f64| (units * STEPS).ceil() as i64;
        let widths = lines.iter().map(|(_, words)| glyphs::width(words) * LETTERING);
        let least = steps(widths.fold(0.0, f64::max) + WORDS + 2.0 * SIGN);
        let beside = (least - self.size.x).max(0);
        for placed in &mut self.lands {
            placed.offset.x += beside / 2;
        }
        self.size.x += beside;
        self.size.y += steps(LINE * lines.len() as f64);
        self
    }
}

impl Writer {
    /// The legend of a picture, at its lower edge.
    pub fn legend(&mut self, picture: &Picture) {
        let Some(lines) = picture.legend() else { return };
        let ink = self.colours.ink;
        for (line, (role, words)) in lines.iter().rev().enumerate() {
            let y = picture.size.y as f64 / STEPS - LINE * (line as f64 + 0.7);
            self.shape(*role, 2.0 * SIGN, y, SIGN);
            let middle = WORDS + glyphs::width(words) * LETTERING / 2.0;
            self.text(words, middle, y, LETTERING, ink);
        }
    }

    /// A spot of a full drawing.
    pub fn numbered(&mut self, full: &Full, vertex: &Vertex, radius: f64) {
        let Mark::Spot(name) = &vertex.mark else { return };
        let Point { x, y } = vertex.at;
        let (x, y) = (x as f64 / STEPS, y as f64 / STEPS);
        let role = full.role(vertex);
        if role == Role::Living {
            return self.spot(x, y, radius, 3 - vertex.degree, name);
        }
        let on = self.shape(role, x, y, radius);
        if self.labels {
            let room = if role == Role::Pharisee { 0.8 } else { 1.0 };
            self.name(name, x, y, room * radius, on);
        }
    }

    /// The shape of a role. Returns the colour of the text on it.
    fn shape(&mut self, role: Role, x: f64, y: f64, radius: f64) -> &'static str {
        let colours = self.colours;
        let (page, ink) = (colours.page, colours.ink);
        let (fill, on, rim) = match role {
            Role::Living | Role::Survivor => (colours.spots[2].0, colours.spots[2].1, ink),
            Role::Dead => (page, ink, colours.junction),
            Role::Neighbour => (ink, page, page),
            Role::Pharisee => (colours.spots[1].0, colours.spots[1].1, ink),
        };
        let size = match role {
            Role::Living | Role::Survivor => radius,
            Role::Dead | Role::Neighbour => 0.85 * radius,
            Role::Pharisee => 1.15 * radius,
        };
        let [left, top, side] = [x - size, y - size, 2.0 * size].map(number);
        let shape = match role {
            Role::Living | Role::Survivor => {
                let [x, y, r] = [x, y, size].map(number);
                format!("circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"")
            }
            Role::Dead | Role::Neighbour => {
                format!("rect x=\"{left}\" y=\"{top}\" width=\"{side}\" height=\"{side}\"")
            }
            Role::Pharisee => {
                let (x, half) = (number(x), number(size));
                format!("path d=\"M{x} {top}l{half} {half}l-{half} {half}l-{half} -{half}Z\"")
            }
        };
        _ = writeln!(self.body, "<{shape} fill=\"{fill}\" stroke=\"{rim}\" stroke-width=\"1.2\"/>");
        on
    }
}
