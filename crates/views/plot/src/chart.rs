//! Charts of any quantities, as one SVG image: panels side by side, each with axes of its own.
//!
//! An axis is linear, logarithmic, or a row of names. A point may have an interval, which is drawn as a bar. Each point shows its text when
//! pointed at.

use std::fmt::Write;

use crate::axis::{Axis, number_text};
use crate::svg::escaped;
use crate::text::{far_apart, size_text};

/// A panel, without the space around it.
const WIDTH: f64 = 330.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 78.0;
const TOP: f64 = 34.0;
const RIGHT: f64 = 18.0;
const BOTTOM: f64 = 62.0;
/// Pixels of a line of the legend.
const LEGEND_LINE: f64 = 18.0;
/// Pixels of a letter, roughly.
const LETTER: f64 = 6.6;

/// Labels of sizes that fit below a panel.
const SIZES: usize = 9;

/// Colours of series; Okabe and Ito's, which people with any colour vision can tell apart.
pub const PALETTE: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5c00", "#666666"];

/// Colours follow the page around an image, which may be dark; an image alone is light.
const STYLE: &str = "text{font:12px sans-serif;fill:var(--ink,#222)}.paper{fill:var(--paper,#fff)}.head{font-weight:bold}\
.axis{stroke:var(--soft,#888);fill:none}.grid{stroke:var(--line,#e4e4e4)}.line{fill:none;stroke-width:1.6}.bar{stroke-width:1.2}\
.faint{opacity:.35}text.quiet{fill:var(--soft,#666)}";

/// Positions along an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// Numbers at equal distances.
    Linear,
    /// Powers at equal distances; numbers above 0 only.
    Logarithmic,
    /// Names; the number of a name is its position.
    Names(Vec<String>),
}

/// The appearance of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisLook {
    /// The text beside it.
    pub title: String,
    /// Its positions.
    pub scale: Scale,
    /// Values that it covers besides those of the chart, so that charts side by side have the same axis.
    pub covers: Option<(f64, f64)>,
    /// Numbers and their labels, as far as there is room; round numbers if none are given.
    pub ticks: Vec<(f64, String)>,
    /// Numbers are seconds, and labels have units of time.
    pub times: bool,
}

impl AxisLook {
    /// An axis with round labels, as long as the chart needs it.
    pub fn new(title: &str, scale: Scale) -> AxisLook {
        AxisLook { title: title.to_owned(), scale, covers: None, ticks: Vec::new(), times: false }
    }

    /// A logarithmic axis of sizes in bytes, with labels at some of these.
    pub fn sizes(title: &str, sizes: impl Iterator<Item = u64>) -> AxisLook {
        let sizes = far_apart(sizes.map(|bytes| bytes.max(1)).collect(), SIZES);
        let ticks = sizes.into_iter().map(|bytes| (bytes as f64, size_text(bytes))).collect();
        AxisLook { ticks, ..AxisLook::new(title, Scale::Logarithmic) }
    }

    /// The same axis with labels at these numbers.
    pub fn at(self, numbers: &[f64]) -> AxisLook {
        AxisLook { ticks: numbers.iter().map(|&number| (number, short_number(number))).collect(), ..self }
    }
}

/// A point of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Position along x.
    pub x: f64,
    /// Position along y.
    pub y: f64,
    /// The interval around y, if there is one.
    pub interval: Option<(f64, f64)>,
    /// The text that is shown when pointed at.
    pub text: String,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// The place of its colour in [`PALETTE`].
    pub colour: usize,
    /// Whether a line joins the points.
    pub joined: bool,
    /// Whether it is in the background.
    pub faint: bool,
    /// Its points.
    pub marks: Vec<Mark>,
}

/// A panel of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The text above it.
    pub heading: String,
    /// The axis to the right.
    pub x: AxisLook,
    /// The axis upwards.
    pub y: AxisLook,
    /// The lines, drawn in this order.
    pub lines: Vec<Line>,
}

/// The image of charts, `columns` side by side. The legend names the lines of all charts once, if there is more than one name.
pub fn charts(charts: &[Chart], columns: usize) -> String {
    let columns = charts.len().clamp(1, columns.max(1));
    let rows = charts.len().div_ceil(columns);
    let (panel_width, panel_height) = (LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM);
    let width = panel_width * columns as f64;
    let (legend, head) = legend(charts, width);
    let height = head + panel_height * rows as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <style>{STYLE}</style><rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{legend}"
    );
    for (at, chart) in charts.iter().enumerate() {
        let x = panel_width * (at % columns) as f64 + LEFT;
        let y = head + panel_height * (at / columns) as f64 + TOP;
        let _ = writeln!(out, "<g transform=\"translate({x} {y})\">");
        draw(&mut out, chart);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// The legend, and its height.
fn legend(charts: &[Chart], width: f64) -> (String, f64) {
    let mut names: Vec<(&str, usize)> = Vec::new();
    for line in charts.iter().flat_map(|chart| &chart.lines).filter(|line| !line.name.is_empty()) {
        if !names.iter().any(|(name, _)| *name == line.name) {
            names.push((&line.name, line.colour));
        }
    }
    if names.len() < 2 {
        return (String::new(), 0.0);
    }
    let (mut out, mut x, mut y) = (String::new(), 10.0, LEGEND_LINE);
    for (name, colour) in names {
        let room = 40.0 + LETTER * name.chars().count() as f64;
        if x + room > width && x > 10.0 {
            (x, y) = (10.0, y + LEGEND_LINE);
        }
        let _ = writeln!(
            out,
            "<path class=\"line\" stroke=\"{}\" d=\"M{x:.0} {:.0}h18\"/><text x=\"{:.0}\" y=\"{y:.0}\">{}</text>",
            colour_of(colour),
            y - 4.0,
            x + 22.0,
            escaped(name)
        );
        x += room;
    }
    (out, y + 6.0)
}

fn colour_of(number: usize) -> &'static str {
    PALETTE[number % PALETTE.len()]
}

fn draw(out: &mut String, chart: &Chart) {
    let _ =
        writeln!(out, "<text class=\"head\" x=\"0\" y=\"-12\">{}</text>", escaped(&cut(&chart.heading, 52)));
    let _ = writeln!(out, "<rect class=\"axis\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>");
    let marks = || chart.lines.iter().flat_map(|line| &line.marks);
    let ends = |mark: &Mark| mark.interval.map_or([mark.y; 2], |(low, high)| [low, high]);
    let covered = |look: &AxisLook| look.covers.into_iter().flat_map(|(low, high)| [low, high]);
    let xs: Vec<f64> = marks().map(|mark| mark.x).chain(covered(&chart.x)).collect();
    let values = marks().flat_map(|mark| [mark.y].into_iter().chain(ends(mark)));
    let ys: Vec<f64> = values.chain(covered(&chart.y)).collect();
    let (Some(x), Some(y)) = (Axis::of(&chart.x, &xs, WIDTH), Axis::of(&chart.y, &ys, HEIGHT)) else {
        let _ = writeln!(out, "<text class=\"quiet\" x=\"12\" y=\"24\">nothing to show</text>");
        return;
    };
    draw_grid(out, chart, &x, &y);
    chart.lines.iter().for_each(|line| draw_line(out, &x, &y, line));
}

fn draw_grid(out: &mut String, chart: &Chart, x: &Axis, y: &Axis) {
    for (value, label) in y.ticks() {
        let at = HEIGHT - y.at(value);
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M0 {at:.1}h{WIDTH}\"/><text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            at + 4.0,
            escaped(&cut(&label, 11))
        );
    }
    let ticks = x.ticks();
    let letters = ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0);
    // Long names stand one above the other in two rows, or are turned.
    let room = WIDTH / ticks.len().max(1) as f64;
    let is_turned = letters.min(18) as f64 * LETTER > room;
    for (value, label) in &ticks {
        let (at, label) = (x.at(*value), escaped(&cut(label, 18)));
        let text = match is_turned {
            true => format!(
                "<text transform=\"translate({at:.1} {}) rotate(-24)\" text-anchor=\"end\">{label}</text>",
                HEIGHT + 14.0
            ),
            false => {
                format!("<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", HEIGHT + 16.0)
            }
        };
        let _ = writeln!(out, "<path class=\"grid\" d=\"M{at:.1} 0v{HEIGHT}\"/>{text}");
    }
    let below = if is_turned { HEIGHT + 56.0 } else { HEIGHT + 36.0 };
    let _ = writeln!(
        out,
        "<text class=\"quiet\" x=\"{}\" y=\"{below}\" text-anchor=\"middle\">{}</text>\
         <text class=\"quiet\" transform=\"translate(-64 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        WIDTH / 2.0,
        escaped(&cut(&chart.x.title, 50)),
        HEIGHT / 2.0,
        escaped(&cut(&chart.y.title, 32))
    );
}

fn draw_line(out: &mut String, x: &Axis, y: &Axis, line: &Line) {
    let colour = colour_of(line.colour);
    let place = |mark: &Mark| (x.at(mark.x), HEIGHT - y.at(mark.y));
    let faint = if line.faint { " class=\"faint\"" } else { "" };
    let _ = writeln!(out, "<g{faint}>");
    if line.joined {
        let places: Vec<String> =
            line.marks.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ =
            writeln!(out, "<polyline class=\"line\" stroke=\"{colour}\" points=\"{}\"/>", places.join(" "));
    }
    let radius = if line.marks.len() > 60 { 1.8 } else { 3.2 };
    for mark in &line.marks {
        let (at, up) = place(mark);
        if let Some((low, high)) = mark.interval {
            let [low, high] = [low, high].map(|end| HEIGHT - y.at(end));
            let _ = writeln!(
                out,
                "<path class=\"bar\" stroke=\"{colour}\" d=\"M{at:.1} {low:.1}V{high:.1}M{:.1} {low:.1}h6M{:.1} {high:.1}h6\"/>",
                at - 3.0,
                at - 3.0
            );
        }
        let _ = writeln!(
            out,
            "<circle fill=\"{colour}\" cx=\"{at:.1}\" cy=\"{up:.1}\" r=\"{radius}\"><title>{}</title></circle>",
            escaped(&mark.text)
        );
    }
    out.push_str("</g>\n");
}

/// A text of at most so many letters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// A number for people: three digits, and a power of ten where it is far from 1.
pub fn short_number(value: f64) -> String {
    number_text(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(scale: Scale, values: &[(f64, f64)]) -> Chart {
        let mark = |&(x, y): &(f64, f64)| Mark {
            x,
            y,
            interval: Some((y * 0.9, y * 1.1)),
            text: "a < b".to_owned(),
        };
        let line = |name: &str, colour| Line {
            name: name.to_owned(),
            colour,
            joined: true,
            faint: false,
            marks: values.iter().map(mark).collect(),
        };
        let look = AxisLook::new;
        Chart {
            heading: "times".to_owned(),
            x: look("x", scale),
            y: look("y", Scale::Linear),
            lines: vec![line("one", 0), line("two", 9)],
        }
    }

    #[test]
    fn a_chart_has_points_bars_and_a_legend() {
        let image = charts(&[chart(Scale::Logarithmic, &[(1.0, 2.0), (10.0, 3.0), (100.0, 5.0)])], 3);
        assert_eq!((image.matches("<circle").count(), image.matches("class=\"bar\"").count()), (6, 6));
        assert_eq!((image.matches("<polyline").count(), image.matches("a &lt; b").count()), (2, 6));
        assert!(image.contains(">one<") && image.contains(">two<"));
    }

    #[test]
    fn charts_of_nothing_say_so() {
        let image = charts(&[chart(Scale::Logarithmic, &[(0.0, 1.0)])], 2);
        assert!(image.contains("nothing to show"), "a logarithm of zero has no place");
        assert!(charts(&[chart(Scale::Linear, &[])], 2).contains("nothing to show"));
        let names = Scale::Names(["a", "b", "c", "d"].map(|name| name.repeat(40)).to_vec());
        let image = charts(&[chart(names, &[(0.0, 1.0), (1.0, 1.0)])], 2);
        assert!(image.contains("rotate(-24)") && image.contains('…'));
    }
}
