//! The page of a study: one HTML file without links to others.

use std::fmt::Write;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use mpirage_files::OutputFile;
use mpirage_plot::{Chart, charts, escaped, short_number};
use mpirage_timeline::{Column, Values};
use mpirage_units::counted;

use crate::analysis::Analysis;
use crate::error::SweepError;
use crate::measure;
use crate::plots::{main_effects, pareto, small_multiples};
use crate::ranking::{Problem, Ranked};
use crate::scaling::Scaling;
use crate::speed_up::speed_ups;
use crate::study::Study;
use crate::table::{Results, command_line};

const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");
/// Combinations in the ranking.
const RANKED: usize = 20;
/// Combinations of each problem in the ranking, if there are many problems.
const LEAST_RANKED: usize = 3;
/// Rows of the table; more make a page slow.
const MOST_ROWS: usize = 5000;
/// Failures that are shown.
const MOST_FAILURES: usize = 50;
/// Charts side by side.
const COLUMNS: usize = 3;

/// Writes the page of a study into a folder; says where.
pub fn write_page(study: &Study, results: &Results, folder: &Path) -> Result<PathBuf, SweepError> {
    let path = folder.join("index.html");
    let written = OutputFile::create(&path).and_then(|mut file| {
        file.write_all(page(study, results).as_bytes())?;
        file.finish()
    });
    written.map_err(SweepError::io(&path))?;
    Ok(path)
}

fn page(study: &Study, results: &Results) -> String {
    let mut out = format!("<h1>{}</h1>\n", escaped(study.name()));
    let analysis = Analysis::new(study, results);
    out += &mpirage_plot::verdict(&analysis.as_ref().map(Analysis::verdict).unwrap_or_default());
    head(&mut out, study, results);
    if let Some(analysis) = analysis {
        let scaling = Scaling::of(&analysis);
        ranking(&mut out, &analysis);
        scaling.iter().for_each(|scaling| scaling_section(&mut out, scaling));
        effects(&mut out, &analysis);
        front(&mut out, &analysis);
    }
    table(&mut out, study, results);
    failures(&mut out, results);
    mpirage_plot::page(study.name(), STYLE, &out, SCRIPT)
}

fn head(out: &mut String, study: &Study, results: &Results) {
    let (finished, failed) = (results.finished().count(), results.failed().count());
    let all = results.rows().len();
    let sum = |name: &str| results.rows().iter().filter_map(|row| row.host(name)).sum::<f64>();
    let _ = write!(
        out,
        "<p class=\"lead\">{}: {finished} finished, {failed} failed, {} waiting. They took {} s of processor time.</p>\n\
         <p><code>mpirage {}</code></p>\n",
        counted(all, "case"),
        all - finished - failed,
        short_number(sum("cpu_seconds")),
        escaped(&study.command_text())
    );
}

fn ranking(out: &mut String, analysis: &Analysis<'_>) {
    let problems = analysis.problems();
    let (heading, comparison) = match problems.iter().any(|problem| problem.ranking.len() > 1) {
        false => ("Times", " No two combinations do the same work."),
        true if problems.len() > 1 => ("Ranking", " Only combinations that do the same work are compared."),
        true => ("Ranking", ""),
    };
    let better = if analysis.is_maximised(analysis.measure()) { "more" } else { "less" };
    let _ = write!(
        out,
        "<h2>{heading}</h2>\n<p>By <b>{}</b>; {better} is better.{comparison} Intervals hold nine of ten repetitions.</p>\n<table class=\"ranking\"><thead><tr><th>rank</th>",
        escaped(&measure::name(analysis.measure())),
    );
    for parameter in analysis.study().parameters() {
        let _ = write!(out, "<th>{}</th>", escaped(parameter.name()));
    }
    out.push_str("<th class=\"n\">median</th><th class=\"n\">5 to 95 %</th><th class=\"n\">to the best</th><th></th></tr></thead><tbody>\n");
    let each = (RANKED / problems.len().max(1)).max(LEAST_RANKED);
    let mut left = analysis.groups().len();
    for Problem { name, ranking } in problems.iter().take(RANKED) {
        // Lines of one combination need no line that names their problem.
        if ranking.len() > 1 && !name.is_empty() {
            let span = analysis.study().parameters().len() + 5;
            let _ = writeln!(out, "<tr class=\"problem\"><td colspan=\"{span}\">{}</td></tr>", escaped(name));
        }
        ranking.iter().take(each).for_each(|one| ranked_row(out, analysis.measure(), one));
        left -= ranking.len().min(each);
    }
    out.push_str("</tbody></table>\n");
    if left > 0 {
        let _ = writeln!(out, "<p class=\"quiet\">{left} more combinations are in the table below.</p>");
    }
}

fn ranked_row(out: &mut String, name: &str, Ranked { group, rank, to_best, is_like_best }: &Ranked<'_, '_>) {
    let class = if *rank == Some(1) { " class=\"best\"" } else { "" };
    let rank = rank.map_or_else(String::new, |rank| rank.to_string());
    let _ = write!(out, "<tr{class}><td>{rank}</td>");
    for level in group.combination() {
        let _ = write!(out, "<td>{}</td>", escaped(level.label()));
    }
    let interval = group.interval().map(|ends| measure::interval(name, ends));
    let _ = writeln!(
        out,
        "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"quiet\">{}</td></tr>",
        measure::shown(name, group.centre()),
        interval.unwrap_or_default(),
        to_best.map_or_else(String::new, |share| format!("{:+.1} %", 100.0 * share)),
        if *is_like_best { "not distinguishable from the best" } else { "" }
    );
}

fn effects(out: &mut String, analysis: &Analysis<'_>) {
    let main = main_effects(analysis);
    if !main.is_empty() {
        section(
            out,
            "Main effects",
            "The mean over all combinations that have a value (line), and the combinations (points). The factor is the largest mean over the smallest.",
            &charts(&main, COLUMNS),
        );
    }
    let multiples = small_multiples(analysis);
    if !multiples.is_empty() {
        section(
            out,
            "Small multiples",
            "Bars are intervals of repetitions, or the range of combinations that share a point.",
            &charts(&multiples, COLUMNS),
        );
    }
    let classic = speed_ups(analysis);
    if !classic.is_empty() {
        section(
            out,
            "Speed-up against the machine",
            "How much faster the program is than with the worst value of the parameter, all others alike: where a curve is flat, a better machine does not help.",
            &each_alone(&classic),
        );
    }
}

fn scaling_section(out: &mut String, scaling: &Scaling<'_, '_>) {
    section(
        out,
        "Scaling",
        "Times with the fewest ranks over times with more, all else alike. Where all runs solve one problem, the first two charts hold \
         (strong scaling); where the problem grows with the ranks, the third (weak scaling). Bars: both times at the ends of their intervals.",
        &charts(&scaling.charts(), COLUMNS),
    );
}

/// Charts as images of their own, because their lines mean different things.
fn each_alone(all: &[Chart]) -> String {
    all.iter().map(|chart| charts(std::slice::from_ref(chart), 1)).collect()
}

fn front(out: &mut String, analysis: &Analysis<'_>) {
    let Some(measures) = analysis.pareto_measures() else { return };
    let front = analysis.front(&measures);
    if front.is_empty() {
        return;
    }
    section(
        out,
        "Pareto front",
        "No combination is better than these in both measures. [page] pareto = […] in the study chooses other measures.",
        &charts(&[pareto(analysis, &measures)], 1),
    );
    let names = analysis.study().parameters().iter().map(|parameter| escaped(parameter.name()));
    out.push_str("<table class=\"front\"><thead><tr>");
    cells(out, "<th>", names);
    cells(out, "<th class=\"n\">", measures.iter().map(|name| escaped(&measure::name(name))));
    out.push_str("</tr></thead><tbody>\n");
    for (group, point) in front {
        out.push_str("<tr>");
        cells(out, "<td>", group.combination().iter().map(|level| escaped(level.label())));
        cells(
            out,
            "<td class=\"n\">",
            point.iter().zip(&measures).map(|(value, name)| measure::shown(name, *value)),
        );
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>\n");
}

/// Cells of a row. HTML ends a cell where the next one begins.
fn cells(out: &mut String, tag: &str, texts: impl Iterator<Item = String>) {
    texts.for_each(|text| out.extend([tag, text.as_str()]));
}

fn section(out: &mut String, title: &str, text: &str, image: &str) {
    let _ = writeln!(
        out,
        "<h2>{title}</h2>\n<p class=\"quiet\">{}</p>\n<div class=\"charts\">{image}</div>",
        escaped(text)
    );
}

fn table(out: &mut String, study: &Study, results: &Results) {
    let columns = results.result_columns(study);
    let rows = results.rows().len();
    out.push_str("<h2>Table</h2>\n<p class=\"quiet\">A click on a heading sorts. <input id=\"filter\" placeholder=\"filter rows\">");
    if rows > MOST_ROWS {
        let _ = write!(out, " The first {MOST_ROWS} of {rows} rows; results.csv has all.");
    }
    out.push_str("</p>\n<div class=\"wide\"><table id=\"table\"><thead><tr>");
    for column in &columns {
        let _ = write!(out, "<th{}>{}</th>", class(column), escaped(&column.name));
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in 0..rows.min(MOST_ROWS) {
        out.push_str("<tr>");
        columns.iter().for_each(|column| cell(out, column, row));
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}

fn class(column: &Column) -> &'static str {
    if matches!(column.values, Values::Texts(_)) { "" } else { " class=\"n\"" }
}

fn cell(out: &mut String, column: &Column, row: usize) {
    let exact = column.values.text(row);
    let _ = match &column.values {
        Values::Reals(values) => {
            let shown = values[row].map_or_else(String::new, short_number);
            write!(out, "<td class=\"n\" title=\"{exact}\">{shown}</td>")
        }
        Values::Ints(_) => write!(out, "<td class=\"n\">{exact}</td>"),
        Values::Texts(_) => write!(out, "<td>{}</td>", escaped(&exact)),
    };
}

fn failures(out: &mut String, results: &Results) {
    let failed: Vec<_> = results.failed().collect();
    if failed.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "<h2>Failures</h2>\n<p class=\"quiet\"><code>--retry</code> runs them again. failures.csv has all {}.</p>",
        failed.len()
    );
    for row in failed.iter().take(MOST_FAILURES) {
        let (code, reason) = row.failure().unwrap_or_default();
        let _ = writeln!(
            out,
            "<details><summary>case {}: exit code {code}</summary><pre>$ {}\n{}</pre></details>",
            row.case().number(),
            escaped(&command_line(row)),
            escaped(reason)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::{STUDY, figures, results};
    use crate::study::tests::study;

    #[test]
    fn a_page_has_all_sections_and_no_links() {
        let study = study(STUDY).unwrap();
        let some_fail = |labels: &[&str], repetition: u32| {
            if labels == ["8", "bad"] { vec![] } else { figures(labels, repetition) }
        };
        let results = results(&study, some_fail);
        let page = page(&study, &results);
        for heading in
            ["Ranking", "Scaling", "Main effects", "Small multiples", "Pareto front", "Table", "Failures"]
        {
            assert!(page.contains(&format!("<h2>{heading}</h2>")), "{heading}");
        }
        assert!(!page.contains("Speed-up against"), "the study has no such parameter");
        assert!(page.contains("no &lt;figures&gt;") && !page.contains("<figures>"));
        assert!(!page.contains("href=") && !page.contains("src="));
        assert!(page.matches("case ").count() > 24);
    }

    #[test]
    fn a_study_without_results_has_a_page() {
        let study = study(STUDY).unwrap();
        let results = results(&study, |_, _| vec![]);
        let page = page(&study, &results);
        assert!(page.contains("27 failed") && !page.contains("<h2>Ranking</h2>"));
    }
}
