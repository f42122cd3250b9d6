//! Heat maps: the load of each core in each iteration, as data for the script of the page.

use std::fmt::Write;

use mpirage_plot::escaped;
use serde_json::{Value, json};

use super::super::show::Table;
use super::full_name;
use mpirage_simulation::{CaseOutcome, Study};

/// Columns of a map; more than a screen has pixels for would show nothing more.
const MOST_COLUMNS: usize = 400;
/// Rows of a map.
const MOST_ROWS: usize = 128;
/// A load of 100 % as the page stores it: one byte. Ranks that are ahead of others make a load above it.
const FULL: f64 = 200.0;

/// The section of the page.
pub fn heat_maps(out: &mut String, table: &Table<'_>) {
    out.push_str(
        "<h2>Load of each core</h2>\n<p class=\"quiet\">Iterations from left to right, cores from top to bottom, the share of each \
         iteration for which a core computes as colour. Marks below a map are decisions; after blue ones ranks move. Point at a map for its \
         numbers.</p>\n<p id=\"scale\"></p>\n<div id=\"maps\">\n",
    );
    let mut cases = Vec::new();
    for (study, outcome) in table.all() {
        let _ = writeln!(
            out,
            "<figure><figcaption><b>{}</b> {:.6} s</figcaption><canvas></canvas></figure>",
            escaped(&full_name(table, study, outcome)),
            outcome.seconds
        );
        cases.push(case(study, outcome));
    }
    // JSON in a script element must not contain "</": a host's name could.
    let data = Value::Array(cases).to_string().replace("</", "<\\/");
    let _ = writeln!(
        out,
        "</div><div id=\"tip\" hidden></div>\n<script id=\"loads\" type=\"application/json\">{data}</script>"
    );
}

/// A case: its cells row by row, two hexadecimal digits each, and its decisions.
fn case(study: &Study, outcome: &CaseOutcome) -> Value {
    let history = &outcome.history;
    let (rows, cores) = (history.iterations.rows(), study.cores.len());
    let (per_column, per_row) = (rows.len().div_ceil(MOST_COLUMNS).max(1), cores.div_ceil(MOST_ROWS).max(1));
    let mut cells = vec![String::new(); cores.div_ceil(per_row)];
    let (mut ends, mut start) = (Vec::new(), 0.0);
    for joined in rows.chunks(per_column) {
        let end = joined.last().map_or(start, |row| row.end.as_secs_f64());
        for (at, cells) in cells.iter_mut().enumerate() {
            let own = at * per_row..((at + 1) * per_row).min(cores);
            let busy: f64 = joined.iter().flat_map(|row| &row.core_seconds[own.clone()]).sum();
            let load = if end > start { busy / own.len() as f64 / (end - start) } else { 0.0 };
            let _ = write!(cells, "{:02x}", (load * FULL).round().clamp(0.0, 255.0) as u8);
        }
        ends.push(end);
        start = end;
    }
    let host = |core: usize| study.machine.platform.host(study.cores[core].host).name().to_string();
    let iterations = history.iterations.iterations_per_row as usize * per_column;
    json!({
        "columns": ends.len(),
        "iterations_per_column": iterations,
        "cores": cores,
        "cores_per_row": per_row,
        "full": FULL,
        "rows": cells,
        "ends": ends,
        "hosts": (0..cores).step_by(per_row).map(host).collect::<Vec<_>>(),
        "every": outcome.case.every,
        "moved": history.intervals.iter().map(|interval| interval.moved).collect::<Vec<_>>(),
    })
}
