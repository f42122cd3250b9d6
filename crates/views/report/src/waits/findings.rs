//! Sentences that explain the wait states.

use mpirage_units::Duration;

use super::Waits;
use super::history::Doing;
use super::output::{CallPlace, Names};
use super::state::State;
use super::tables::Sum;
use crate::time::seconds;

/// Shares of the time of all ranks, and of the time that they wait, below which nothing is said.
const WORTH_SAYING: f64 = 0.01;
const LARGE: f64 = 0.1;
/// Causes that are named.
const NAMED: usize = 3;

impl Waits {
    /// Sentences about the causes of lost time, the most important first.
    pub(super) fn findings(
        &self,
        names: &Names<'_>,
        causes: &[((u32, CallPlace, Doing), Sum)],
        links: &[(String, Sum)],
        seconds_of_ranks: f64,
    ) -> Vec<String> {
        let totals = self.totals();
        let share = |picos: u64| seconds(picos) / seconds_of_ranks.max(f64::MIN_POSITIVE);
        let waiting: u64 =
            State::ALL.into_iter().filter(|it| it.is_wait()).map(|it| totals[it as usize]).sum();
        let contention = totals[State::Contention as usize];
        let contended = (share(contention) >= WORTH_SAYING).then(|| contended(share(contention), links));
        let mut findings = Vec::new();
        if contention > waiting {
            findings.extend(contended.clone());
        }
        if share(waiting) >= WORTH_SAYING {
            findings.push(self.waiting(share(waiting), waiting));
            let large = causes.iter().filter(|(_, sum)| sum.picos as f64 >= LARGE * waiting as f64);
            findings.extend(large.take(NAMED).map(|(cause, sum)| blamed(names, cause, sum.picos)));
        }
        if contention <= waiting {
            findings.extend(contended);
        }
        let transfer = totals[State::Transfer as usize];
        if share(transfer) >= LARGE {
            findings.push(format!("Transfers take {} of the time of all ranks.", percent(share(transfer))));
        }
        findings
    }

    fn waiting(&self, share: f64, waiting: u64) -> String {
        let totals = self.totals();
        let waits = State::ALL.into_iter().filter(|state| state.is_wait());
        let most = waits.max_by_key(|state| totals[*state as usize]).unwrap_or(State::Other);
        let of_it = percent(totals[most as usize] as f64 / waiting as f64);
        format!(
            "Ranks wait for other ranks during {} of their time; {of_it} of that is due to {}.",
            percent(share),
            most.words()
        )
    }
}

fn blamed(names: &Names<'_>, &(rank, place, doing): &(u32, CallPlace, Doing), picos: u64) -> String {
    let call =
        place.map(|(function, site)| (names.calls.function_name(function), names.calls.site_name(site)));
    let call = match call {
        Some((function, "")) => function.to_owned(),
        Some((function, site)) => format!("{function} at {}", without_folders(site)),
        None => "a call that is not known".to_owned(),
    };
    let what = if doing == Doing::Computing { "by what it does before" } else { "while it is in" };
    format!("Rank {rank} makes other ranks wait {} {what} {call}.", Duration::from_picos(picos))
}

/// A place without the folders of its file.
fn without_folders(site: &str) -> &str {
    let file = site.split(' ').next().unwrap_or(site);
    &site[file.rfind('/').map_or(0, |slash| slash + 1)..]
}

fn contended(share: f64, links: &[(String, Sum)]) -> String {
    let at = links.first().map(|(name, _)| format!("; the link with the most is {name}")).unwrap_or_default();
    format!("Messages that share links cost {} of the time of all ranks{at}.", percent(share))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_no_folders() {
        assert_eq!(without_folders("/a/b/c.c:3 in f"), "c.c:3 in f");
        assert_eq!(without_folders("c.c:3 in operator/"), "c.c:3 in operator/");
    }
}
