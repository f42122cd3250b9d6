//! A plot as SVG: for each collective the times of the base choice and of the best methods, over sizes. Each point tells its
//! method and time when pointed at.

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
            series("best of the simulated methods", Colour::Blue, rows, |row| row.best),
        ],
    };
    let panels: Vec<Panel> = panels.iter().map(panel).collect();
    mpirage_plot::svg(title, &panels)
}

fn series(name: &str, colour: Colour, rows: &[&Row], timed: impl Fn(&Row) -> Timed) -> Series {
    let point = |row: &&Row| {
        let (bytes, timed) = (row.point.bytes, timed(row));
        let text = format!("{}: {}, {}", size_text(bytes), timed.method, time_text(timed.time));
        mpirage_plot::Point { bytes, seconds: timed.time.as_secs_f64(), text }
    };
    Series {
        name: name.to_owned(),
        colour,
        look: Look::LineAndDots,
        points: rows.iter().map(point).collect(),
    }
}
