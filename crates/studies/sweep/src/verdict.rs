//! The answer of a study in a few sentences: what is best and by how much, and how far more ranks pay.

use std::collections::BTreeMap;

use mpirage_units::counted;

use crate::analysis::{Analysis, Group};
use crate::ranking::Ranked;
use crate::scaling::Scaling;

impl Analysis<'_> {
    /// What is best, beyond the intervals, and what a scaling study shows; at most three sentences.
    pub fn verdict(&self) -> Vec<String> {
        let scaling = Scaling::of(self);
        let scaling = scaling.as_ref();
        let sentences = [
            self.best(),
            scaling.and_then(Scaling::sentence),
            scaling.and_then(Scaling::efficiency_sentence),
        ];
        sentences.into_iter().flatten().collect()
    }

    /// The best combination of each problem.
    fn best(&self) -> Option<String> {
        let problems = self.problems();
        let compared: Vec<(&str, &[Ranked<'_, '_>])> = problems
            .iter()
            .filter(|problem| problem.ranking.len() > 1)
            .map(|problem| (problem.name.as_str(), &problem.ranking[..]))
            .collect();
        if let [(_, ranking)] = compared[..] {
            return Some(self.best_of_one(ranking));
        }
        let mut winners: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let clear = compared.iter().filter(|(_, ranking)| !ranking[1].is_like_best);
        clear.for_each(|(problem, ranking)| {
            winners.entry(self.name_of(ranking[0].group, ranking)).or_default().push(problem);
        });
        let all = compared.len();
        let unclear = all - winners.values().map(Vec::len).sum::<usize>();
        let mut parts: Vec<String> = match winners.iter().next() {
            None if all == 0 => return None,
            None => {
                return Some(format!("In none of {} is there a clear difference.", counted(all, "problem")));
            }
            Some((winner, _)) if winners.len() == 1 && unclear == 0 => {
                return Some(format!("{winner} is the best in all {}.", counted(all, "problem")));
            }
            Some(_) => winners
                .iter()
                .map(|(winner, problems)| match problems[..] {
                    [one] => format!("{winner} is the best with {one}"),
                    _ => format!("{winner} is the best in {} of {}", problems.len(), counted(all, "problem")),
                })
                .collect(),
        };
        if unclear > 0 {
            parts.push(format!("{unclear} of {} show no clear difference", counted(all, "problem")));
        }
        Some(format!("{}.", parts.join("; ")))
    }

    fn best_of_one(&self, ranking: &[Ranked<'_, '_>]) -> String {
        let name = |one: &Ranked<'_, '_>| self.name_of(one.group, ranking);
        let like: Vec<&Ranked<'_, '_>> = ranking.iter().filter(|one| one.is_like_best).collect();
        let (best, next) = (name(&ranking[0]), &ranking[1]);
        match like[..] {
            [] => {
                let by = next.to_best.map_or_else(String::new, |share| {
                    format!(": {} takes {:+.1} %", name(next), 100.0 * share)
                });
                let unknown = ranking[0].group.interval().is_none() || next.group.interval().is_none();
                let trust =
                    if unknown { " How far that can be trusted is unknown: no interval." } else { "" };
                format!("{best} is the best{by}.{trust}")
            }
            [one] => format!(
                "There is no clear difference between {best} and {}: their intervals meet.",
                name(one)
            ),
            _ => format!(
                "There is no clear difference between {best} and {} others: their intervals meet.",
                like.len()
            ),
        }
    }

    /// The values in which a combination differs from others.
    fn name_of(&self, group: &Group<'_>, others: &[Ranked<'_, '_>]) -> String {
        let differs = |&at: &usize| {
            others
                .iter()
                .any(|other| other.group.combination()[at].label() != group.combination()[at].label())
        };
        let value = |at: usize| {
            format!("{} = {}", self.study().parameters()[at].name(), group.combination()[at].label())
        };
        (0..self.study().parameters().len()).filter(differs).map(value).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::{STUDY, figures, results};
    use crate::study::tests::study;

    const NETS: &str =
        "command = \"run -n 4 --net {net} ./a\"\nrepeat = 3\n[parameters]\nnet = [\"a\", \"b\", \"c\"]\n";

    fn verdict(text: &str, figure: impl Fn(&[&str], u32) -> Vec<(&'static str, f64)>) -> Vec<String> {
        let study = study(text).unwrap();
        let results = results(&study, figure);
        Analysis::new(&study, &results).unwrap().verdict()
    }

    /// Times of `a`, `b` and `c`, which scatter by so much.
    fn nets(times: [f64; 3], scatter: f64) -> Vec<String> {
        verdict(NETS, |labels, repetition| {
            let at = ["a", "b", "c"].iter().position(|&net| net == labels[0]).unwrap();
            vec![("simulated_seconds", times[at] + scatter * f64::from(repetition)), ("ranks", 4.0)]
        })
    }

    #[test]
    fn the_best_is_named_only_beyond_intervals() {
        assert_eq!(nets([2.0, 1.0, 3.0], 0.01), ["net = b is the best: net = a takes +98.0 %."]);
        assert_eq!(
            nets([1.0, 1.01, 3.0], 0.05),
            ["There is no clear difference between net = a and net = b: their intervals meet."]
        );
        assert_eq!(
            nets([1.0, 1.01, 1.02], 0.05),
            ["There is no clear difference between net = a and 2 others: their intervals meet."]
        );
    }

    #[test]
    fn problems_are_judged_apart() {
        let said = verdict(STUDY, figures);
        assert_eq!(said[0], "net = fast is the best in all 3 problems.");
        assert!(said[1].contains("4 times as fast"), "{said:?}");
        let other = verdict(STUDY, |labels, repetition| {
            let mut times = figures(labels, repetition);
            if labels == ["8", "slow"] {
                times[0].1 /= 10.0;
            }
            times
        });
        assert_eq!(other[0], "net = fast is the best in 2 of 3 problems; net = slow is the best with n = 8.");
    }

    #[test]
    fn the_end_of_scaling_is_named() {
        let said = verdict(STUDY, |labels, repetition| {
            let n: f64 = labels[0].parse().unwrap();
            let time = if n > 4.0 { 1.0 } else { 2.0 / n };
            vec![("simulated_seconds", time * (1.0 + 0.001 * f64::from(repetition))), ("ranks", n)]
        });
        assert_eq!(said[2], "From 8 ranks on, efficiency is below 50 % if the problem stays the same.");
    }
}
