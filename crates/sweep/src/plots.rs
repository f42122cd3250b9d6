//! The charts of a page: main effects, small multiples, Dimemas' speed-ups, the Pareto front.

use std::collections::BTreeMap;

use mpirage_plot::{AxisLook, Chart, Line, Mark, Scale, short_number};

use crate::analysis::{Analysis, Effect, Group, Levels, ends, mean};
use crate::design::Design;
use crate::parameter::Parameter;
use crate::roles::Role;

/// Lines of a chart; more cannot be told apart.
const MOST_LINES: usize = 8;
/// Panels of small multiples.
const MOST_PANELS: usize = 12;
/// A parameter with more values than this is drawn as points without means.
const MOST_MEANS: usize = 24;
/// An axis is logarithmic if its largest value is this many times the smallest.
const WIDE: f64 = 8.0;

/// Each parameter with its mean effect, the strongest first.
pub(crate) fn main_effects(analysis: &Analysis<'_>) -> Vec<Chart> {
    let y = value_axis(analysis.measure(), analysis.groups().iter().map(Group::centre));
    analysis.effects().iter().map(|effect| effect_chart(analysis, effect, y.clone())).collect()
}

fn effect_chart(analysis: &Analysis<'_>, effect: &Effect, y: AxisLook) -> Chart {
    let parameter = &analysis.study().parameters[effect.parameter];
    let levels = analysis.levels(effect.parameter);
    let cases = analysis.groups().iter().filter_map(|group| {
        let at = levels.place(group.combination()[effect.parameter].label())?;
        Some(mark(levels.x(at), group, analysis))
    });
    let mut lines = vec![line("", 7, false, cases.collect())];
    lines[0].faint = true;
    lines[0].marks.iter_mut().for_each(|mark| mark.interval = None);
    if effect.means.len() <= MOST_MEANS {
        let text = |at: usize, mean: f64| format!("{}: mean {}", levels.labels[at], short_number(mean));
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
    let y = value_axis(analysis.measure(), analysis.groups().iter().map(Group::centre));
    let chart = |label: &Option<String>| {
        let belongs = |group: &&Group<'_>| match (panels, label) {
            (Some(panels), Some(label)) => group.combination()[panels].label() == label,
            _ => true,
        };
        let groups: Vec<&Group<'_>> = analysis.groups().iter().filter(belongs).collect();
        let heading = match (panels, label) {
            (Some(panels), Some(label)) => format!("{} = {label}", study.parameters[panels].name()),
            _ => analysis.measure().to_owned(),
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
            let text = format!("mean of {} combinations: {}", groups.len(), short_number(centre));
            Mark { x, y: centre, interval: Some((low, high)), text }
        }
    }
}

/// Speed-up over a parameter of the machine, as Dimemas' users draw it: how much faster than with its worst value, all else alike.
pub(crate) fn speed_ups(analysis: &Analysis<'_>) -> Vec<Chart> {
    let study = analysis.study();
    let known = (0..study.parameters.len()).filter_map(|at| Some((at, Role::of(study, at)?)));
    known.filter_map(|(at, role)| speed_up(analysis, at, role)).collect()
}

fn speed_up(analysis: &Analysis<'_>, parameter: usize, role: Role) -> Option<Chart> {
    let levels = analysis.levels(parameter);
    let numbers = levels.numbers.as_ref().filter(|numbers| numbers.len() > 1)?;
    let worst = if role.less_is_better() { numbers.len() - 1 } else { 0 };
    let by = analysis.effects().iter().map(|effect| effect.parameter).find(|&other| other != parameter);
    // Combinations that are alike in all other parameters, and the ratio to the worst of them.
    let mut alike: BTreeMap<Vec<&str>, BTreeMap<usize, &Group<'_>>> = BTreeMap::new();
    for group in analysis.groups() {
        let others = group.combination().iter().enumerate().filter(|(at, _)| *at != parameter);
        let place = levels.place(group.combination()[parameter].label())?;
        alike.entry(others.map(|(_, level)| level.label()).collect()).or_default().insert(place, group);
    }
    let mut ratios: BTreeMap<(usize, String), BTreeMap<usize, Vec<f64>>> = BTreeMap::new();
    for groups in alike.values().filter(|groups| groups.len() > 1) {
        let Some(reference) = groups.get(&worst) else { continue };
        for (&place, group) in groups {
            let label = by.map_or("", |by| group.combination()[by].label());
            let at = by.and_then(|by| analysis.levels(by).place(label)).unwrap_or(0);
            let ratio = reference.centre() / group.centre();
            ratios.entry((at, label.to_owned())).or_default().entry(place).or_default().push(ratio);
        }
    }
    let prefix = by.map_or(String::new(), |by| format!("{} = ", analysis.study().parameters[by].name()));
    let lines: Vec<Line> = ratios
        .iter()
        .take(MOST_LINES)
        .map(|((at, label), points)| {
            let mark = |(&place, ratios): (&usize, &Vec<f64>)| {
                let y = mean(ratios.iter().copied());
                Mark {
                    x: levels.x(place),
                    y,
                    interval: None,
                    text: format!("{}: {}", levels.labels[place], short_number(y)),
                }
            };
            line(&format!("{prefix}{label}"), *at, true, points.iter().map(mark).collect())
        })
        .collect();
    (!lines.is_empty()).then(|| Chart {
        heading: format!("speed-up against {}", role.name()),
        x: levels.axis(&analysis.study().parameters[parameter]),
        y: AxisLook {
            title: format!(
                "over {} = {}",
                analysis.study().parameters[parameter].name(),
                levels.labels[worst]
            ),
            scale: Scale::Linear,
            covers: None,
        },
        lines,
    })
}

/// All combinations by two measures, with the front.
pub(crate) fn pareto(analysis: &Analysis<'_>, measures: &[String; 2]) -> Chart {
    let point = |group: &Group<'_>| {
        let of = |at: usize| group.quantity(analysis.study(), &measures[at]);
        Some(Mark { x: of(0)?, y: of(1)?, interval: None, text: describe(group, analysis) })
    };
    let all: Vec<Mark> = analysis.groups().iter().filter_map(point).collect();
    let front = analysis.front(measures);
    let marks = front.iter().map(|(group, [x, y])| Mark {
        x: *x,
        y: *y,
        interval: None,
        text: describe(group, analysis),
    });
    let axis =
        |at: usize| value_axis(&measures[at], all.iter().map(|mark| if at == 0 { mark.x } else { mark.y }));
    let (x, y) = (axis(0), axis(1));
    let lines =
        vec![line("other combinations", 7, false, all), line("Pareto front", 1, true, marks.collect())];
    Chart { heading: format!("{} against {}", measures[1], measures[0]), x, y, lines }
}

fn line(name: &str, colour: usize, joined: bool, marks: Vec<Mark>) -> Line {
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
        analysis.measure(),
        short_number(group.centre())
    )
}

fn value_axis(title: &str, values: impl Iterator<Item = f64>) -> AxisLook {
    let (low, high) = ends(values);
    let scale = if low > 0.0 && high > WIDE * low { Scale::Logarithmic } else { Scale::Linear };
    let covers = (low <= high).then_some((low, high));
    AxisLook { title: title.to_owned(), scale, covers }
}

impl Levels {
    /// The position of a value along an axis.
    fn x(&self, at: usize) -> f64 {
        self.numbers.as_ref().map_or(at as f64, |numbers| numbers[at])
    }

    fn axis(&self, parameter: &Parameter) -> AxisLook {
        let title = match parameter.unit() {
            "" => parameter.name().to_owned(),
            unit => format!("{} ({unit})", parameter.name()),
        };
        match &self.numbers {
            Some(numbers) => value_axis(&title, numbers.iter().copied()),
            None => AxisLook { title, scale: Scale::Names(self.labels.clone()), covers: None },
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

    #[test]
    fn speed_ups_are_over_the_worst_value() {
        let study = study(
            "command = \"replay t -p c:{n},bandwidth={bw}\"\n[parameters]\nbw = [\"1GBps\", \"4GBps\"]\nn = [4, 8]\n",
        )
        .unwrap();
        let time = |labels: &[&str], _: u32| {
            let (slow, n) = (labels[0] == "1GBps", labels[1].parse::<f64>().unwrap());
            vec![("simulated_seconds", n * if slow { 3.0 } else { 1.0 })]
        };
        let results = results(&study, time);
        let analysis = Analysis::new(&study, &results).unwrap();
        let charts = speed_ups(&analysis);
        assert_eq!(
            (charts.len(), charts[0].heading.as_str(), charts[0].lines.len()),
            (1, "speed-up against bandwidth", 2)
        );
        let ys: Vec<f64> = charts[0].lines[0].marks.iter().map(|mark| mark.y).collect();
        assert!((ys[0] - 1.0).abs() < 1e-12 && (ys[1] - 3.0).abs() < 1e-12);
    }
}
