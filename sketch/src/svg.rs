//! Pictures as SVG: text that every browser shows, without fonts, scripts or styles from elsewhere.

use std::fmt::Write;

use crate::drawn::Drawn;
use crate::exact::Point;
use crate::glyphs;
use crate::map::{Fill, Mark};
use crate::picture::Picture;
use crate::smooth::arcs;
use crate::theme::{Colours, Theme};

/// Steps in a unit of the drawing's text.
pub(crate) const STEPS: f64 = 100.0;
/// The largest width at which a picture shows itself, unless the page says otherwise.
const WIDEST: f64 = 640.0;
/// How many times larger than the smaller spots of its picture a spot may be.
const ALIKE: f64 = 1.25;

/// The space that the new spot of a move needs between its middle and the edge.
const EDGE: f64 = 7.0;

/// How a picture is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// Its colours.
    pub theme: Theme,
    /// Whether spots bear their names. Otherwise they show their lives as dots.
    pub labels: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { theme: Theme::Light, labels: true }
    }
}

impl Picture {
    /// The picture as an SVG document.
    pub fn svg(&self, look: &Look) -> String {
        let (width, height) = self.extent();
        let title = self.title();
        let mut writer = Writer::new(look, &title);
        let room = self.room();
        writer.picture(self, room, room, 1.0);
        let desc = self.description();
        writer.document(width + 2.0 * room, height + 2.0 * room, WIDEST, &title, &desc)
    }

    /// How much the curve of a move needs on every side beyond the picture, in units of the text:
    /// it may run along the edge.
    fn room(&self) -> f64 {
        let curve = self.curve.iter().flatten();
        let beside = |at: &Point| at.x.min(at.y).min(self.size.x - at.x).min(self.size.y - at.y);
        let least = curve.map(beside).min();
        least.map_or(0.0, |least| (EDGE - least as f64 / STEPS).max(0.0))
    }

    /// Width and height, in units of the text.
    pub(crate) fn extent(&self) -> (f64, f64) {
        (self.size.x as f64 / STEPS, self.size.y as f64 / STEPS)
    }
}

/// A document in the making.
pub(crate) struct Writer {
    pub body: String,
    pub colours: &'static Colours,
    pub labels: bool,
    /// Keeps names of definitions apart when several documents stand on one page.
    id: String,
}

impl Writer {
    pub fn new(look: &Look, about: &str) -> Self {
        // FNV-1a: any number that differs between texts is good enough.
        let hash = about.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        let id = format!("h{:08x}{}", hash >> 32, look.theme as u8);
        Self { body: String::new(), colours: look.theme.colours(), labels: look.labels, id }
    }

    /// A rounded frame.
    pub fn card(&mut self, x: f64, y: f64, width: f64, height: f64) {
        let [x, y, width, height] = [x, y, width, height].map(number);
        _ = writeln!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{}\" \
             stroke=\"{}\"/>",
            self.colours.page, self.colours.card
        );
    }

    /// A way downwards: from the lower end of its first stop, through the others, to the upper end
    /// of its last.
    pub fn way(&mut self, stops: &[[(f64, f64); 2]]) {
        let mut path = format!("M{} {}", number(stops[0][1].0), number(stops[0][1].1));
        for pair in stops.windows(2) {
            let ((x, y), (to_x, to_y)) = (pair[0][1], pair[1][0]);
            let half = number((y + to_y) / 2.0);
            let (x, to_x, to_y) = (number(x), number(to_x), number(to_y));
            _ = write!(path, "C{x} {half} {to_x} {half} {to_x} {to_y}V{}", number(pair[1][1].1));
        }
        _ = writeln!(
            self.body,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.4\"/>",
            self.colours.faint
        );
    }

    /// The finished document. It shows itself in its own size, but not larger than `most`.
    pub fn document(self, width: f64, height: f64, most: f64, title: &str, desc: &str) -> String {
        let (width, height) = (width.max(48.0), height.max(48.0));
        let scale = (most / width.max(height)).min(1.0);
        let Colours { page, dead, hatch, .. } = self.colours;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" \
             role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n<desc>{desc}</desc>\n\
             <defs><pattern id=\"{}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"{dead}\"/>\
             <path d=\"M0 0V5\" stroke=\"{hatch}\" stroke-width=\"2\"/></pattern></defs>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"{page}\"/>\n{}</svg>\n",
            number(width),
            number(height),
            number(width * scale),
            number(height * scale),
            self.id,
            self.body,
        )
    }

    /// A picture with its upper left corner at a place.
    pub fn picture(&mut self, picture: &Picture, x: f64, y: f64, scale: f64) {
        _ = writeln!(
            self.body,
            "<g transform=\"translate({} {}){}\">",
            number(x),
            number(y),
            if scale == 1.0 { String::new() } else { format!(" scale({scale:.4})") }
        );
        for placed in &picture.lands {
            let offset = [placed.offset.x, placed.offset.y].map(|v| number(v as f64 / STEPS));
            _ = writeln!(self.body, "<g transform=\"translate({} {})\">", offset[0], offset[1]);
            let into = |at: &Point| Point { x: at.x - placed.offset.x, y: at.y - placed.offset.y };
            let curve: Vec<Point> = picture.curve.iter().flatten().map(into).collect();
            let is_here = placed.drawn.vertices.iter().any(|v| Some(&v.at) == curve.first());
            self.land(&placed.drawn, if is_here { &curve } else { &[] });
            self.body.push_str("</g>\n");
        }
        for plus in &picture.pluses {
            let (x, y) = (plus.x as f64 / STEPS, plus.y as f64 / STEPS);
            let (left, above) = (number(x - 7.0), number(y - 7.0));
            let (x, y, faint) = (number(x), number(y), self.colours.faint);
            _ = writeln!(
                self.body,
                "<path d=\"M{left} {y}h14M{x} {above}v14\" stroke=\"{faint}\" stroke-width=\"2\"/>"
            );
        }
        self.legend(picture);
        self.body.push_str("</g>\n");
    }

    /// A land or a full drawing, with the curve of a move in it if `curve` has points.
    fn land(&mut self, drawn: &Drawn, curve: &[Point]) {
        let colours = self.colours;
        if drawn.full.is_none() {
            self.faces(drawn);
        }
        self.lines(drawn.curves.iter(), colours.ink, 2.4);
        self.lines(drawn.latest(), colours.curve, 4.2);
        if curve.len() > 2 {
            self.curve(curve);
        }
        let radii = drawn.radii();
        for (vertex, &radius) in drawn.vertices.iter().zip(&radii) {
            let (x, y) = (vertex.at.x as f64 / STEPS, vertex.at.y as f64 / STEPS);
            let radius = radius / STEPS;
            if let Some(full) = &drawn.full {
                self.numbered(full, vertex, radius);
                continue;
            }
            match &vertex.mark {
                Mark::Dead => {
                    _ = writeln!(
                        self.body,
                        "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>",
                        number(x),
                        number(y),
                        number(radius),
                        colours.junction
                    );
                }
                Mark::Spot(name) => self.spot(x, y, radius, 3 - vertex.degree, name),
                Mark::Group(count) => self.group(x, y, radius, *count),
                Mark::Genus(surface) => self.genus(x, y, radius, *surface),
            }
        }
    }

    /// The faces of a land, but for the one around everything.
    fn faces(&mut self, drawn: &Drawn) {
        let tints = tints(drawn, self.colours.regions.len());
        for (face, tint) in drawn.faces.iter().zip(&tints).skip(1) {
            let mut path = String::new();
            for walk in &face.walks {
                path.push_str(&self.walk(drawn, walk));
            }
            let fill = match face.fill {
                Fill::Dead => format!("url(#{})", self.id),
                Fill::Region(_) => self.colours.regions[*tint].to_owned(),
            };
            _ = writeln!(self.body, "<path d=\"{path}\" fill=\"{fill}\" fill-rule=\"evenodd\"/>");
        }
    }

    /// Curves between spots.
    fn lines<'a>(&mut self, curves: impl Iterator<Item = &'a Vec<Point>>, ink: &str, width: f64) {
        let mut path = String::new();
        for curve in curves {
            path.push_str(&format!("M{}", place(curve[0])));
            write_arcs(curve, &mut path);
        }
        if !path.is_empty() {
            _ = writeln!(
                self.body,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"{}\" \
                 stroke-linecap=\"round\" stroke-linejoin=\"round\"/>",
                number(width)
            );
        }
    }

    /// The curve of a move, with its new spot.
    fn curve(&mut self, curve: &[Point]) {
        let mut path = format!("M{}", place(curve[0]));
        write_arcs(curve, &mut path);
        let (colour, new) = (self.colours.curve, curve[curve.len() / 2]);
        let [x, y] = [new.x, new.y].map(|v| number(v as f64 / STEPS));
        _ = writeln!(
            self.body,
            "<style>@media (prefers-reduced-motion: no-preference) {{ path.move {{ stroke-dasharray: 1; \
             animation: draw 0.9s ease-in-out }} }} @keyframes draw {{ from {{ stroke-dashoffset: 1 }} to \
             {{ stroke-dashoffset: 0 }} }}</style>\n<path class=\"move\" d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"3.2\" \
             stroke-linecap=\"round\" stroke-linejoin=\"round\" pathLength=\"1\"/>\n\
             <circle class=\"move\" cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"{colour}\"/>"
        );
    }

    fn walk(&self, drawn: &Drawn, walk: &[usize]) -> String {
        let mut path = String::new();
        for &dart in walk {
            let mut curve = drawn.curves[dart / 2].clone();
            if dart % 2 == 1 {
                curve.reverse();
            }
            if path.is_empty() {
                path = format!("M{}", place(curve[0]));
            }
            write_arcs(&curve, &mut path);
        }
        path.push('Z');
        path
    }

    pub fn spot(&mut self, x: f64, y: f64, radius: f64, lives: usize, name: &str) {
        let (fill, on) = self.colours.spots[lives - 1];
        _ = writeln!(
            self.body,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{fill}\" stroke=\"{}\" stroke-width=\"1.2\"/>",
            number(x),
            number(y),
            number(radius),
            self.colours.rim
        );
        if self.labels {
            self.name(name, x, y, radius, on);
        } else {
            let around: &[(f64, f64)] = match lives {
                1 => &[(0.0, 0.0)],
                2 => &[(-0.35, 0.0), (0.35, 0.0)],
                _ => &[(0.0, -0.42), (-0.37, 0.23), (0.37, 0.23)],
            };
            for (dx, dy) in around {
                _ = writeln!(
                    self.body,
                    "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{on}\"/>",
                    number(x + dx * radius),
                    number(y + dy * radius),
                    number(0.2 * radius)
                );
            }
        }
    }

    /// The name of a spot that is so large.
    pub fn name(&mut self, name: &str, x: f64, y: f64, radius: f64, colour: &str) {
        let fits = 1.25 * radius / glyphs::width(name).max(4.6);
        self.text(name, x, y, fits.min(1.15 * radius / glyphs::HEIGHT), colour);
    }

    /// A wreath of fresh spots around their number.
    fn group(&mut self, x: f64, y: f64, radius: f64, count: usize) {
        let (fill, _) = self.colours.spots[2];
        for (dx, dy) in [
            (1.0, 0.0),
            (0.809, 0.588),
            (0.309, 0.951),
            (-0.309, 0.951),
            (-0.809, 0.588),
            (-1.0, 0.0),
            (-0.809, -0.588),
            (-0.309, -0.951),
            (0.309, -0.951),
            (0.809, -0.588),
        ] {
            _ = writeln!(
                self.body,
                "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{fill}\" stroke=\"{}\"/>",
                number(x + dx * 0.8 * radius),
                number(y + dy * 0.8 * radius),
                number(0.2 * radius),
                self.colours.rim
            );
        }
        let text = format!("\u{d7}{count}");
        let fits = 0.95 * radius / glyphs::width(&text);
        self.text(&text, x, y, fits.min(0.5 * radius / glyphs::HEIGHT), self.colours.ink);
    }

    /// A text around a place; `scale` is the size of a unit of the glyphs.
    pub fn text(&mut self, text: &str, x: f64, y: f64, scale: f64, colour: &str) {
        let left = x - glyphs::width(text) * scale / 2.0;
        let has_small = text.chars().any(|c| matches!(c, 'g' | 'j' | 'p' | 'q' | 'y'));
        let is_small = !text.is_empty() && text.chars().all(|c| "acegmnopqrsuvwxyz".contains(c));
        let middle = match (is_small, has_small) {
            (true, true) => 4.9,
            (true, false) => 4.0,
            _ => 3.0,
        };
        _ = write!(
            self.body,
            "<g transform=\"translate({} {}) scale({scale:.3})\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"1.1\" stroke-linecap=\"round\" stroke-linejoin=\"round\">",
            number(left),
            number(y - middle * scale)
        );
        for (at, strokes) in glyphs::strokes(text).filter(|(_, strokes)| !strokes.is_empty()) {
            if at == 0.0 {
                _ = write!(self.body, "<path d=\"{strokes}\"/>");
            } else {
                _ = write!(
                    self.body,
                    "<path transform=\"translate({})\" d=\"{strokes}\"/>",
                    number(at)
                );
            }
        }
        self.body.push_str("</g>\n");
    }
}

/// A number with at most two decimal places.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn place(at: Point) -> String {
    format!("{} {}", number(at.x as f64 / STEPS), number(at.y as f64 / STEPS))
}

/// The parabolas of a curve after its first point. `T` goes on with the control point mirrored at
/// the joint, which is what a B-spline does.
fn write_arcs(curve: &[Point], path: &mut String) {
    for (i, [_, control, to]) in arcs(curve).into_iter().enumerate() {
        if i == 0 {
            _ = write!(path, "Q{} {}", place(control), place(to));
        } else {
            _ = write!(path, "T{}", place(to));
        }
    }
}

/// A tint for each face so that neighbours differ if there are enough tints.
fn tints(drawn: &Drawn, count: usize) -> Vec<usize> {
    let mut left = vec![0; 2 * drawn.curves.len()];
    for (f, face) in drawn.faces.iter().enumerate() {
        face.walks.iter().flatten().for_each(|&dart| left[dart] = f);
    }
    // Neighbours are faces on both sides of a curve, or of a curve's end.
    let mut tints = vec![usize::MAX; drawn.faces.len()];
    for f in 1..drawn.faces.len() {
        let across = drawn.faces[f].walks.iter().flatten().map(|&dart| tints[left[dart ^ 1]]);
        let taken: Vec<usize> = across.collect();
        let Fill::Region(number) = drawn.faces[f].fill else { continue };
        let free = (0..count).map(|k| (number + k) % count).find(|tint| !taken.contains(tint));
        tints[f] = free.unwrap_or(number % count);
    }
    tints
}

impl Drawn {
    /// How far each vertex is drawn around its place: less where a curve that does not end there is
    /// near.
    pub(crate) fn radii(&self) -> Vec<f64> {
        let of = |at: Point| (at.x as f64, at.y as f64);
        let mut radii = Vec::new();
        for vertex in &self.vertices {
            let (x, y) = of(vertex.at);
            let mut least = vertex.mark.radius() as f64;
            for curve in &self.curves {
                let last = curve.len() - 1;
                for (i, pair) in curve.windows(2).enumerate() {
                    if (i <= 1 && curve[0] == vertex.at)
                        || (i + 2 >= last && curve[last] == vertex.at)
                    {
                        continue;
                    }
                    let ((ax, ay), (bx, by)) = (of(pair[0]), of(pair[1]));
                    let (dx, dy) = (bx - ax, by - ay);
                    let share = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy);
                    let share = share.clamp(0.0, 1.0);
                    let (px, py) = (x - ax - share * dx, y - ay - share * dy);
                    least = least.min(0.8 * (px * px + py * py).sqrt());
                }
            }
            for other in self.vertices.iter().filter(|other| other.at != vertex.at) {
                let (ox, oy) = of(other.at);
                let distance = ((x - ox) * (x - ox) + (y - oy) * (y - oy)).sqrt();
                least = least.min(0.46 * distance);
            }
            radii.push(least);
        }
        // Spots of one picture look alike: those with room are not drawn much larger than the rest.
        let is_spot = |v: &usize| matches!(self.vertices[*v].mark, Mark::Spot(_));
        let mut spots: Vec<f64> = (0..radii.len()).filter(is_spot).map(|v| radii[v]).collect();
        spots.sort_by(f64::total_cmp);
        if let Some(small) = spots.get(spots.len() / 4) {
            (0..radii.len()).filter(is_spot).for_each(|v| radii[v] = radii[v].min(ALIKE * small));
        }
        radii
    }
}
