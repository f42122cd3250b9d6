//! Panels of series as one SVG image.

use std::fmt::Write;

use mpirage_units::{Duration, time_text};

use crate::text::{far_apart, size_text};

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
/// Labels that fit below a panel.
const LABELS: usize = 6;
/// Pixels of a letter of a label, roughly, and of a row of labels.
const LETTER: f64 = 6.0;
const ROW: f64 = 14.0;
/// Pixels of a name in the legend.
const NAME: f64 = 200.0;

const STYLE: &str = "text{font:12px sans-serif;fill:var(--ink,#222)}.paper{fill:var(--paper,#fff)}.title{font-size:15px}\
.axis{stroke:var(--soft,#888);fill:none}.grid{stroke:var(--line,#ddd)}.red{stroke:#c4501b;fill:none;stroke-width:1.5}.blue{stroke:#1f6fb2;fill:none;stroke-width:2}\
.green{stroke:#2d8a4e;fill:none;stroke-width:1.5}.grey{stroke:#777;fill:none;stroke-width:1.5}\
.label{paint-order:stroke;stroke:var(--paper,#fff);stroke-width:3px;font-size:11px}.lead{stroke:var(--soft,#888);stroke-dasharray:2 3}\
.dot-red{fill:#c4501b}.dot-blue{fill:#1f6fb2}.dot-green{fill:#2d8a4e}.dot-grey{fill:#999}";

/// The colour of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Red.
    Red,
    /// Blue, with a thicker line.
    Blue,
    /// Green.
    Green,
    /// Grey.
    Grey,
}

impl Colour {
    fn class(self) -> &'static str {
        match self {
            Colour::Red => "red",
            Colour::Blue => "blue",
            Colour::Green => "green",
            Colour::Grey => "grey",
        }
    }
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A line through points.
    LineAndDots,
    /// A line alone.
    Line,
    /// Points alone.
    Dots,
}

/// A point of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Message size.
    pub bytes: u64,
    /// Time in seconds.
    pub seconds: f64,
    /// The text that is shown when pointed at.
    pub text: String,
    /// The text that stands above it in the plot; none if it is empty.
    pub label: String,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its colour.
    pub colour: Colour,
    /// Line or points.
    pub look: Look,
    /// By size.
    pub points: Vec<Point>,
}

/// Series with common axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// The text above it.
    pub heading: String,
    /// The series, drawn in this order.
    pub series: Vec<Series>,
}

/// The image of panels. The legend names the series of the first one.
pub fn svg(title: &str, panels: &[Panel]) -> String {
    let columns = panels.len().clamp(1, COLUMNS);
    let lines = panels.len().div_ceil(columns);
    let (panel_width, panel_height) = (LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM);
    let names = panels.first().map_or(0, |panel| panel.series.len());
    let width = (panel_width * columns as f64).max(LEFT + NAME * names as f64);
    let height = HEAD + panel_height * lines as f64;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">"
    );
    let _ = writeln!(out, "<style>{STYLE}</style><rect class=\"paper\" width=\"100%\" height=\"100%\"/>");
    let _ = writeln!(out, "<text class=\"title\" x=\"{LEFT}\" y=\"20\">{}</text>", escaped(title));
    panels.iter().take(1).for_each(|panel| legend(&mut out, &panel.series));
    for (at, panel) in panels.iter().enumerate() {
        let x = panel_width * (at % columns) as f64 + LEFT;
        let y = HEAD + panel_height * (at / columns) as f64 + TOP;
        let _ = writeln!(out, "<g transform=\"translate({x} {y})\">");
        draw(&mut out, panel);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

fn legend(out: &mut String, series: &[Series]) {
    for (at, Series { name, colour, look, .. }) in series.iter().enumerate() {
        let (x, class) = (LEFT + NAME * at as f64, colour.class());
        let _ = match look {
            Look::Dots => write!(
                out,
                "<rect class=\"dot-{class}\" x=\"{}\" y=\"34\" width=\"6\" height=\"6\"/>",
                x + 9.0
            ),
            Look::Line | Look::LineAndDots => write!(out, "<path class=\"{class}\" d=\"M{x} 38h24\"/>"),
        };
        let _ = writeln!(out, "<text x=\"{}\" y=\"42\">{}</text>", x + 30.0, escaped(name));
    }
}

fn draw(out: &mut String, Panel { heading, series }: &Panel) {
    let _ = writeln!(out, "<text x=\"0\" y=\"-12\" font-weight=\"bold\">{}</text>", escaped(heading));
    let _ = writeln!(out, "<rect class=\"axis\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>");
    let all = || series.iter().flat_map(|series| &series.points);
    let times: Vec<f64> = all().map(|point| drawn_time(point.seconds)).collect();
    let sizes: Vec<f64> = all().map(|point| drawn_size(point.bytes)).collect();
    let (Some(x), Some(y)) = (Axis::of(&sizes, WIDTH), Axis::of(&times, HEIGHT)) else { return };
    grid(out, &x, &y, &labelled_sizes(series));
    for series in series {
        draw_series(out, &x, &y, series);
    }
    let labelled = all().filter(|point| !point.label.is_empty());
    let place = |point: &Point| (x.at(drawn_size(point.bytes)), HEIGHT - y.at(drawn_time(point.seconds)));
    draw_labels(out, &labelled.map(|point| (place(point), point.label.as_str())).collect::<Vec<_>>());
}

/// Labels from left to right along the top, each in the first row that has room, with a line down to its point.
fn draw_labels(out: &mut String, labels: &[((f64, f64), &str)]) {
    let mut row_ends: Vec<f64> = Vec::new();
    for &((x, y), label) in labels {
        let length = LETTER * label.chars().count() as f64;
        let start = x.min(WIDTH - length - 4.0).max(4.0);
        let row = row_ends.iter().position(|end| *end < start).unwrap_or(row_ends.len());
        row_ends.resize(row_ends.len().max(row + 1), 0.0);
        row_ends[row] = start + length + LETTER;
        let below = ROW * (row + 1) as f64;
        if y > below + 4.0 {
            let _ = writeln!(out, "<path class=\"lead\" d=\"M{x:.1} {:.1}V{y:.1}\"/>", below + 4.0);
        }
        let text = escaped(label);
        let _ = writeln!(out, "<text class=\"label\" x=\"{start:.1}\" y=\"{below}\">{text}</text>");
    }
}

fn grid(out: &mut String, x: &Axis, y: &Axis, sizes: &[u64]) {
    for decade in y.decades() {
        let at = HEIGHT - y.at(decade);
        let label = time_text(Duration::from_secs_f64(decade));
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M0 {at:.1}h{WIDTH}\"/><text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            at + 4.0
        );
    }
    for &size in sizes {
        let (at, label) = (x.at(drawn_size(size)), size_text(size));
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M{at:.1} 0v{HEIGHT}\"/><text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
            HEIGHT + 18.0
        );
    }
}

/// The sizes that have labels: as many of those there are as have room, or powers of two if there are very many.
fn labelled_sizes(series: &[Series]) -> Vec<u64> {
    let points = series.iter().flat_map(|series| &series.points);
    let mut sizes: Vec<u64> = points.map(|point| point.bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.len() > LABELS * LABELS {
        let (first, last) = (sizes[0].max(1), sizes[sizes.len() - 1]);
        sizes = (0..63).map(|power| 1 << power).filter(|size| (first..=last).contains(size)).collect();
    }
    far_apart(sizes, LABELS)
}

fn draw_series(out: &mut String, x: &Axis, y: &Axis, Series { colour, look, points, .. }: &Series) {
    let place = |point: &Point| (x.at(drawn_size(point.bytes)), HEIGHT - y.at(drawn_time(point.seconds)));
    let class = colour.class();
    if *look != Look::Dots {
        let places: Vec<String> = points.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(out, "<polyline class=\"{class}\" points=\"{}\"/>", places.join(" "));
    }
    if *look == Look::Line {
        return;
    }
    let radius = if points.len() > LABELS * LABELS { 1.5 } else { 3.0 };
    for point in points {
        let (x, y) = place(point);
        let _ = writeln!(
            out,
            "<circle class=\"dot-{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"><title>{}</title></circle>",
            escaped(&point.text)
        );
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
fn drawn_time(seconds: f64) -> f64 {
    seconds.max(1e-12)
}

/// A size of zero is drawn as half a byte.
fn drawn_size(bytes: u64) -> f64 {
    (bytes as f64).max(0.5)
}

/// Text as it may stand in SVG and HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(sizes: impl Iterator<Item = u64>, look: Look) -> Panel {
        let points = sizes.map(|bytes| Point {
            bytes,
            seconds: 1e-6 * bytes as f64,
            text: "a < b".to_owned(),
            label: String::new(),
        });
        let series = Series { name: "one".to_owned(), colour: Colour::Blue, look, points: points.collect() };
        Panel { heading: "times".to_owned(), series: vec![series] }
    }

    #[test]
    fn every_look_draws_what_it_says() {
        let count = |look, what: &str| svg("t", &[panel([1, 2, 4].into_iter(), look)]).matches(what).count();
        assert_eq!((count(Look::Dots, "<circle"), count(Look::Dots, "<polyline")), (3, 0));
        assert_eq!((count(Look::Line, "<circle"), count(Look::Line, "<polyline")), (0, 1));
        assert_eq!((count(Look::LineAndDots, "<circle"), count(Look::LineAndDots, "<polyline")), (3, 1));
        assert_eq!(count(Look::Dots, "a &lt; b"), 3);
    }

    #[test]
    fn labels_do_not_overlap() {
        let mut out = String::new();
        let labels =
            [((10.0, 200.0), "one & two"), ((40.0, 180.0), "three"), ((300.0, 10.0), "a rather long name")];
        draw_labels(&mut out, &labels);
        let rows: Vec<&str> =
            out.split("class=\"label\"").skip(1).map(|text| text.split('"').nth(3).unwrap()).collect();
        assert_eq!(rows, ["14", "28", "14"]);
        assert!(out.contains("one &amp; two") && out.matches("class=\"lead\"").count() == 2, "{out}");
    }

    #[test]
    fn many_sizes_have_round_labels() {
        let sizes = labelled_sizes(&panel((1..5000).map(|size| size * 3), Look::Dots).series);
        assert!(sizes.len() <= LABELS && sizes.iter().all(|size| size.is_power_of_two()), "{sizes:?}");
        assert_eq!(labelled_sizes(&panel([7, 9].into_iter(), Look::Dots).series), [7, 9]);
    }
}
