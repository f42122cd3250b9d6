//! Analysis of the results: the ranking of combinations, the effects of parameters, the Pareto front.

use std::collections::{BTreeMap, BTreeSet};

use crate::design::Combination;
use crate::parameter::{Parameter, numbers};
use crate::study::Study;
use crate::table::{Results, Row};

/// Measures that are taken if the study chooses none, the first that there is.
const USUAL: [&str; 2] = ["repetition.median_seconds", "simulated_seconds"];
/// Words in the names of measures of which more is better.
const MORE_IS_BETTER: [&str; 4] = ["efficiency", "flops", "per_second", "speedup"];

/// The results of a study, seen through one measure.
pub struct Analysis<'r> {
    study: &'r Study,
    measure: String,
    groups: Vec<Group<'r>>,
}

/// A combination of values and its repetitions.
#[derive(Clone, Debug)]
pub struct Group<'r> {
    rows: Vec<&'r Row>,
    centre: f64,
    interval: Option<(f64, f64)>,
}

/// A parameter and what it changes.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    /// The place of the parameter in the study.
    pub parameter: usize,
    /// Each value, with the mean over all combinations that have it.
    pub means: Vec<(usize, f64)>,
    /// The largest mean over the smallest.
    pub ratio: f64,
}

/// The values that a parameter has in the results.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// Labels, in the order of the study, or by number.
    pub labels: Vec<String>,
    /// Their numbers, if all are numbers.
    pub numbers: Option<Vec<f64>>,
    places: BTreeMap<String, usize>,
}

impl Group<'_> {
    /// The values of the parameters.
    pub fn combination(&self) -> &Combination {
        self.rows[0].case().combination()
    }

    /// The median of the measure.
    pub fn centre(&self) -> f64 {
        self.centre
    }

    /// Where the real value lies in nine of ten cases, as far as that is known.
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.interval
    }

    /// True if the intervals of the two have values in common.
    pub(crate) fn meets(&self, other: &Group<'_>) -> bool {
        let ends = |group: &Group<'_>| group.interval.unwrap_or((group.centre, group.centre));
        let ((low, high), (least, most)) = (ends(self), ends(other));
        low <= most && least <= high
    }

    /// The number of its first case.
    pub fn number(&self) -> usize {
        self.rows[0].case().number()
    }

    /// A number of this combination: a figure, a field of a parameter or a parameter itself; the median over repetitions.
    pub(crate) fn quantity(&self, study: &Study, name: &str) -> Option<f64> {
        let of =
            |row: &&Row| row.figure(name).or_else(|| study.value(name, row.case().combination())?.number());
        let found: Option<Vec<f64>> = self.rows.iter().map(of).collect();
        Some(quantile(&sorted(found?), 0.5))
    }
}

impl<'r> Analysis<'r> {
    /// Looks at the results through the measure that the study chooses; none if no case has it.
    pub fn new(study: &'r Study, results: &'r Results) -> Option<Analysis<'r>> {
        let has = |name: &&str| results.finished().any(|row| row.figure(name).is_some());
        let chosen = study.page.measure.as_deref();
        let usual = USUAL.into_iter().chain(results.figures().iter().map(String::as_str));
        let measure = chosen.into_iter().chain(usual).find(has)?;
        let groups = groups(results, measure);
        Some(Analysis { study, measure: measure.to_owned(), groups })
    }

    /// The name of the measure.
    pub fn measure(&self) -> &str {
        &self.measure
    }

    pub(crate) fn study(&self) -> &'r Study {
        self.study
    }

    /// Combinations, in the order of the study.
    pub fn groups(&self) -> &[Group<'r>] {
        &self.groups
    }

    /// True if more of this measure is better.
    pub(crate) fn is_maximised(&self, name: &str) -> bool {
        self.study.page.maximise.iter().any(|wish| wish == name)
            || MORE_IS_BETTER.iter().any(|word| name.contains(word))
    }

    /// The measure of a combination, of which less is better.
    pub(crate) fn cost(&self, group: &Group<'_>) -> f64 {
        if self.is_maximised(&self.measure) { -group.centre } else { group.centre }
    }

    /// The values that a parameter has.
    pub(crate) fn levels(&self, parameter: usize) -> Levels {
        let about = &self.study.parameters[parameter];
        let mut known = BTreeSet::new();
        let all = self.groups.iter().map(|group| group.combination()[parameter].label());
        let labels = all.filter(|label| known.insert(*label)).map(str::to_owned).collect();
        Levels::of(labels, about)
    }

    /// The effect of each parameter with several values, the strongest first.
    pub(crate) fn effects(&self) -> Vec<Effect> {
        let effects = (0..self.study.parameters.len()).filter_map(|parameter| self.effect(parameter));
        let mut effects: Vec<Effect> = effects.collect();
        effects.sort_by(|one, other| other.ratio.total_cmp(&one.ratio));
        effects
    }

    fn effect(&self, parameter: usize) -> Option<Effect> {
        let levels = self.levels(parameter);
        if levels.labels.len() < 2 {
            return None;
        }
        let mut centres: Vec<Vec<f64>> = vec![Vec::new(); levels.labels.len()];
        for group in &self.groups {
            let place = levels.place(group.combination()[parameter].label())?;
            centres[place].push(group.centre);
        }
        let means: Vec<(usize, f64)> =
            centres.iter().map(|centres| mean(centres.iter().copied())).enumerate().collect();
        let (low, high) = ends(means.iter().map(|(_, mean)| *mean));
        let ratio = if low > 0.0 { high / low } else { f64::INFINITY };
        Some(Effect { parameter, means, ratio })
    }

    /// The two measures of the Pareto front: those of the study, or the measure and something that it costs.
    pub(crate) fn pareto_measures(&self) -> Option<[String; 2]> {
        if let Some(chosen) = &self.study.page.pareto {
            return Some(chosen.clone());
        }
        let measures = self.study.measures.iter().map(|measure| measure.name.clone());
        let fields = self.study.parameters.iter().flat_map(|parameter| {
            parameter
                .fields()
                .into_iter()
                .map(|field| format!("{}.{field}", parameter.name()))
                .collect::<Vec<_>>()
        });
        let varies = |name: &String| {
            let (low, high) = ends(self.groups.iter().filter_map(|group| group.quantity(self.study, name)));
            low < high && *name != self.measure
        };
        let other = measures.chain(fields).chain(["ranks".to_owned()]).find(varies)?;
        Some([other, self.measure.clone()])
    }

    /// Combinations than which no other is better in both measures, by the first.
    pub(crate) fn front(&self, measures: &[String; 2]) -> Vec<(&Group<'r>, [f64; 2])> {
        let sign = |at: usize| if self.is_maximised(&measures[at]) { -1.0 } else { 1.0 };
        let signs = [sign(0), sign(1)];
        let point = |group: &'_ Group<'r>| {
            let of = |at: usize| group.quantity(self.study, &measures[at]);
            Some([of(0)?, of(1)?])
        };
        let mut points: Vec<(&Group<'r>, [f64; 2])> =
            self.groups.iter().filter_map(|group| Some((group, point(group)?))).collect();
        let order = |point: &[f64; 2]| [point[0] * signs[0], point[1] * signs[1]];
        points.sort_by(|(_, one), (_, other)| {
            let ([a, b], [c, d]) = (order(one), order(other));
            a.total_cmp(&c).then(b.total_cmp(&d))
        });
        let mut best = f64::INFINITY;
        points.retain(|(_, point)| {
            let second = order(point)[1];
            let is_better = second < best;
            best = best.min(second);
            is_better
        });
        points
    }
}

impl Levels {
    fn of(labels: Vec<String>, parameter: &Parameter) -> Levels {
        let (labels, numbers) = match numbers(labels.iter().map(String::as_str), parameter.unit()) {
            Some(found) => {
                let mut pairs: Vec<(f64, String)> = found.into_iter().zip(labels).collect();
                pairs.sort_by(|(one, _), (other, _)| one.total_cmp(other));
                let (numbers, labels) = pairs.into_iter().unzip();
                (labels, Some(numbers))
            }
            None => (labels, None),
        };
        let places = labels.iter().cloned().zip(0..).collect();
        Levels { labels, numbers, places }
    }

    /// The place of a label.
    pub fn place(&self, label: &str) -> Option<usize> {
        self.places.get(label).copied()
    }
}

fn groups<'r>(results: &'r Results, measure: &str) -> Vec<Group<'r>> {
    let mut by_combination: Vec<Vec<&Row>> = Vec::new();
    let mut known: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for row in results.finished().filter(|row| row.figure(measure).is_some()) {
        let labels = row.case().combination().iter().map(|level| level.label()).collect();
        let at = *known.entry(labels).or_insert_with(|| {
            by_combination.push(Vec::new());
            by_combination.len() - 1
        });
        by_combination[at].push(row);
    }
    by_combination.into_iter().map(|rows| group(rows, measure)).collect()
}

fn group<'r>(rows: Vec<&'r Row>, measure: &str) -> Group<'r> {
    let values = sorted(rows.iter().filter_map(|row| row.figure(measure)).collect());
    let centre = quantile(&values, 0.5);
    let repeated = (values.len() > 1).then(|| (quantile(&values, 0.05), quantile(&values, 0.95)));
    let own = rows.iter().flat_map(|row| intervals(row)).filter(|_| USUAL.contains(&measure));
    let interval = own.chain(repeated).reduce(|(low, high), (least, most)| (low.min(least), high.max(most)));
    Group { rows, centre, interval }
}

/// Where the time of a case lies: for nine of ten seeds, and as far as models and measurements can be trusted.
fn intervals(row: &Row) -> impl Iterator<Item = (f64, f64)> + '_ {
    let ends = |of: &str| {
        Some((row.figure(&format!("{of}.low_seconds"))?, row.figure(&format!("{of}.high_seconds"))?))
    };
    ["repetition", "trust"].into_iter().filter_map(ends)
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

/// Linear between the two nearest values.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

/// The geometric mean of positive values, the arithmetic mean of others.
pub(crate) fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count().max(1) as f64;
    match values.clone().all(|value| value > 0.0) {
        true => (values.map(f64::ln).sum::<f64>() / count).exp(),
        false => values.sum::<f64>() / count,
    }
}

/// The smallest and the largest value.
pub(crate) fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::folder::{StudyFolder, WorkerId};
    use crate::outcome::{Ending, Outcome};
    use crate::study::tests::study;

    /// The results of a study whose figures a function gives.
    pub(crate) fn results(
        study: &Study,
        figure: impl Fn(&[&str], u32) -> Vec<(&'static str, f64)>,
    ) -> Results {
        let place = tempfile::tempdir().unwrap();
        let folder = StudyFolder::create(place.path()).unwrap();
        let cases = study.cases().unwrap();
        folder.fill(cases.iter().map(|case| case.spec())).unwrap();
        for case in &cases {
            let labels: Vec<&str> = case.combination().iter().map(|level| level.label()).collect();
            let figures = figure(&labels, case.repetition());
            let ending = match figures.is_empty() {
                true => Ending::Failed { code: 3, reason: "no <figures>".to_owned() },
                false => Ending::Finished,
            };
            let outcome = Outcome {
                key: case.key().clone(),
                words: case.spec().words.clone(),
                ending,
                figures: figures.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
                host: BTreeMap::from([("case_seconds".to_owned(), 0.5)]),
                machine: "m".to_owned(),
                worker: "w".to_owned(),
            };
            let claim = folder.claim(case.key(), &WorkerId::new("w")).unwrap().unwrap();
            folder.finish(claim, &outcome).unwrap();
        }
        Results::collect(study, &cases, &folder)
    }

    pub(crate) const STUDY: &str = "command = \"run -n {n} --net {net} ./a\"\nrepeat = 3\n[parameters]\nn = [2, 4, 8]\n\
        net = [{ label = \"slow\", price = 1 }, { label = \"fast\", price = 5 }, { label = \"bad\", price = 9 }]\n\
        [measures]\ncost = \"net.price * n\"\n";

    /// Twice the ranks halve the time; `fast` is twice as fast as `slow` and `bad`.
    pub(crate) fn figures(labels: &[&str], repetition: u32) -> Vec<(&'static str, f64)> {
        let n: f64 = labels[0].parse().unwrap();
        let speed = if labels[1] == "fast" { 2.0 } else { 1.0 };
        let noise = 1.0 + 0.01 * f64::from(repetition);
        vec![("simulated_seconds", 8.0 / n / speed * noise), ("ranks", n)]
    }

    #[test]
    fn repetitions_are_one_combination() {
        let study = study(STUDY).unwrap();
        let results = results(&study, figures);
        let analysis = Analysis::new(&study, &results).unwrap();
        assert_eq!((analysis.measure(), analysis.groups().len()), ("simulated_seconds", 9));
    }

    #[test]
    fn effects_are_ratios_of_means() {
        let study = study(STUDY).unwrap();
        let results = results(&study, figures);
        let analysis = Analysis::new(&study, &results).unwrap();
        let effects = analysis.effects();
        assert_eq!(effects.iter().map(|effect| effect.parameter).collect::<Vec<_>>(), [0, 1]);
        assert!((effects[0].ratio - 4.0).abs() < 1e-9 && (effects[1].ratio - 2.0).abs() < 1e-9);
        assert_eq!(analysis.levels(0).numbers, Some(vec![2.0, 4.0, 8.0]));
        assert_eq!(analysis.levels(1).labels, ["slow", "fast", "bad"]);
    }

    #[test]
    fn the_front_has_no_combination_that_another_beats() {
        let study = study(STUDY).unwrap();
        let results = results(&study, figures);
        let analysis = Analysis::new(&study, &results).unwrap();
        let measures = analysis.pareto_measures().unwrap();
        assert_eq!(measures, ["cost", "simulated_seconds"]);
        let front = analysis.front(&measures);
        let costs: Vec<f64> = front.iter().map(|(_, point)| point[0]).collect();
        // n=2 slow, n=4 slow, n=8 slow; then fast on 8 (n=4 fast costs 20 and is as fast as n=8 slow for 8).
        assert_eq!(costs, [2.0, 4.0, 8.0, 40.0]);
    }

    #[test]
    fn failures_are_no_groups() {
        let study = study(STUDY).unwrap();
        let results = results(
            &study,
            |labels, repetition| if labels[1] == "bad" { vec![] } else { figures(labels, repetition) },
        );
        let analysis = Analysis::new(&study, &results).unwrap();
        assert_eq!((analysis.groups().len(), results.failed().count()), (6, 9));
    }
}
