//! What a picture shows, in words.

use crate::drawn::Drawn;
use crate::full::Full;
use crate::map::{Fill, Mark};
use crate::picture::Picture;

impl Picture {
    /// The title of the picture as a document.
    pub(crate) fn title(&self) -> String {
        match self.list() {
            Some(full) => format!("Sprouts drawing {full}"),
            None => format!("Sprouts position {}", self.position),
        }
    }

    /// What the picture shows, in words.
    pub fn description(&self) -> String {
        if self.lands.is_empty() {
            return "The empty position: no move is left.".to_owned();
        }
        let lands = self.lands.iter().map(|placed| match &placed.drawn.full {
            Some(full) => self.drawing(&placed.drawn, full),
            None => land(&placed.drawn),
        });
        format!("Shows {}.", lands.collect::<Vec<_>>().join("; and "))
    }

    /// A full drawing.
    fn drawing(&self, drawn: &Drawn, full: &Full) -> String {
        let dead = drawn.vertices.iter().filter(|vertex| vertex.degree > 2).count();
        let mut said = format!(
            "a whole drawing of {} and {}, {dead} of the spots dead",
            plural(drawn.vertices.len(), "spot"),
            plural(drawn.curves.len(), "curve"),
        );
        if let Some(latest) = full.latest() {
            said += &format!("; the last move made spot {latest}");
        }
        for (_, words) in self.legend().iter().flatten() {
            said += &format!("; {words}");
        }
        said
    }
}

fn land(drawn: &Drawn) -> String {
    let regions = drawn.faces.iter().filter(|face| face.fill != Fill::Dead).count();
    let count = |degree: usize| {
        let of = |vertex: &&crate::Vertex| {
            matches!(vertex.mark, Mark::Spot(_)) && vertex.degree == degree
        };
        drawn.vertices.iter().filter(of).count()
    };
    let grouped: usize = drawn.vertices.iter().map(|v| v.mark.grouped()).sum();
    let mut said = format!(
        "a land of {}: {} with 3 lives, {} with 2, {} with 1",
        plural(regions, "region"),
        plural(count(0) + grouped, "spot"),
        count(1),
        count(2)
    );
    for vertex in &drawn.vertices {
        if let Mark::Genus(surface) = vertex.mark {
            let noun = if surface.is_orientable() { "handle" } else { "cross-cap" };
            let count = plural(surface.genus().unsigned_abs().into(), noun);
            said.push_str(&format!(", a region with {count}"));
        }
    }
    said
}

pub(crate) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

impl Mark {
    fn grouped(&self) -> usize {
        if let Self::Group(count) = self { *count } else { 0 }
    }
}
