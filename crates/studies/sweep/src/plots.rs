//! The charts of a page: main effects, small multiples, Dimemas' speed-ups, the Pareto front.

use std::collections::BTreeMap;

use mpirage_plot::{AxisLook, Chart, Line, Mark, Scale, short_number};

use crate::analysis::{Analysis, Effect, Group, Levels, ends, mean};
use crate::design::Design;
use crate::measure;
use crate::parameter::Parameter;

/// Lines of a chart; more cannot be told apart.
pub(crate) const MOST_LINES: usize = 8;
/// Panels of small multiples.
const MOST_PANELS: usize = 12;
/// A parameter with more values than this is drawn as points without means.
const MOST_MEANS: usize = 24;
/// Points of a cloud; more make a page slow, and hide each other.
const MOST_POINTS: usize = 4000;
/// An axis is logarithmic if its largest value is this many times the smallest.
const WIDE: f64 = 8.0;

/// Each parameter with its mean effect, the strongest first.
pub(crate) fn main_effects(analysis: &Analysis<'_>) -> Vec<Chart> {
    let y = measure_axis(analysis.measure(), analysis.groups().iter().map(Group::centre));
    analysis.effects().iter().map(|effect| effect_chart(analysis, effect, y.clone())).collect()
}

fn effect_chart(analysis: &Analysis<'_>, effect: &Effect, y: AxisLook) -> Chart {
    let parameter = &analysis.study().parameters[effect.parameter];
    let levels = analysis.levels(effect.parameter);
    let cases = some(analysis.groups()).filter_map(|group| {
        let at = levels.place(group.combination()[effect.parameter].label())?;
        Some(mark(levels.x(at), group, analysis))
    });
    let mut lines = vec![line("", 7, false, cases.collect())];
    lines[0].faint = true;
    lines[0].marks.iter_mut().for_each(|mark| mark.interval = None);
    if effect.means.len() <= MOST_MEANS {
        let text = |at: usize, mean: f64| {
            format!("{}: mean {}", levels.labels[at], measure::shown(analysis.measure(), mean))
        };
        let mean = |&(at, mean): &(usize, f64)| Mark {
            x: levels.x(at),
            y: mean,
            interval: None,
            text: text(at, mean),
        };
        lines.push(line("", 0, true, effect.means.iter().map(mean).collect()));
    }
    let heading = format!("{}: factor {}", parameter.name(), short_number(effect.ratio));
    Chart { heading, x: levels.axis(parameter), y, lines }
}

/// The measure over one parameter, with lines for a second and panels for a third; only for designs in which combinations are complete.
pub(crate) fn small_multiples(analysis: &Analysis<'_>) -> Vec<Chart> {
    let study = analysis.study();
    let effects = analysis.effects();
    if study.design != Design::Grid || effects.len() < 2 {
        return Vec::new();
    }
    let Some([x, lines, panels]) = roles_of_parameters(analysis, &effects) else { return Vec::new() };
    let panel_levels = panels
        .map_or_else(|| vec![None], |panels| analysis.levels(panels).labels.into_iter().map(Some).collect());
    let y = measure_axis(analysis.measure(), analysis.groups().iter().map(Group::centre));
    let chart = |label: &Option<String>| {
        let belongs = |group: &&Group<'_>| match (panels, label) {
            (Some(panels), Some(label)) => group.combination()[panels].label() == label,
            _ => true,
        };
        let groups: Vec<&Group<'_>> = analysis.groups().iter().filter(belongs).collect();
        let heading = match (panels, label) {
            (Some(panels), Some(label)) => format!("{} = {label}", study.parameters[panels].name()),
            _ => measure::name(analysis.measure()),
        };
        multiple(analysis, &groups, x?, lines, heading, y.clone())
    };
    panel_levels.iter().take(MOST_PANELS).filter_map(chart).collect()
}

/// The parameters along x, of the lines and of the panels: those of the study, or the longest numeric one and the strongest others.
fn roles_of_parameters(analysis: &Analysis<'_>, effects: &[Effect]) -> Option<[Option<usize>; 3]> {
    let study = analysis.study();
    let named = |name: &Option<String>| {
        let name = name.as_ref()?;
        study.parameters.iter().position(|parameter| parameter.name() == name)
    };
    let wishes = [&study.page.x, &study.page.lines, &study.page.panels].map(named);
    let longest = |effect: &&Effect| {
        let levels = analysis.levels(effect.parameter);
        (levels.numbers.is_some(), levels.labels.len())
    };
    let x = wishes[0].or_else(|| Some(effects.iter().rev().max_by_key(longest)?.parameter))?;
    let taken = [Some(x), wishes[1], wishes[2]];
    let mut rest = effects.iter().map(|effect| effect.parameter).filter(|at| !taken.contains(&Some(*at)));
    let lines = wishes[1].or_else(|| rest.next());
    Some([Some(x), lines, wishes[2].or_else(|| rest.next())])
}

fn multiple(
    analysis: &Analysis<'_>,
    groups: &[&Group<'_>],
    x: usize,
    lines: Option<usize>,
    heading: String,
    y: AxisLook,
) -> Option<Chart> {
    let levels = analysis.levels(x);
    let mut by_line: BTreeMap<(usize, String), BTreeMap<usize, Vec<&Group<'_>>>> = BTreeMap::new();
    let line_levels = lines.map(|lines| analysis.levels(lines));
    for group in groups {
        let label = lines.map_or("", |lines| group.combination()[lines].label());
        let at = line_levels.as_ref().and_then(|levels| levels.place(label)).unwrap_or(0);
        let place = levels.place(group.combination()[x].label())?;
        by_line.entry((at, label.to_owned())).or_default().entry(place).or_default().push(group);
    }
    let prefix =
        lines.map_or(String::new(), |lines| format!("{} = ", analysis.study().parameters[lines].name()));
    let drawn = by_line.iter().take(MOST_LINES).map(|((at, label), points)| {
        let marks = points.iter().map(|(&place, groups)| joint_mark(levels.x(place), groups, analysis));
        line(&format!("{prefix}{label}"), *at, true, marks.collect())
    });
    let lines = drawn.collect();
    Some(Chart { heading, x: levels.axis(&analysis.study().parameters[x]), y, lines })
}

/// One point for combinations that differ in parameters that the chart does not show: their mean.
fn joint_mark(x: f64, groups: &[&Group<'_>], analysis: &Analysis<'_>) -> Mark {
    match groups {
        [group] => mark(x, group, analysis),
        _ => {
            let centre = mean(groups.iter().map(|group| group.centre()));
            let (low, high) = ends(groups.iter().map(|group| group.centre()));
            let text = format!(
                "mean of {} combinations: {}",
                groups.len(),
                measure::shown(analysis.measure(), centre)
            );
            Mark { x, y: centre, interval: Some((low, high)), text }
        }
    }
}

/// All combinations by two measures, with the front.
pub(crate) fn pareto(analysis: &Analysis<'_>, measures: &[String; 2]) -> Chart {
    let point = |group: &Group<'_>| {
        let of = |at: usize| group.quantity(analysis.study(), &measures[at]);
        Some(Mark { x: of(0)?, y: of(1)?, interval: None, text: describe(group, analysis) })
    };
    let all: Vec<Mark> = some(analysis.groups()).filter_map(point).collect();
    let front = analysis.front(measures);
    let marks = front.iter().map(|(group, [x, y])| Mark {
        x: *x,
        y: *y,
        interval: None,
        text: describe(group, analysis),
    });
    let axis =
        |at: usize| measure_axis(&measures[at], all.iter().map(|mark| if at == 0 { mark.x } else { mark.y }));
    let (x, y) = (axis(0), axis(1));
    let lines =
        vec![line("other combinations", 7, false, all), line("Pareto front", 1, true, marks.collect())];
    Chart {
        heading: format!("{} against {}", measure::name(&measures[1]), measure::name(&measures[0])),
        x,
        y,
        lines,
    }
}

/// All of some groups, or as many at equal distances as a chart can show.
fn some<'g, 'r>(groups: &'g [Group<'r>]) -> impl Iterator<Item = &'g Group<'r>> {
    groups.iter().step_by(groups.len().div_ceil(MOST_POINTS).max(1))
}

pub(crate) fn line(name: &str, colour: usize, joined: bool, marks: Vec<Mark>) -> Line {
    Line { name: name.to_owned(), colour, joined, faint: false, marks }
}

fn mark(x: f64, group: &Group<'_>, analysis: &Analysis<'_>) -> Mark {
    Mark { x, y: group.centre(), interval: group.interval(), text: describe(group, analysis) }
}

/// The values of a combination, and its measure.
fn describe(group: &Group<'_>, analysis: &Analysis<'_>) -> String {
    let study = analysis.study();
    let value = |(parameter, level): (&Parameter, &crate::parameter::Level)| {
        format!("{} = {}", parameter.name(), level.label())
    };
    let values: Vec<String> = study.parameters.iter().zip(group.combination()).map(value).collect();
    format!(
        "case {}: {}\n{} = {}",
        group.number(),
        values.join(", "),
        measure::name(analysis.measure()),
        measure::shown(analysis.measure(), group.centre())
    )
}

fn measure_axis(name: &str, values: impl Iterator<Item = f64>) -> AxisLook {
    let AxisLook { scale, covers, .. } = value_axis(name, values);
    AxisLook { covers, ..measure::axis(name, scale) }
}

fn value_axis(title: &str, values: impl Iterator<Item = f64>) -> AxisLook {
    let (low, high) = ends(values);
    let scale = if low > 0.0 && high > WIDE * low { Scale::Logarithmic } else { Scale::Linear };
    let covers = (low <= high).then_some((low, high));
    AxisLook { covers, ..AxisLook::new(title, scale) }
}

impl Levels {
    /// The position of a value along an axis.
    pub(crate) fn x(&self, at: usize) -> f64 {
        self.numbers.as_ref().map_or(at as f64, |numbers| numbers[at])
    }

    /// Labels at the values.
    fn ticks(&self, numbers: &[f64]) -> Vec<(f64, String)> {
        numbers.iter().copied().zip(self.labels.iter().cloned()).collect()
    }

    pub(crate) fn axis(&self, parameter: &Parameter) -> AxisLook {
        let title = match parameter.unit() {
            "" => parameter.name().to_owned(),
            unit => format!("{} ({unit})", parameter.name()),
        };
        match &self.numbers {
            Some(numbers) => {
                AxisLook { ticks: self.ticks(numbers), ..value_axis(&title, numbers.iter().copied()) }
            }
            None => AxisLook::new(&title, Scale::Names(self.labels.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::{STUDY, figures, results};
    use crate::study::tests::study;

    #[test]
    fn every_effect_has_a_chart() {
        let study = study(STUDY).unwrap();
        let results = results(&study, figures);
        let analysis = Analysis::new(&study, &results).unwrap();
        let charts = main_effects(&analysis);
        let headings: Vec<&str> = charts.iter().map(|chart| chart.heading.as_str()).collect();
        assert_eq!(headings, ["n: factor 4", "net: factor 2"]);
        assert_eq!((charts[0].lines[0].marks.len(), charts[0].lines[1].marks.len()), (9, 3));
        assert!(matches!(&charts[1].x.scale, Scale::Names(names) if names.len() == 3));
    }

    #[test]
    fn small_multiples_have_a_line_for_each_value() {
        let study = study(STUDY).unwrap();
        let results = results(&study, figures);
        let analysis = Analysis::new(&study, &results).unwrap();
        let charts = small_multiples(&analysis);
        assert_eq!((charts.len(), charts[0].lines.len(), charts[0].lines[0].marks.len()), (1, 3, 3));
        assert_eq!(charts[0].lines[1].name, "net = fast");
    }
}
