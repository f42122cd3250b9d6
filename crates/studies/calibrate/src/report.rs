//! A calibration as a plot and as a page.

use std::fmt::Write;

use mpirage_plot::{
    AxisLook, Chart, Colour, Line, Look, Mark, Panel, Scale, Series, charts, escaped, size_text, svg,
};
use mpirage_units::{Duration, time_text};

use crate::error::percent;
use crate::fit::{Calibration, TimeModel};
use crate::measurement::Point;
use crate::scores::Score;

/// Points of a drawn line in each factor of two.
const STEPS: u32 = 4;
/// Numbers are to the right, names of models to the left.
const STYLE: &str = "td, th { text-align: right; } td:first-child, th:first-child { text-align: left; }";

/// The measured ping-pongs and those of all models, as SVG.
pub fn plot(calibration: &Calibration, title: &str) -> String {
    let mut series = vec![measured("measured", Colour::Grey, &calibration.points)];
    if !calibration.held_out.is_empty() {
        series.push(measured("left out of the fit", Colour::Red, &calibration.held_out));
    }
    let colours = [Colour::Blue, Colour::Green, Colour::Red];
    for ((name, model), colour) in calibration.models().into_iter().zip(colours) {
        let points = sizes(calibration).map(|bytes| point(bytes, model(bytes), name)).collect();
        series.push(Series { name: name.to_owned(), colour, look: Look::Line, points });
    }
    svg(title, &[Panel { heading: "half a round trip".to_owned(), series }])
}

fn measured(name: &str, colour: Colour, points: &[Point]) -> Series {
    let points = points.iter().map(|one| point(one.bytes, one.seconds, name)).collect();
    Series { name: name.to_owned(), colour, look: Look::Dots, points }
}

fn point(bytes: u64, seconds: f64, name: &str) -> mpirage_plot::Point {
    let time = time_text(Duration::from_secs_f64(seconds));
    mpirage_plot::Point {
        bytes,
        seconds,
        text: format!("{}: {name}, {time}", size_text(bytes)),
        label: String::new(),
    }
}

/// Sizes at which lines are drawn: evenly in log space, and both sides of each border.
fn sizes(calibration: &Calibration) -> impl Iterator<Item = u64> {
    let ends = |at: Option<&Point>| at.map_or(1, |point| point.bytes.max(1)) as f64;
    let (first, last) = (ends(calibration.points.first()), ends(calibration.points.last()));
    let count = ((last / first).log2() * f64::from(STEPS)).ceil().max(1.0);
    let even =
        (0..=count as u32).map(|step| (first * (last / first).powf(f64::from(step) / count)).round() as u64);
    let borders = calibration
        .segments
        .iter()
        .filter(|segment| segment.from > 0)
        .flat_map(|segment| [segment.from - 1, segment.from]);
    let mut all: Vec<u64> = even.chain(borders).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter()
}

/// A page with the plot, the errors, the parameters and the model file.
pub fn page(calibration: &Calibration, title: &str, model_file: &str) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "<h1>{}</h1>", escaped(title));
    out += &mpirage_plot::verdict(&verdict(calibration));
    let _ = writeln!(out, "<div class=\"charts\">{}", plot(calibration, "ping-pong"));
    let _ = writeln!(out, "{}</div>", charts(&[residuals(calibration)], 1));
    errors(&mut out, calibration);
    if !calibration.segments.is_empty() {
        parameters(&mut out, calibration);
    }
    for note in &calibration.notes {
        let _ = writeln!(out, "<p>Note: {}.</p>", escaped(note));
    }
    let _ = writeln!(out, "<h2>Model file</h2>\n<pre>{}</pre>", escaped(model_file));
    mpirage_plot::page(title, STYLE, &out, "")
}

/// How well the fit describes the measurements, and what it gains over an affine model.
fn verdict(calibration: &Calibration) -> Vec<String> {
    let scores = calibration.scores();
    let (Some(fit), noise) = (scores.first(), calibration.noise()) else { return Vec::new() };
    let judged = if calibration.held_out.is_empty() { &fit.fitted } else { &fit.held_out };
    let of = if calibration.held_out.is_empty() {
        "the sizes it was fitted to"
    } else {
        "sizes that were left out of the fit"
    };
    let mut said = vec![format!(
        "The fit ({}) is {} off in the mean and {} at worst, on {of}.",
        fit.model,
        percent(judged.mean()),
        percent(judged.worst())
    )];
    said.push(match judged.mean() <= noise {
        true => {
            format!("Neighbouring sizes scatter by {}: no model of the size would do better.", percent(noise))
        }
        false => format!("Neighbouring sizes scatter by {}: the rest is the model's.", percent(noise)),
    });
    let other = |score: &Score| {
        if calibration.held_out.is_empty() { score.fitted.mean() } else { score.held_out.mean() }
    };
    let rest = scores[1..].iter().min_by(|one, two| other(one).total_cmp(&other(two)));
    said.extend(rest.map(|best| match other(best) > other(fit) + noise {
        true => format!("The {} model is {} off.", best.model, percent(other(best))),
        false => format!(
            "There is no clear difference from the {} model, which is {} off.",
            best.model,
            percent(other(best))
        ),
    }));
    said
}

/// By how much measured times differ from those of each model.
fn residuals(calibration: &Calibration) -> Chart {
    let points = || calibration.points.iter().chain(&calibration.held_out);
    let residual = |point: &Point, modelled: f64| {
        let percent = 100.0 * (point.seconds / modelled - 1.0);
        let text = format!("{}: {percent:+.1} %", size_text(point.bytes));
        Mark { x: point.bytes.max(1) as f64, y: percent, interval: None, text }
    };
    let line = |(at, (name, model)): (usize, (&str, TimeModel<'_>))| Line {
        name: name.to_owned(),
        colour: at,
        joined: false,
        faint: false,
        marks: points().map(|point| residual(point, model(point.bytes))).collect(),
    };
    Chart {
        heading: "measured times beside the models".to_owned(),
        x: AxisLook::new("message size (B)", Scale::Logarithmic),
        y: AxisLook {
            covers: Some((-1.0, 1.0)),
            ..AxisLook::new("slower than the model (%)", Scale::Linear)
        },
        lines: calibration.models().into_iter().enumerate().map(line).collect(),
    }
}

fn errors(out: &mut String, calibration: &Calibration) {
    let held_out = !calibration.held_out.is_empty();
    out.push_str("<h2>Logarithmic errors</h2>\n<table><tr><th>model</th><th>mean</th><th>worst</th>");
    if held_out {
        out.push_str(
            "<th>mean, left out</th><th>worst, left out</th><th>classes of ten sizes, left out</th>",
        );
    }
    out.push_str("</tr>\n");
    for score in calibration.scores() {
        let mut cells = vec![percent(score.fitted.mean()), percent(score.fitted.worst())];
        if held_out {
            cells.extend(
                [score.held_out.mean(), score.held_out.worst(), score.held_out_classes.mean()].map(percent),
            );
        }
        let _ = writeln!(out, "<tr><td>{}</td><td>{}</td></tr>", score.model, cells.join("</td><td>"));
    }
    let _ = writeln!(
        out,
        "</table>\n<p>{} sizes. Neighbouring sizes scatter by {} around each other, which no function of the size explains.</p>",
        calibration.points.len() + calibration.held_out.len(),
        percent(calibration.noise())
    );
}

fn parameters(out: &mut String, calibration: &Calibration) {
    out.push_str(
        "<h2>Segments</h2>\n<table><tr><th>from</th><th>sizes</th><th>latency</th><th>bandwidth</th><th>factor on latency</th><th>factor on bandwidth</th></tr>\n",
    );
    for segment in &calibration.segments {
        let [(latency, one), (bandwidth, other)] = calibration.factors(segment);
        let _ = writeln!(
            out,
            "<tr><td>{} B</td><td>{}</td><td>{}</td><td>{:.1} MB/s</td><td>{latency:.3} ({:.3} to {:.3})</td><td>{bandwidth:.3} ({:.3} to {:.3})</td></tr>",
            segment.from,
            segment.sizes,
            time_text(Duration::from_secs_f64(segment.latency.max(0.0))),
            1e-6 / segment.per_byte,
            one.low,
            one.high,
            other.low,
            other.high
        );
    }
    out.push_str("</table>\n");
}
