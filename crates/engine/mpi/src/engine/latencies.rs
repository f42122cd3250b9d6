//! How soon messages can come to ranks.

use mpirage_call::RankId;
use mpirage_units::Duration;

use super::core::Core;
use crate::memory::Memory;

/// Ranks up to which latencies are known: those between all of them are looked at.
const FEW_RANKS: usize = 64;

/// The least latency of messages to each rank, where it has been asked for.
#[derive(Debug, Default)]
pub(super) struct LeastLatencies(Vec<Option<Duration>>);

impl LeastLatencies {
    /// Every message of another rank takes at least so long to this one.
    pub(super) fn of<M: Memory>(&mut self, core: &Core<M>, to: RankId) -> Duration {
        let ranks = core.ranks.count();
        if ranks > FEW_RANKS {
            return Duration::ZERO;
        }
        self.0.resize(ranks, None);
        *self.0[to.index()].get_or_insert_with(|| {
            let others = (0..ranks as u32).map(RankId::new).filter(|rank| *rank != to);
            let latencies =
                others.map(|from| core.wire.kernel().least_latency(core.host(from), core.host(to)));
            latencies.min().unwrap_or(Duration::ZERO)
        })
    }
}
