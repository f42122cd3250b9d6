//! The page and the plot of `mpirage tune`.

use std::fmt::Write;

use mpirage_plot::{AxisLook, Chart, Line, Mark, PALETTE, Scale, charts, escaped};
use mpirage_tune::{Row, Timed, size_text, svg};
use mpirage_units::time_text;

use super::show::{NAMES, Results, sections};

/// Methods of a chart that have a colour and a name: the best one at each size, then those nearest to it.
const METHODS: usize = 6;

/// The times of the base choice and of the best methods, as an SVG file.
pub fn plot(results: &Results<'_>) -> String {
    drawing(results, &results.title())
}

fn drawing(results: &Results<'_>, title: &str) -> String {
    let panels: Vec<_> =
        sections(results.rows).map(|rows| (results.heading(rows), rows.iter().collect())).collect();
    svg(title, &results.base, &panels)
}

/// The page as HTML. It links to nothing.
pub fn page(results: &Results<'_>) -> String {
    let mut out = format!("<h1>Collectives</h1>\n{}", mpirage_plot::verdict(&results.findings()));
    let _ = writeln!(out, "<p class=\"lead\">{}</p>", escaped(&results.title()));
    let _ = writeln!(out, "<div class=\"charts\">{}</div>", drawing(results, "times over sizes"));
    for rows in sections(results.rows) {
        let _ = writeln!(out, "<h2>{}</h2>", escaped(&results.heading(rows)));
        if rows.len() > 1 {
            let _ = writeln!(out, "<div class=\"charts\">{}</div>", charts(&[methods(rows)], 1));
        }
        table(&mut out, &results.cells(rows));
    }
    rules(&mut out, results);
    mpirage_plot::page(&results.title(), "", &out, "")
}

/// How much longer each method takes than the best one, by size.
fn methods(rows: &[Row]) -> Chart {
    let line = |(colour, name): (usize, String)| Line {
        marks: rows.iter().filter_map(|row| mark(row, &name)).collect(),
        colour: colour % PALETTE.len(),
        joined: true,
        faint: false,
        name,
    };
    Chart {
        heading: "methods beside the best".to_owned(),
        x: AxisLook::sizes("size", rows.iter().map(|row| row.point.bytes)),
        y: AxisLook::new("times as long", Scale::Logarithmic),
        lines: nearest(rows).into_iter().enumerate().map(line).collect(),
    }
}

/// The names of the methods that are the nearest to the best over all sizes, the nearest first.
fn nearest(rows: &[Row]) -> Vec<String> {
    let mut methods: Vec<(f64, String)> = Vec::new();
    for timed in rows.iter().flat_map(|row| &row.all) {
        let name = timed.method.to_string();
        if !methods.iter().any(|(_, known)| *known == name) {
            methods.push((mean_ratio(rows, &name), name));
        }
    }
    methods.sort_by(|one, other| one.0.total_cmp(&other.0));
    methods.into_iter().take(METHODS).map(|(_, name)| name).collect()
}

/// The geometric mean over the sizes at which a method was tried; one that was skipped somewhere was far from the best there.
fn mean_ratio(rows: &[Row], name: &str) -> f64 {
    let ratio = |row: &Row| timed(row, name).map_or(super::NEAR, |timed| ratio(row, timed));
    rows.iter().map(|row| ratio(row).ln()).sum::<f64>() / rows.len() as f64
}

fn timed<'r>(row: &'r Row, name: &str) -> Option<&'r Timed> {
    row.all.iter().find(|timed| timed.method.to_string() == name)
}

fn ratio(row: &Row, timed: &Timed) -> f64 {
    timed.time.as_secs_f64() / row.best.time.as_secs_f64().max(f64::MIN_POSITIVE)
}

fn mark(row: &Row, name: &str) -> Option<Mark> {
    let timed = timed(row, name)?;
    let text = format!("{}: {name}, {}", size_text(row.point.bytes), time_text(timed.time));
    Some(Mark { x: row.point.bytes.max(1) as f64, y: ratio(row, timed), interval: None, text })
}

fn table(out: &mut String, cells: &[Vec<String>]) {
    out.push_str("<table>\n");
    for (at, line) in cells.iter().enumerate() {
        let tag = if at == 0 { "th" } else { "td" };
        let cell = |(column, text): (usize, &String)| {
            let class = if NAMES.contains(&column) { "" } else { " class=\"n\"" };
            format!("<{tag}{class}>{}</{tag}>", escaped(text))
        };
        let _ = writeln!(out, "<tr>{}</tr>", line.iter().enumerate().map(cell).collect::<String>());
    }
    out.push_str("</table>\n");
}

fn rules(out: &mut String, results: &Results<'_>) {
    let rules: Vec<String> = results.rules.iter().map(ToString::to_string).collect();
    if !rules.is_empty() {
        let _ = writeln!(
            out,
            "<h2>Rules</h2>\n<p class=\"quiet\">For <code>--coll FILE.rules</code>; <code>-o</code> writes them for an MPI library.</p>\n<pre>{}</pre>",
            escaped(&rules.join("\n"))
        );
    }
}
