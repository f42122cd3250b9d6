//! A comparison as a plot and as a page.

use std::fmt::Write;

use mpirage_plot::{
    AxisLook, Chart, Colour, Line, Look, Mark, PALETTE, Panel, Point, Scale, Series, charts, escaped,
    size_text, svg,
};
use mpirage_units::{Duration, counted, time_text};

use crate::compare::{Comparison, Pair};
use crate::error::percent;

/// The first column has names, the others numbers.
const STYLE: &str = "td, th { text-align: right; } td:first-child, th:first-child { text-align: left; }";
/// Charts side by side.
const COLUMNS: usize = 3;

/// Simulated and measured times, as SVG: a panel for each benchmark, library and number of ranks.
pub fn comparison_plot(comparison: &Comparison) -> String {
    let ranks =
        |pair: &Pair| pair.ranks.map_or_else(String::new, |ranks| format!(", {}", counted(ranks, "rank")));
    let panel = |pairs: &[Pair]| Panel {
        heading: heading(&pairs[0]) + &ranks(&pairs[0]),
        series: vec![
            series("measured", Colour::Red, pairs, |pair| pair.measured),
            series("simulated", Colour::Blue, pairs, |pair| pair.simulated),
        ],
    };
    let alike = by_subject(comparison).flat_map(|pairs| pairs.chunk_by(|one, next| one.ranks == next.ranks));
    let panels: Vec<Panel> = alike.map(panel).collect();
    svg("simulated and measured times", &panels)
}

/// A page with the answer, the errors by size, by group and by series.
pub fn comparison_page(comparison: &Comparison, title: &str) -> String {
    let mut out = format!("<h1>{}</h1>\n", escaped(title));
    out += &mpirage_plot::verdict(&comparison.verdict().map(capitalized).into_iter().collect::<Vec<_>>());
    out += "<h2>Errors</h2>\n<p class=\"quiet\">Above 0, the simulation is too slow; below, too fast.</p>\n";
    let _ = writeln!(out, "<div class=\"charts\">{}</div>", charts(&residuals(comparison), COLUMNS));
    groups(&mut out, comparison);
    let _ = writeln!(out, "<h2>Times</h2>\n<div class=\"charts\">{}</div>", comparison_plot(comparison));
    all_series(&mut out, comparison);
    mpirage_plot::page(title, STYLE, &out, "")
}

fn capitalized(sentence: String) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// Pairs of one network, library and benchmark; they stand beside each other.
fn by_subject(comparison: &Comparison) -> impl Iterator<Item = &[Pair]> {
    comparison.pairs.chunk_by(|one, next| one.subject() == next.subject())
}

fn heading(pair: &Pair) -> String {
    let subject = pair.subject();
    if subject.is_empty() { "times".to_owned() } else { subject }
}

/// Runs without a size stand at one byte.
fn size_of(pair: &Pair) -> u64 {
    pair.bytes.unwrap_or(1)
}

fn series(title: &str, colour: Colour, pairs: &[Pair], seconds: fn(&Pair) -> f64) -> Series {
    let point = |pair: &Pair| Point {
        bytes: size_of(pair),
        seconds: seconds(pair),
        text: format!("{}: {title}, {}", pair.name(), time(seconds(pair))),
        label: String::new(),
    };
    Series {
        name: title.to_owned(),
        colour,
        look: Look::LineAndDots,
        points: pairs.iter().map(point).collect(),
    }
}

/// By how many percent each simulated time is off: a chart for each subject, a line for each number of ranks. All have one y axis.
fn residuals(comparison: &Comparison) -> Vec<Chart> {
    let all = || comparison.pairs.iter().map(off);
    let covers = (all().fold(-1.0, f64::min), all().fold(1.0, f64::max));
    let mut ranks: Vec<Option<u64>> = comparison.pairs.iter().map(|pair| pair.ranks).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let chart = |pairs: &[Pair]| Chart {
        heading: heading(&pairs[0]),
        x: AxisLook::sizes("message size", pairs.iter().map(size_of)),
        y: AxisLook { covers: Some(covers), ..AxisLook::new("simulated − measured (%)", Scale::Linear) },
        lines: ranks.iter().enumerate().filter_map(|(colour, &ranks)| line(pairs, ranks, colour)).collect(),
    };
    by_subject(comparison).map(chart).collect()
}

fn off(pair: &Pair) -> f64 {
    100.0 * (pair.simulated / pair.measured - 1.0)
}

fn line(pairs: &[Pair], ranks: Option<u64>, colour: usize) -> Option<Line> {
    let mark = |pair: &Pair| Mark {
        x: size_of(pair).max(1) as f64,
        y: off(pair),
        interval: None,
        text: format!("{}: {:+.1} %", pair.name(), off(pair)),
    };
    let marks: Vec<Mark> = pairs.iter().filter(|pair| pair.ranks == ranks).map(mark).collect();
    let name = ranks.map_or_else(|| "difference".to_owned(), |ranks| counted(ranks, "rank"));
    (!marks.is_empty()).then(|| Line {
        name,
        colour: colour % PALETTE.len(),
        joined: true,
        faint: false,
        marks,
    })
}

fn groups(out: &mut String, comparison: &Comparison) {
    out.push_str("<table><tr><th>logarithmic error</th><th>series</th><th>mean</th><th>worst</th></tr>\n");
    let groups = comparison.groups();
    let named = groups.iter().map(|group| (format!("{} {}", group.by, group.name), &group.errors));
    let all = comparison.errors();
    for (name, errors) in named.chain([("all".to_owned(), &all)]) {
        let (mean, worst) = (percent(errors.mean()), percent(errors.worst()));
        row(out, &[name, errors.count().to_string(), mean, worst]);
    }
    out.push_str("</table>\n");
    let Comparison { only_simulated, only_measured, .. } = comparison;
    if only_simulated + only_measured > 0 {
        let _ = writeln!(
            out,
            "<p class=\"quiet\">In one file only: {only_simulated} simulated, {only_measured} measured series.</p>"
        );
    }
}

fn all_series(out: &mut String, comparison: &Comparison) {
    out.push_str(
        "<h2>Series</h2>\n<div class=\"wide\"><table><tr><th>benchmark</th><th>ranks</th><th>size</th><th>simulated</th>\
         <th>measured</th><th>difference</th></tr>\n",
    );
    for pair in &comparison.pairs {
        let size = pair.bytes.map_or_else(String::new, size_text);
        let ranks = pair.ranks.map_or_else(String::new, |ranks| ranks.to_string());
        let difference = format!("{:+.1} %", off(pair));
        row(out, &[heading(pair), ranks, size, time(pair.simulated), time(pair.measured), difference]);
    }
    out.push_str("</table></div>\n");
}

fn row(out: &mut String, cells: &[String]) {
    let cells: Vec<String> = cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
    let _ = writeln!(out, "<tr>{}</tr>", cells.concat());
}

fn time(seconds: f64) -> String {
    time_text(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(bench: &str, ranks: u64, bytes: u64, simulated: f64) -> Pair {
        let bench = Some(bench.to_owned());
        Pair {
            bench,
            mpi: None,
            topology: None,
            ranks: Some(ranks),
            bytes: Some(bytes),
            simulated,
            measured: 1.0,
        }
    }

    #[test]
    fn a_page_has_the_verdict_and_every_series() {
        let pairs = vec![pair("halo", 4, 8, 1.5), pair("ring <1>", 4, 8, 1.0), pair("ring <1>", 8, 8, 0.5)];
        let comparison = Comparison { pairs, only_simulated: 0, only_measured: 2 };
        let page = comparison_page(&comparison, "a beside b");
        assert!(page.contains("<p>The simulation is"), "{page}");
        assert!(page.contains("most in ring &lt;1&gt;, 8 ranks, 8 B: 100 % too fast.</p>"), "{page}");
        assert!(page.contains("<td>halo</td><td>4</td><td>8 B</td>") && page.contains("<td>+50.0 %</td>"));
        assert!(page.contains("0 simulated, 2 measured series"));
        let charts = residuals(&comparison);
        assert_eq!(charts.iter().map(|chart| chart.lines.len()).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(charts[0].y.covers, Some((-50.0, 50.0)));
    }
}
