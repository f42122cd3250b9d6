//! Wildcard receives that get their message from a chosen source instead of the first that comes.
//!
//! A checked run explores which messages a receive with `MPI_ANY_SOURCE` could get. Runs are deterministic, so the n-th wildcard
//! receive of a rank is the same in each run with the same earlier choices.

use std::collections::BTreeMap;

use mpirage_call::RankId;

/// The source of a wildcard receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MatchChoice {
    /// The rank that receives.
    pub rank: u32,
    /// Its number among the rank's wildcard receives and probes, counted from 0; polls are not counted.
    pub wildcard: u32,
    /// The source, as a rank of the communicator.
    pub source: u32,
}

/// All choices of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct MatchChoices {
    sources: BTreeMap<(u32, u32), u32>,
    /// Wildcard receives of each rank so far.
    seen: BTreeMap<u32, u32>,
}

impl MatchChoices {
    pub(super) fn new(choices: &[MatchChoice]) -> MatchChoices {
        let sources = choices.iter().map(|choice| ((choice.rank, choice.wildcard), choice.source)).collect();
        MatchChoices { sources, seen: BTreeMap::new() }
    }

    /// The source of the next receive of a rank, which names `from`.
    pub(super) fn source(&mut self, rank: RankId, from: Option<u32>) -> Option<u32> {
        if from.is_some() {
            return from;
        }
        let seen = self.seen.entry(rank.get()).or_default();
        let chosen = self.sources.get(&(rank.get(), *seen)).copied();
        *seen += 1;
        chosen
    }
}

/// The source of a receive that names `from`: a chosen one if there are choices.
pub(super) fn chosen_source(
    choices: &mut Option<Box<MatchChoices>>,
    rank: RankId,
    from: Option<u32>,
) -> Option<u32> {
    choices.as_mut().map_or(from, |choices| choices.source(rank, from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_chosen_wildcard_has_a_source() {
        let mut choices = MatchChoices::new(&[MatchChoice { rank: 0, wildcard: 1, source: 7 }]);
        let rank = RankId::new(0);
        assert_eq!(choices.source(rank, None), None);
        assert_eq!(choices.source(rank, Some(3)), Some(3));
        assert_eq!(choices.source(RankId::new(1), None), None);
        assert_eq!(choices.source(rank, None), Some(7));
        assert_eq!(choices.source(rank, None), None);
    }
}
