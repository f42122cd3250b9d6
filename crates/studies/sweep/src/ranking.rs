//! The ranking: which combination is best, among those that do the same work.
//!
//! Combinations with other numbers of ranks or other sizes do other work, so each such problem has a ranking of its own.

use std::collections::BTreeMap;

use crate::analysis::{Analysis, Group};
use crate::roles::is_size;
use crate::scaling::parameter_of_ranks;

/// A combination, and how it compares with the others that solve its problem.
#[derive(Clone, Debug)]
pub struct Ranked<'a, 'r> {
    /// The combination.
    pub group: &'a Group<'r>,
    /// Its place, from 1 on; none if no other combination solves its problem.
    pub rank: Option<usize>,
    /// What it takes more than the best, as a fraction; negative where more is better.
    pub to_best: Option<f64>,
    /// Its interval reaches that of the best, so that the two are not distinguishable.
    pub is_like_best: bool,
}

/// Combinations that solve one problem, from the best to the worst.
#[derive(Clone, Debug)]
pub struct Problem<'a, 'r> {
    /// The values that all of them have: `ranks = 16, size = 1KiB`; empty if the study has one problem.
    pub name: String,
    /// The combinations.
    pub ranking: Vec<Ranked<'a, 'r>>,
}

impl<'r> Analysis<'r> {
    /// The rankings of all problems, in the order of the study.
    pub fn problems(&self) -> Vec<Problem<'_, 'r>> {
        let parameters = self.problem_parameters();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut problems: Vec<(String, Vec<&Group<'r>>)> = Vec::new();
        for group in self.groups() {
            let value = |&at: &usize| {
                format!("{} = {}", self.study().parameters()[at].name(), group.combination()[at].label())
            };
            let name = parameters.iter().map(value).collect::<Vec<_>>().join(", ");
            let at = *places.entry(name.clone()).or_insert(problems.len());
            if at == problems.len() {
                problems.push((name, Vec::new()));
            }
            problems[at].1.push(group);
        }
        problems.into_iter().map(|(name, groups)| Problem { name, ranking: self.ranked(groups) }).collect()
    }

    /// The parameters that change the work.
    fn problem_parameters(&self) -> Vec<usize> {
        let of_ranks = parameter_of_ranks(self);
        let changes_work = |at: &usize| of_ranks == Some(*at) || is_size(self.study(), *at);
        (0..self.study().parameters().len()).filter(changes_work).collect()
    }

    fn ranked<'a>(&self, mut groups: Vec<&'a Group<'r>>) -> Vec<Ranked<'a, 'r>> {
        groups.sort_by(|one, other| self.cost(one).total_cmp(&self.cost(other)));
        let (best, is_alone) = (groups[0], groups.len() == 1);
        let ranked = |(at, group): (usize, &&'a Group<'r>)| Ranked {
            group,
            rank: (!is_alone).then_some(at + 1),
            to_best: Some(group.centre() / best.centre() - 1.0)
                .filter(|share| share.is_finite() && !is_alone),
            is_like_best: at > 0 && group.interval().is_some() && group.meets(best),
        };
        groups.iter().enumerate().map(ranked).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::{STUDY, figures, results};
    use crate::study::tests::study;

    #[test]
    fn combinations_are_ranked_within_their_problem() {
        let study = study(STUDY).unwrap();
        let results = results(&study, figures);
        let analysis = Analysis::new(&study, &results).unwrap();
        let problems = analysis.problems();
        assert_eq!(
            problems.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(),
            ["n = 2", "n = 4", "n = 8"]
        );
        for Problem { ranking, .. } in &problems {
            assert_eq!(ranking[0].group.combination()[1].label(), "fast");
            assert_eq!(ranking.iter().map(|one| one.rank).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
            assert!(!ranking[1].is_like_best && (ranking[1].to_best.unwrap() - 1.0).abs() < 1e-9);
        }
        let best = problems[2].ranking[0].group;
        let (low, high) = best.interval().unwrap();
        assert!(
            (best.centre() - 0.51).abs() < 1e-12 && low > 0.505 && low < 0.51 && high < 0.515 && high > 0.51
        );
    }

    #[test]
    fn a_study_of_one_problem_has_one_ranking() {
        let text = "command = \"run -n 4 --net {net} ./a\"\n[parameters]\nnet = [\"a\", \"b\"]\n";
        let study = study(text).unwrap();
        let time =
            |labels: &[&str], _: u32| vec![("simulated_seconds", if labels[0] == "a" { 2.0 } else { 1.0 })];
        let results = results(&study, time);
        let analysis = Analysis::new(&study, &results).unwrap();
        let problems = analysis.problems();
        assert_eq!((problems.len(), problems[0].name.as_str(), problems[0].ranking.len()), (1, "", 2));
        assert_eq!(problems[0].ranking[0].group.combination()[0].label(), "b");
    }
}
