//! A plot as SVG: for each collective the times of the base choice and of the best methods, over sizes. The best methods are named where
//! they begin to be the best. Each point tells its method and time when pointed at.

use mpirage_plot::{Colour, Look, Panel, Series, size_text};
use mpirage_units::time_text;

use crate::{Row, Timed};

/// The plot of panels, each with its heading: the rows of one collective on one communicator, by size. `base` names the choice
/// that is compared with the best.
pub fn svg(title: &str, base: &str, panels: &[(String, Vec<&Row>)]) -> String {
    let panel = |(heading, rows): &(String, Vec<&Row>)| Panel {
        heading: heading.clone(),
        series: vec![
            series(base, Colour::Red, rows, |row| row.base),
            named(series("best of the simulated methods", Colour::Blue, rows, |row| row.best), rows),
        ],
    };
    let panels: Vec<Panel> = panels.iter().map(panel).collect();
    mpirage_plot::svg(title, &panels)
}

/// The same series with the names of the best methods.
fn named(mut series: Series, rows: &[&Row]) -> Series {
    let methods = || rows.iter().map(|row| row.best.method);
    let before = std::iter::once(None).chain(methods().map(Some));
    for (point, (method, before)) in series.points.iter_mut().zip(methods().zip(before)) {
        if before != Some(method) {
            point.label = method.to_string();
        }
    }
    series
}

fn series(name: &str, colour: Colour, rows: &[&Row], timed: impl Fn(&Row) -> Timed) -> Series {
    let point = |row: &&Row| {
        let (bytes, timed) = (row.point.bytes, timed(row));
        let text = format!("{}: {}, {}", size_text(bytes), timed.method, time_text(timed.time));
        mpirage_plot::Point { bytes, seconds: timed.time.as_secs_f64(), text, label: String::new() }
    };
    Series {
        name: name.to_owned(),
        colour,
        look: Look::LineAndDots,
        points: rows.iter().map(point).collect(),
    }
}
