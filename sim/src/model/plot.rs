//! Efficiency over the size of the cluster, as SVG.

use std::fmt::Write;

use super::Prediction;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 30.0;
const COLOURS: [&str; 4] = ["#c0392b", "#2471a3", "#1e8449", "#7d3c98"];

/// Draws curves by name, and what was measured as dots (workers, efficiency).
pub fn draw(curves: &[(&str, Vec<Prediction>)], measured: &[(usize, f64)]) -> String {
    let (right, bottom) = (WIDTH - 30.0, HEIGHT - 50.0);
    let x = |workers: f64| LEFT + (right - LEFT) * workers.log10() / 4.0;
    let y = |efficiency: f64| bottom - (bottom - TOP) * efficiency;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
    );
    for (workers, text) in
        [(1.0, "1"), (10.0, "10"), (100.0, "100"), (1e3, "1,000"), (1e4, "10,000")]
    {
        let _ = writeln!(
            svg,
            "<path d=\"M{0:.1} {TOP}V{bottom}\" stroke=\"#ddd\"/><text x=\"{0:.1}\" y=\"{1}\" text-anchor=\"middle\">{text}</text>",
            x(workers),
            bottom + 20.0
        );
    }
    for percent in [0, 25, 50, 75, 100] {
        let level = y(f64::from(percent) / 100.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {level:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{percent} %</text>",
            LEFT - 8.0,
            level + 4.0
        );
    }
    for (number, (name, curve)) in curves.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let points: Vec<String> = curve
            .iter()
            .map(|p| format!("{:.1},{:.1}", x(p.workers as f64), y(p.efficiency)))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n\
             <text x=\"{}\" y=\"{}\" fill=\"{colour}\">{name}</text>",
            points.join(" "),
            LEFT + 14.0,
            bottom - 14.0 - 18.0 * number as f64
        );
    }
    for &(workers, efficiency) in measured {
        let (x, y) = (x(workers as f64), y(efficiency.min(1.1)));
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>");
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">workers (one core each); dots are real runs</text>\n</svg>",
        (LEFT + right) / 2.0,
        HEIGHT - 8.0
    );
    svg
}
