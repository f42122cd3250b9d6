//! Conflicting accesses of one epoch of a window.
//!
//! Two accesses conflict if they touch the same bytes of a rank's window, one of them changes them, and they are not both atomic
//! (accumulations). Accesses count until they are complete and synchronisation has ordered them: a fence or the end of an exposure
//! epoch for those of all origins, a flush or an unlock for those of one origin.

use mpirage_call::{AccessCall, AccessKind, ContextId, FindingClass, Payload, RequestId};
use rustc_hash::FxHashMap;

use crate::raw::{CallSite, RawFinding, Related};

/// Accesses of an epoch to one rank that are compared with each other.
const MOST: usize = 4096;

#[derive(Clone, Debug)]
struct Access {
    origin: u32,
    kind: AccessKind,
    call: CallSite,
    /// The request that completes with it.
    request: Option<RequestId>,
    /// How many collectives of the window the origin had taken part in: fences separate epochs of the same number.
    epoch: u64,
    /// Stretches of the target's window: first byte and the byte behind the last.
    stretches: Vec<(i64, i64)>,
}

/// The accesses of all windows that are not complete.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    /// By window and target, a rank of `MPI_COMM_WORLD`.
    under_way: FxHashMap<(ContextId, u32), Vec<Access>>,
    /// Bytes of a unit of displacement, by window and target.
    units: FxHashMap<(ContextId, u32), u64>,
    /// Collectives that a rank has taken part in, by window and rank.
    epochs: FxHashMap<(ContextId, u32), u64>,
}

impl Windows {
    /// A rank has memory in a window.
    pub(crate) fn declare(&mut self, window: ContextId, rank: u32, unit: u64) {
        self.units.insert((window, rank), unit);
    }

    /// An access begins. Gives the conflict with an earlier one.
    pub(crate) fn access(
        &mut self,
        origin: u32,
        target: u32,
        call: CallSite,
        access: &AccessCall<'_>,
    ) -> Option<RawFinding> {
        let unit = self.units.get(&(access.window, target)).copied().unwrap_or(1);
        let stretches = stretches(access, unit)?;
        let epoch = self.epochs.get(&(access.window, origin)).copied().unwrap_or(0);
        let mine = Access { origin, kind: access.kind, call, request: access.request, epoch, stretches };
        let others = self.under_way.entry((access.window, target)).or_default();
        let conflict = others.iter().find(|other| mine.conflicts_with(other)).map(|other| {
            let text = format!(
                "{} of rank {origin} and {} of rank {} access the same bytes of the window of rank {target} in one epoch",
                call.name(),
                other.call.name(),
                other.origin
            );
            RawFinding {
                class: FindingClass::RmaConflict,
                rank: origin,
                call,
                text,
                expected: Some("synchronisation between the two accesses, or accumulations only".to_owned()),
                related: vec![Related {
                    rank: other.origin,
                    call: other.call,
                    text: format!("the other access, {} of rank {}", other.call.name(), other.origin),
                }],
            }
        });
        if others.len() < MOST {
            others.push(mine);
        }
        conflict
    }

    /// An origin's accesses to a target, or to all, are complete. `function` says by which synchronisation.
    pub(crate) fn complete(&mut self, window: ContextId, origin: u32, target: Option<u32>, function: &str) {
        // A fence, and the end of an access epoch, order accesses only when all ranks, or the target, have taken part.
        let orders = function.contains("lock") || function.contains("flush");
        for ((of, at), accesses) in self.under_way.iter_mut().filter(|_| orders) {
            if *of == window && target.is_none_or(|target| target == *at) {
                accesses.retain(|access| access.origin != origin);
            }
        }
    }

    /// A request of an origin is complete: what it was to fetch has been read at the target.
    pub(crate) fn complete_request(&mut self, origin: u32, request: RequestId) {
        for accesses in self.under_way.values_mut() {
            accesses.retain(|access| {
                !(access.origin == origin && access.request == Some(request) && access.kind.fetches())
            });
        }
    }

    /// A rank takes part in a collective of a window, such as a fence.
    pub(crate) fn synchronise(&mut self, window: ContextId, rank: u32) {
        let epoch = self.epochs.entry((window, rank)).or_default();
        *epoch += 1;
        // Others may still be in the epoch before.
        if let Some(accesses) = self.under_way.get_mut(&(window, rank)) {
            accesses.retain(|access| access.epoch + 1 >= *epoch);
        }
    }

    /// The exposure epoch of a rank's memory has ended.
    pub(crate) fn end_exposure(&mut self, rank: u32) {
        for ((_, at), accesses) in &mut self.under_way {
            if *at == rank {
                accesses.clear();
            }
        }
    }
}

impl Access {
    fn conflicts_with(&self, other: &Access) -> bool {
        let changes = |kind: AccessKind| kind != AccessKind::Get;
        let atomic = self.kind.combines() && other.kind.combines();
        if atomic || self.epoch != other.epoch || !(changes(self.kind) || changes(other.kind)) {
            return false;
        }
        let touches = |&(start, end): &(i64, i64)| {
            other.stretches.iter().any(|&(their_start, their_end)| start < their_end && their_start < end)
        };
        self.stretches.iter().any(touches)
    }
}

/// The stretches of the target's window that an access touches; none if the call does not contain them.
fn stretches(access: &AccessCall<'_>, unit: u64) -> Option<Vec<(i64, i64)>> {
    let Payload::Inline(layout) = access.layout else { return None };
    let base = (access.displacement as i64).wrapping_mul(unit as i64);
    let words: Vec<i64> =
        layout.chunks_exact(8).map(|word| i64::from_ne_bytes(word.try_into().unwrap_or([0; 8]))).collect();
    Some(words.chunks_exact(2).map(|part| (base + part[0], base + part[0] + part[1])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_call::WORLD;

    fn access(windows: &mut Windows, origin: u32, kind: AccessKind, at: i64, bytes: i64) -> bool {
        let layout: Vec<u8> = [at, bytes].into_iter().flat_map(i64::to_ne_bytes).collect();
        let call = AccessCall {
            kind,
            window: WORLD,
            target: 2,
            displacement: 0,
            bytes: bytes as u64,
            payload: Payload::Absent,
            layout: Payload::Inline(&layout),
            parts: 1,
            op: 0,
            basic: 0,
            result: 0,
            request: None,
        };
        windows.access(origin, 2, CallSite::default(), &call).is_some()
    }

    #[test]
    fn puts_to_the_same_place_conflict_until_the_fence() {
        let mut windows = Windows::default();
        assert!(!access(&mut windows, 0, AccessKind::Put, 0, 8));
        assert!(!access(&mut windows, 1, AccessKind::Put, 8, 8));
        assert!(access(&mut windows, 1, AccessKind::Get, 4, 8));
        (0..3).for_each(|rank| windows.synchronise(WORLD, rank));
        assert!(!access(&mut windows, 1, AccessKind::Put, 0, 8));
    }

    #[test]
    fn accumulations_and_gets_do_not_conflict_with_their_kind() {
        let mut windows = Windows::default();
        assert!(!access(&mut windows, 0, AccessKind::Accumulate, 0, 8));
        assert!(!access(&mut windows, 1, AccessKind::GetAccumulate, 0, 8));
        assert!(access(&mut windows, 1, AccessKind::Put, 0, 8));
        windows.complete(WORLD, 1, None, "MPI_Win_flush_all");
        windows.complete(WORLD, 0, Some(2), "MPI_Win_unlock");
        assert!(!access(&mut windows, 1, AccessKind::Get, 0, 8));
        assert!(!access(&mut windows, 0, AccessKind::Get, 0, 8));
    }
}
