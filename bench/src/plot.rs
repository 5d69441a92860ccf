//! CPU seconds against spots, as a drawing in SVG. A chart library would bring more code, and its
//! own fonts, than two kinds of chart need.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::peers::Peer;
use crate::{Question, Report};

/// Width and height of the drawing, and the room around the axes.
const SIZE: (f64, f64) = (860.0, 480.0);
const MARGIN: (f64, f64) = (60.0, 48.0);
/// Room below for the source.
const FOOT: f64 = 24.0;
/// Room on the right for the names of the series.
const NAMES: f64 = 150.0;
/// Colours that those who see few colours can tell apart, too (Okabe and Ito 2008).
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
/// Shorter times are drawn at this one.
const LEAST: f64 = 1e-3;

/// One solver's times.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// CPU seconds by spots.
    pub seconds: BTreeMap<u32, f64>,
}

impl From<Peer> for Series {
    fn from(peer: Peer) -> Self {
        Self { name: peer.name, seconds: peer.seconds }
    }
}

impl From<&Report> for Series {
    /// The start positions that the report decided with its first number of threads.
    fn from(report: &Report) -> Self {
        let threads = report.plan.threads.first();
        let records =
            report.records.iter().filter(|r| Some(&r.threads) == threads && r.is_decided());
        let point = |record: &crate::Record| {
            Some((record.position.parse().ok()?, record.median(|run| run.cpu_seconds)?))
        };
        let mut name = report.label.clone();
        if report.plan.question == Question::Nimber {
            name.push_str(", nimbers");
        }
        if report.plan.cumulative {
            name.push_str(", one database");
        }
        Self { name, seconds: records.filter_map(point).collect() }
    }
}

/// Where spots and seconds are on the drawing.
struct Axes {
    spots: (u32, u32),
    /// Powers of ten.
    decades: (i32, i32),
}

impl Axes {
    fn of(series: &[Series]) -> Self {
        let points = || series.iter().flat_map(|s| &s.seconds);
        let spots = points().map(|(&n, _)| n);
        let logs = points().map(|(_, seconds)| seconds.max(LEAST).log10());
        Self {
            spots: (spots.clone().min().unwrap_or(0), spots.max().unwrap_or(1)),
            decades: (
                logs.clone().fold(0.0, f64::min).floor() as i32,
                logs.fold(1.0, f64::max).ceil() as i32,
            ),
        }
    }

    fn x(&self, spots: u32) -> f64 {
        let span = f64::from((self.spots.1 - self.spots.0).max(1));
        let width = SIZE.0 - NAMES - 2.0 * MARGIN.0;
        MARGIN.0 + f64::from(spots - self.spots.0) / span * width
    }

    fn y(&self, log: f64) -> f64 {
        let (low, high) = (f64::from(self.decades.0), f64::from(self.decades.1));
        SIZE.1 - MARGIN.1 - (log - low) / (high - low) * (SIZE.1 - 2.0 * MARGIN.1)
    }

    fn point(&self, (&spots, seconds): (&u32, &f64)) -> (f64, f64) {
        (self.x(spots), self.y(seconds.max(LEAST).log10()))
    }

    fn draw(&self, svg: &mut String) {
        let (left, right) = (self.x(self.spots.0), self.x(self.spots.1));
        for decade in self.decades.0..=self.decades.1 {
            let y = self.y(f64::from(decade));
            put(
                svg,
                &format!(
                    r##"<line x1="{left}" y1="{y:.1}" x2="{right}" y2="{y:.1}" stroke="#ddd"/>"##
                ),
            );
            let seconds = 10f64.powi(decade);
            text(svg, (left - 10.0, y + 4.0), "end", "#555", &seconds.to_string());
        }
        let bottom = SIZE.1 - MARGIN.1;
        for spots in (self.spots.0..=self.spots.1).filter(|n| n % 2 == 0) {
            text(svg, (self.x(spots), bottom + 20.0), "middle", "#555", &spots.to_string());
        }
        text(svg, ((left + right) / 2.0, bottom + 40.0), "middle", "#555", "spots");
        text(
            svg,
            (left, 26.0),
            "start",
            "#222",
            "CPU seconds, each start position from an empty database unless said",
        );
    }
}

/// Draws `series` over each other; times on a logarithmic scale. `source` says where they are from.
pub fn svg(series: &[Series], source: &str) -> String {
    let mut svg = String::new();
    let (width, height) = (SIZE.0, SIZE.1 + FOOT);
    put(
        &mut svg,
        &format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">"#
        ),
    );
    put(&mut svg, r#"<rect width="100%" height="100%" fill="white"/>"#);
    let axes = Axes::of(series);
    axes.draw(&mut svg);
    for (i, (series, colour)) in series.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let points: Vec<_> = series.seconds.iter().map(|point| axes.point(point)).collect();
        let path: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let path = path.join(" ");
        put(
            &mut svg,
            &format!(
                r#"<polyline points="{path}" fill="none" stroke="{colour}" stroke-opacity="0.4"/>"#
            ),
        );
        for (x, y) in points {
            put(&mut svg, &format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.5" fill="{colour}"/>"#));
        }
        let at = (SIZE.0 - NAMES - MARGIN.0 + 24.0, MARGIN.1 + 22.0 * i as f64);
        text(&mut svg, at, "start", colour, &series.name);
    }
    text(&mut svg, (MARGIN.0, SIZE.1 + 14.0), "start", "#555", source);
    svg.push_str("</svg>\n");
    svg
}

fn put(svg: &mut String, element: &str) {
    writeln!(svg, "{element}").expect("a string takes any text");
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, colour: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    put(
        svg,
        &format!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" fill="{colour}">{words}</text>"#
        ),
    );
}
