//! A plot as SVG: for each collective the times of the base choice and of the best methods, over sizes. Both axes are
//! logarithmic. Each point tells its method and time when pointed at.

use std::fmt::Write;

use mpirage_units::Duration;

use crate::Row;
use crate::text::{size_text, time_text};

/// A panel, without the space around it.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 40.0;
const RIGHT: f64 = 20.0;
const BOTTOM: f64 = 45.0;
/// Panels side by side.
const COLUMNS: usize = 3;
/// Space for title and legend above the panels.
const HEAD: f64 = 50.0;

const STYLE: &str = "text{font:12px sans-serif;fill:#222}.title{font-size:15px}.axis{stroke:#888;fill:none}\
.grid{stroke:#ddd}.base{stroke:#c4501b;fill:none;stroke-width:1.5}.best{stroke:#1f6fb2;fill:none;stroke-width:2}\
.dot-base{fill:#c4501b}.dot-best{fill:#1f6fb2}";

/// The plot of panels, each with its heading: the rows of one collective on one communicator, by size. `base` names the choice
/// that is compared with the best.
pub fn svg(title: &str, base: &str, panels: &[(String, Vec<&Row>)]) -> String {
    let columns = panels.len().clamp(1, COLUMNS);
    let lines = panels.len().div_ceil(columns);
    let (panel_width, panel_height) = (LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM);
    let (width, height) = (panel_width * columns as f64, HEAD + panel_height * lines as f64);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">"
    );
    let _ = writeln!(out, "<style>{STYLE}</style><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>");
    let _ = writeln!(out, "<text class=\"title\" x=\"{LEFT}\" y=\"20\">{}</text>", escaped(title));
    legend(&mut out, base);
    for (at, (heading, rows)) in panels.iter().enumerate() {
        let x = panel_width * (at % columns) as f64 + LEFT;
        let y = HEAD + panel_height * (at / columns) as f64 + TOP;
        let _ = writeln!(out, "<g transform=\"translate({x} {y})\">");
        panel(&mut out, heading, rows);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

fn legend(out: &mut String, base: &str) {
    for (at, (class, name)) in
        [("base", base), ("best", "best of the simulated methods")].into_iter().enumerate()
    {
        let x = LEFT + 200.0 * at as f64;
        let _ = writeln!(
            out,
            "<path class=\"{class}\" d=\"M{x} 38h24\"/><text x=\"{}\" y=\"42\">{}</text>",
            x + 30.0,
            escaped(name)
        );
    }
}

fn panel(out: &mut String, heading: &str, rows: &[&Row]) {
    let _ = writeln!(out, "<text x=\"0\" y=\"-12\" font-weight=\"bold\">{}</text>", escaped(heading));
    let _ = writeln!(out, "<rect class=\"axis\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>");
    let times: Vec<f64> = rows.iter().flat_map(|row| [row.base.time, row.best.time]).map(seconds).collect();
    let sizes: Vec<f64> = rows.iter().map(|row| size(row)).collect();
    let (Some(x), Some(y)) = (Axis::of(&sizes, WIDTH), Axis::of(&times, HEIGHT)) else { return };
    for decade in y.decades() {
        let at = HEIGHT - y.at(decade);
        let label = time_text(Duration::from_secs_f64(decade));
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M0 {at:.1}h{WIDTH}\"/><text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            at + 4.0
        );
    }
    // As many labels as there is room for.
    let step = rows.len().div_ceil(6).max(1);
    for row in rows.iter().step_by(step) {
        let at = x.at(size(row));
        let label = size_text(row.point.bytes);
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M{at:.1} 0v{HEIGHT}\"/><text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
            HEIGHT + 18.0
        );
    }
    for class in ["base", "best"] {
        let timed = |row: &Row| if class == "base" { row.base } else { row.best };
        let place = |row: &Row| (x.at(size(row)), HEIGHT - y.at(seconds(timed(row).time)));
        let points: Vec<String> =
            rows.iter().map(|row| place(row)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(out, "<polyline class=\"{class}\" points=\"{}\"/>", points.join(" "));
        for row in rows {
            let ((x, y), timed) = (place(row), timed(row));
            let text = format!("{}: {}, {}", size_text(row.point.bytes), timed.method, time_text(timed.time));
            let _ = writeln!(
                out,
                "<circle class=\"dot-{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"><title>{}</title></circle>",
                escaped(&text)
            );
        }
    }
}

/// A logarithmic axis of some length.
struct Axis {
    low: f64,
    high: f64,
    length: f64,
}

impl Axis {
    fn of(values: &[f64], length: f64) -> Option<Axis> {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(0.0, f64::max);
        // Some room at both ends; a single value is in the middle.
        (low > 0.0 && high >= low).then(|| Axis { low: low / 1.3, high: high * 1.3, length })
    }

    fn at(&self, value: f64) -> f64 {
        (value / self.low).ln() / (self.high / self.low).ln() * self.length
    }

    /// Powers of ten on the axis.
    fn decades(&self) -> impl Iterator<Item = f64> {
        let (first, last) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
        (first..=last).map(|exponent| 10f64.powi(exponent))
    }
}

/// At least a picosecond, so that there is a logarithm.
fn seconds(time: Duration) -> f64 {
    time.as_picos().max(1) as f64 * 1e-12
}

/// A size of zero is drawn as half a byte.
fn size(row: &Row) -> f64 {
    (row.point.bytes as f64).max(0.5)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
