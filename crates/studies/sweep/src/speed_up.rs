//! Speed-up over a parameter of the machine, as Dimemas' users draw it: how much faster a program is than with the parameter's worst value,
//! all else alike.

use std::collections::BTreeMap;

use mpirage_plot::{AxisLook, Chart, Line, Mark, Scale, short_number};

use crate::analysis::{Analysis, Group, Levels, mean};
use crate::plots::{MOST_LINES, line};
use crate::roles::Role;

/// A chart for each parameter of the machine that the study varies.
pub(crate) fn speed_ups(analysis: &Analysis<'_>) -> Vec<Chart> {
    let study = analysis.study();
    let known = (0..study.parameters.len()).filter_map(|at| Some((at, Role::of(study, at)?)));
    known.filter_map(|(at, role)| SpeedUp::new(analysis, at, role)?.chart()).collect()
}

/// Times over one parameter, relative to its worst value.
struct SpeedUp<'a> {
    analysis: &'a Analysis<'a>,
    role: Role,
    parameter: usize,
    levels: Levels,
    /// The place of the worst value.
    worst: usize,
    /// The parameter of the lines.
    lines: Option<(usize, Levels)>,
}

/// Ratios by line and by value.
type Ratios = BTreeMap<usize, BTreeMap<usize, Vec<f64>>>;

impl<'a> SpeedUp<'a> {
    fn new(analysis: &'a Analysis<'a>, parameter: usize, role: Role) -> Option<SpeedUp<'a>> {
        let levels = analysis.levels(parameter);
        let count = levels.numbers.as_ref().filter(|numbers| numbers.len() > 1)?.len();
        let worst = if role.less_is_better() { count - 1 } else { 0 };
        let strongest =
            analysis.effects().into_iter().map(|effect| effect.parameter).find(|&other| other != parameter);
        let lines = strongest.map(|other| (other, analysis.levels(other)));
        Some(SpeedUp { analysis, role, parameter, levels, worst, lines })
    }

    fn chart(&self) -> Option<Chart> {
        let parameter = &self.analysis.study().parameters[self.parameter];
        let title = format!("over {} = {}", parameter.name(), self.levels.labels[self.worst]);
        let ratios = self.ratios();
        let lines: Vec<Line> =
            ratios.iter().take(MOST_LINES).map(|(at, points)| self.line(*at, points)).collect();
        (!lines.is_empty()).then(|| Chart {
            heading: format!("speed-up against {}", self.role.name()),
            x: self.levels.axis(parameter),
            y: AxisLook::new(&title, Scale::Linear),
            lines,
        })
    }

    /// Compares combinations that are alike in all other parameters.
    fn ratios(&self) -> Ratios {
        let mut alike: BTreeMap<Vec<&str>, Vec<(usize, &Group<'_>)>> = BTreeMap::new();
        for group in self.analysis.groups() {
            let others = group.combination().iter().enumerate().filter(|(at, _)| *at != self.parameter);
            let others = others.map(|(_, level)| level.label()).collect();
            let place = self.levels.place(group.combination()[self.parameter].label());
            alike.entry(others).or_default().extend(place.map(|place| (place, group)));
        }
        let mut ratios = Ratios::new();
        for groups in alike.values().filter(|groups| groups.len() > 1) {
            let Some((_, worst)) = groups.iter().find(|(place, _)| *place == self.worst) else { continue };
            for (place, group) in groups {
                let ratio = worst.centre() / group.centre();
                ratios.entry(self.line_of(group)).or_default().entry(*place).or_default().push(ratio);
            }
        }
        ratios
    }

    fn line_of(&self, group: &Group<'_>) -> usize {
        let place =
            |(parameter, levels): &(usize, Levels)| levels.place(group.combination()[*parameter].label());
        self.lines.as_ref().and_then(place).unwrap_or(0)
    }

    fn line(&self, at: usize, points: &BTreeMap<usize, Vec<f64>>) -> Line {
        let name = self.lines.as_ref().map_or(String::new(), |(parameter, levels)| {
            format!("{} = {}", self.analysis.study().parameters[*parameter].name(), levels.labels[at])
        });
        let mark = |(&place, ratios): (&usize, &Vec<f64>)| {
            let y = mean(ratios.iter().copied());
            let text = format!("{}: {}", self.levels.labels[place], short_number(y));
            Mark { x: self.levels.x(place), y, interval: None, text }
        };
        line(&name, at, true, points.iter().map(mark).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::results;
    use crate::study::tests::study;

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
