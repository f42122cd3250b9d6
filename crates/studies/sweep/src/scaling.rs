//! A scaling study: how much faster more ranks are.
//!
//! A study is one if a parameter sets the number of ranks. Combinations that are alike in everything else are compared with the one that
//! has the fewest ranks. Nothing says whether the problem grows with the ranks, so both readings are drawn.

use std::collections::BTreeMap;

use mpirage_plot::{AxisLook, Chart, Line, Mark, Scale, short_number};

use crate::analysis::{Analysis, Group, ends};
use crate::measure;
use crate::plots::{MOST_LINES, line};

/// The figure that counts ranks.
const RANKS: &str = "ranks";
/// The place of grey among the colours.
const GREY: usize = 7;

/// An efficiency below this is poor.
const POOR: f64 = 0.5;

/// The runs of one series, by ranks.
type Series<'a, 'r> = BTreeMap<u64, &'a Group<'r>>;

/// A study in which a parameter sets the number of ranks.
pub(crate) struct Scaling<'a, 'r> {
    /// What is alike within a series, and the series.
    series: BTreeMap<String, Series<'a, 'r>>,
}

/// How a series looks at a number of ranks, beside its fewest.
struct Step {
    ranks: f64,
    fewest: f64,
    /// The time with the fewest ranks over that with these, and where that lies.
    speed_up: f64,
    interval: Option<(f64, f64)>,
}

impl Step {
    fn new((&fewest, base): (&u64, &&Group<'_>), (&ranks, group): (&u64, &&Group<'_>)) -> Step {
        let ratio = |(low, high): (f64, f64), (least, most): (f64, f64)| (low / most, high / least);
        Step {
            ranks: ranks as f64,
            fewest: fewest as f64,
            speed_up: base.centre() / group.centre(),
            interval: (ranks != fewest).then(|| Some(ratio(base.interval()?, group.interval()?))).flatten(),
        }
    }

    /// A point, whose value and interval are the speed-up times a factor.
    fn mark(&self, factor: f64) -> Mark {
        let (y, interval) =
            (self.speed_up * factor, self.interval.map(|(low, high)| (low * factor, high * factor)));
        Mark { x: self.ranks, y, interval, text: format!("{} ranks: {}", self.ranks, short_number(y)) }
    }

    fn growth(&self) -> f64 {
        self.ranks / self.fewest
    }
}

impl<'a, 'r> Scaling<'a, 'r> {
    /// The series of a study; none if no parameter sets the number of ranks, or the measure is no time.
    pub fn of(analysis: &'a Analysis<'r>) -> Option<Scaling<'a, 'r>> {
        let parameter = parameter_of_ranks(analysis)?;
        let is_time = measure::is_time(analysis.measure());
        let mut series: BTreeMap<String, Series<'a, 'r>> = BTreeMap::new();
        for group in analysis.groups().iter().filter(|_| is_time) {
            let others = analysis.study().parameters().iter().zip(group.combination()).enumerate();
            let others = others.filter(|(at, _)| *at != parameter);
            let name: Vec<String> =
                others.map(|(_, (about, level))| format!("{} = {}", about.name(), level.label())).collect();
            series.entry(name.join(", ")).or_default().insert(ranks(analysis, group)?, group);
        }
        series.retain(|_, runs| runs.len() > 1);
        (!series.is_empty()).then_some(Scaling { series })
    }

    /// Speed-up and efficiency over ranks.
    pub fn charts(&self) -> Vec<Chart> {
        vec![
            self.chart("speed-up, fixed problem", "times as fast", Scale::Logarithmic, &|_| 1.0, true),
            self.chart(
                "efficiency, fixed problem (%)",
                "%",
                Scale::Linear,
                &|step| 100.0 / step.growth(),
                false,
            ),
            self.chart("efficiency, problem grows with ranks (%)", "%", Scale::Linear, &|_| 100.0, false),
        ]
    }

    /// What the series says in one sentence: the best speed-up of a fixed problem.
    pub fn sentence(&self) -> Option<String> {
        let steps =
            self.series.iter().flat_map(|(name, runs)| steps(runs).into_iter().map(move |step| (name, step)));
        let (name, best) = steps.max_by(|(_, one), (_, other)| one.speed_up.total_cmp(&other.speed_up))?;
        let of = if name.is_empty() { String::new() } else { format!(" ({name})") };
        Some(match best.speed_up > 1.0 {
            true => format!(
                "With {} instead of {} ranks the program is {} times as fast: efficiency {:.0} % if the problem stays the same{of}.",
                best.ranks,
                best.fewest,
                short_number(round(best.speed_up)),
                100.0 * best.speed_up / best.growth()
            ),
            false => "More ranks do not make the program faster.".to_owned(),
        })
    }

    /// From how many ranks on less than half of them is used, if that is so beyond the interval.
    pub fn efficiency_sentence(&self) -> Option<String> {
        let falls = self.series.iter().filter_map(|(name, runs)| Some((poor_from(runs)?, name.as_str())));
        let falls: Vec<(f64, &str)> = falls.collect();
        let (first, series) = *falls.iter().min_by(|one, other| one.0.total_cmp(&other.0))?;
        let (last, other) = *falls.iter().max_by(|one, other| one.0.total_cmp(&other.0))?;
        let percent = 100.0 * POOR;
        let fixed = "if the problem stays the same";
        Some(match falls.len() == self.series.len() {
            true if first == last => {
                format!("From {first} ranks on, efficiency is below {percent:.0} % {fixed}.")
            }
            true => format!(
                "Efficiency falls below {percent:.0} % at {first} ranks ({series}) to {last} ranks ({other}) {fixed}."
            ),
            false => format!("Efficiency falls below {percent:.0} % at {first} ranks ({series}) {fixed}."),
        })
    }

    fn chart(
        &self,
        heading: &str,
        unit: &str,
        scale: Scale,
        factor: &dyn Fn(&Step) -> f64,
        ideal: bool,
    ) -> Chart {
        let all = || self.series.values().flat_map(|runs| runs.keys().map(|&ranks| ranks as f64));
        let mut ranks: Vec<f64> = all().collect();
        ranks.sort_by(f64::total_cmp);
        ranks.dedup();
        let drawn = self.series.iter().take(MOST_LINES - 1).enumerate().map(|(at, (name, runs))| {
            line(name, at, true, steps(runs).iter().map(|step| step.mark(factor(step))).collect())
        });
        let mut lines: Vec<Line> = drawn.collect();
        if ideal {
            lines.insert(0, self.ideal(&ranks));
        }
        let (low, high) = ends(ranks.iter().copied());
        let x =
            AxisLook { covers: Some((low, high)), ..AxisLook::new("ranks", Scale::Logarithmic).at(&ranks) };
        let y = AxisLook { covers: (!ideal).then_some((0.0, 100.0)), ..AxisLook::new(unit, scale) };
        Chart { heading: heading.to_owned(), x, y, lines }
    }

    /// As many times as fast as there are more ranks.
    fn ideal(&self, ranks: &[f64]) -> Line {
        let mark = |&x: &f64| Mark { x, y: x / ranks[0], interval: None, text: "ideal".to_owned() };
        Line { faint: true, ..line("ideal", GREY, true, ranks.iter().map(mark).collect()) }
    }
}

fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// From how many ranks on the efficiency of a series is poor beyond its interval, up to its end.
fn poor_from(runs: &Series<'_, '_>) -> Option<f64> {
    let poor = |step: &Step| step.interval.map_or(step.speed_up, |(_, high)| high) / step.growth() < POOR;
    let steps = steps(runs);
    let from = steps.iter().rposition(|step| !poor(step)).map_or(0, |at| at + 1);
    steps.get(from).map(|step| step.ranks)
}

fn steps(runs: &Series<'_, '_>) -> Vec<Step> {
    let base = runs.first_key_value();
    base.into_iter().flat_map(|base| runs.iter().map(move |run| Step::new(base, run))).collect()
}

/// The ranks of a combination.
pub(crate) fn ranks(analysis: &Analysis<'_>, group: &Group<'_>) -> Option<u64> {
    group.quantity(analysis.study(), RANKS).map(|ranks| ranks as u64)
}

/// The parameter on which alone the number of ranks depends.
pub(crate) fn parameter_of_ranks(analysis: &Analysis<'_>) -> Option<usize> {
    let decides = |&at: &usize| {
        let mut by_label: BTreeMap<&str, u64> = BTreeMap::new();
        let known = analysis.groups().iter().all(|group| {
            let Some(ranks) = ranks(analysis, group) else { return false };
            *by_label.entry(group.combination()[at].label()).or_insert(ranks) == ranks
        });
        let (low, high) = ends(by_label.values().map(|&ranks| ranks as f64));
        known && low < high
    };
    (0..analysis.study().parameters().len()).find(decides)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::{STUDY, figures, results};
    use crate::study::tests::study;

    #[test]
    fn perfect_scaling_has_an_efficiency_of_one() {
        let study = study(STUDY).unwrap();
        let results = results(&study, figures);
        let analysis = Analysis::new(&study, &results).unwrap();
        let scaling = Scaling::of(&analysis).unwrap();
        let sentence = scaling.sentence().unwrap();
        assert!(
            sentence.contains("With 8 instead of 2 ranks the program is 4 times as fast: efficiency 100 %"),
            "{sentence}"
        );
        let charts = scaling.charts();
        let ys = |chart: &Chart, line: usize| {
            chart.lines[line].marks.iter().map(|mark| round(mark.y)).collect::<Vec<_>>()
        };
        assert_eq!((charts.len(), charts[0].lines.len()), (3, 4), "ideal and three networks");
        assert_eq!((ys(&charts[0], 0), ys(&charts[0], 1)), (vec![1.0, 2.0, 4.0], vec![1.0, 2.0, 4.0]));
        assert_eq!((ys(&charts[1], 0), ys(&charts[2], 0)), (vec![100.0; 3], vec![100.0, 200.0, 400.0]));
        let ticks: Vec<&str> = charts[0].x.ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(ticks, ["2", "4", "8"]);
        let (low, high) = charts[0].lines[1].marks[1].interval.unwrap();
        assert!(low < 2.0 && high > 2.0);
    }

    #[test]
    fn a_study_of_one_size_is_none() {
        let study =
            study("command = \"run -n 4 --net {net} ./a\"\n[parameters]\nnet = [\"a\", \"b\"]\n").unwrap();
        let results = results(&study, |_, _| vec![("simulated_seconds", 1.0), ("ranks", 4.0)]);
        let analysis = Analysis::new(&study, &results).unwrap();
        assert!(Scaling::of(&analysis).is_none());
    }
}
