//! Conflicting accesses of one epoch of a window.
//!
//! Accesses ([`Access`]) count until they are complete and synchronisation has ordered them: a fence or the end of an exposure epoch for
//! those of all origins, a flush or an unlock for those of one origin.
//!
//! MPI calls of the rank that owns the memory count, too. A buffer of its own access that lies in a window is read or written until
//! that access is complete. A call that waits reads or writes its buffer at once, so it is compared with accesses under way only. So
//! are loads and stores of the program, and with accesses that follow while nothing has ordered them ([`Unordered`]).

use mpirage_call::{AccessCall, AccessKind, ContextId, FindingClass, RequestId};
use rustc_hash::FxHashMap;

use crate::access::{Access, Means, Stretch, stretches};
use crate::owner::Unordered;
use crate::raw::{CallSite, RawFinding, Related};

/// Accesses of an epoch to one rank that are compared with each other.
const MOST: usize = 4096;

/// The memory of a rank in a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// Bytes of a unit of displacement.
    pub unit: u64,
    pub base: u64,
    pub bytes: u64,
    /// The call that made the window.
    pub made: CallSite,
}

/// Memory that a call of its owner reads or writes.
#[derive(Clone, Debug)]
pub(crate) struct Touched {
    pub written: bool,
    /// Addresses and lengths.
    pub stretches: Vec<(u64, u64)>,
}

/// The accesses of all windows that are not complete.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    /// By window and target, a rank of `MPI_COMM_WORLD`.
    under_way: FxHashMap<(ContextId, u32), Vec<Access>>,
    /// The memory of each rank in its windows.
    memory: FxHashMap<u32, Vec<(ContextId, Memory)>>,
    /// Collectives that a rank has taken part in, by window and rank.
    epochs: FxHashMap<(ContextId, u32), u64>,
    /// Locks that a rank holds, by window and rank.
    locks: FxHashMap<(ContextId, u32), u32>,
    /// Loads and stores of the program that no call has ordered.
    unordered: Unordered,
}

impl Windows {
    /// A rank has memory in a window.
    pub(crate) fn declare(&mut self, window: ContextId, rank: u32, memory: Memory) {
        let windows = self.memory.entry(rank).or_default();
        windows.retain(|&(known, _)| known != window);
        windows.push((window, memory));
    }

    /// A rank has freed a window.
    pub(crate) fn forget(&mut self, window: ContextId, rank: u32) {
        if let Some(windows) = self.memory.get_mut(&rank) {
            windows.retain(|&(known, _)| known != window);
        }
    }

    /// An access begins. Gives the conflicts with earlier ones.
    pub(crate) fn access(
        &mut self,
        origin: u32,
        target: u32,
        call: CallSite,
        access: &AccessCall<'_>,
    ) -> Vec<RawFinding> {
        let window = access.window;
        let unit = self.memory_of(window, target).map_or(1, |memory| memory.unit);
        let Some(stretches) = stretches(access, unit) else { return Vec::new() };
        let locked = self.locks.contains_key(&(window, origin));
        let (kind, request, epoch) = (access.kind, access.request, self.epoch(window, origin));
        let means = Means::Call { locked, seen: false };
        let mine = Access { origin, kind, call, request, epoch, stretches, means };
        let with_owner = self.conflict_with_owner(window, target, &mine);
        if locked {
            self.order_with_owner(origin, target, kind);
        }
        self.enter(window, target, mine, true).into_iter().chain(with_owner).collect()
    }

    /// The conflict of an access with a load or a store of the rank whose memory it is. What a rank does itself is in order.
    fn conflict_with_owner(&self, window: ContextId, target: u32, mine: &Access) -> Option<RawFinding> {
        let mut others = self.unordered.of(target, window).filter(|_| mine.origin != target);
        let (other, bytes) = others.find_map(|other| Some((other, mine.conflict(other)?)))?;
        Some(self.finding(window, target, mine, other, bytes))
    }

    /// An access with a lock takes effect at once: the target may wait for it, and the origin may have waited for what it fetches.
    fn order_with_owner(&mut self, origin: u32, target: u32, kind: AccessKind) {
        self.unordered.release(origin);
        if kind.fetches() {
            self.unordered.release(target);
        }
    }

    /// The program of a rank has loaded or stored something. `released` if its next call may tell others. Gives the conflicts.
    pub(crate) fn load_store(
        &mut self,
        rank: u32,
        call: CallSite,
        touched: &Touched,
        released: bool,
    ) -> Vec<RawFinding> {
        let mut found = Vec::new();
        for (window, stretches) in self.windows_of(rank, touched) {
            let (kind, epoch) = (touched.kind(), self.epoch(window, rank));
            let mine =
                Access { origin: rank, kind, call, request: None, epoch, stretches, means: Means::Program };
            self.mark_seen(window, &mine);
            found.extend(self.enter(window, rank, mine.clone(), false));
            if !released {
                self.unordered.add(window, mine);
            }
        }
        if released {
            self.unordered.release(rank);
        }
        found
    }

    /// The program of a rank has seen bytes that accesses under way may have changed.
    fn mark_seen(&mut self, window: ContextId, mine: &Access) {
        let others = self.under_way.get_mut(&(window, mine.origin)).into_iter().flatten();
        for other in others.filter(|_| mine.kind == AccessKind::Get) {
            let overlaps = mine.overlap(other).is_some();
            if let Means::Call { seen, .. } = &mut other.means {
                *seen |= overlaps;
            }
        }
    }

    fn memory_of(&self, window: ContextId, rank: u32) -> Option<Memory> {
        let windows = self.memory.get(&rank).into_iter().flatten();
        windows.copied().find(|&(of, _)| of == window).map(|(_, memory)| memory)
    }

    /// The windows of a rank in which touched memory lies, and where.
    fn windows_of(&self, rank: u32, touched: &Touched) -> Vec<(ContextId, Vec<Stretch>)> {
        let inside = |&(window, memory): &(ContextId, Memory)| {
            let stretches = memory.stretches_inside(touched);
            (!stretches.is_empty()).then_some((window, stretches))
        };
        self.memory.get(&rank).into_iter().flatten().filter_map(inside).collect()
    }

    /// A rank has got a lock of a window.
    pub(crate) fn lock(&mut self, window: ContextId, rank: u32) {
        *self.locks.entry((window, rank)).or_default() += 1;
    }

    /// A rank gives up a lock of a window.
    pub(crate) fn unlock(&mut self, window: ContextId, rank: u32) {
        if let Some(held) = self.locks.get_mut(&(window, rank)) {
            *held -= 1;
            if *held == 0 {
                self.locks.remove(&(window, rank));
            }
        }
    }

    /// A rank enters a collective: a barrier of so many ranks, or another one, after which others may know what it has done.
    pub(crate) fn enter_collective(&mut self, number: u64, rank: u32, barrier_of: Option<u32>) {
        match barrier_of {
            Some(size) => self.unordered.enter_barrier(number, rank, size),
            None => self.unordered.release(rank),
        }
    }

    /// An access to `target` reads or writes memory of its origin until it is complete. Gives the conflicts if the memory lies in windows.
    pub(crate) fn access_buffer(
        &mut self,
        origin: u32,
        target: u32,
        call: CallSite,
        access: &AccessCall<'_>,
        touched: &Touched,
    ) -> Vec<RawFinding> {
        self.touch(origin, call, touched, Some((access.window, target, access.request)))
    }

    /// A call of a rank that waits for its end reads or writes memory. Gives the conflicts if the memory lies in windows.
    pub(crate) fn blocking_buffer(
        &mut self,
        rank: u32,
        call: CallSite,
        touched: &Touched,
    ) -> Vec<RawFinding> {
        self.touch(rank, call, touched, None)
    }

    fn touch(
        &mut self,
        rank: u32,
        call: CallSite,
        touched: &Touched,
        until: Option<(ContextId, u32, Option<RequestId>)>,
    ) -> Vec<RawFinding> {
        let (kind, used) = (touched.kind(), self.windows_of(rank, touched));
        let one = |(window, stretches)| {
            let epoch = self.epoch(window, rank);
            let request = until.and_then(|(.., request)| request);
            let means = until
                .map_or(Means::Buffer(window, rank), |(window, target, _)| Means::Buffer(window, target));
            let mine = Access { origin: rank, kind, call, request, epoch, stretches, means };
            self.enter(window, rank, mine, until.is_some())
        };
        used.into_iter().filter_map(one).collect()
    }

    fn epoch(&self, window: ContextId, rank: u32) -> u64 {
        self.epochs.get(&(window, rank)).copied().unwrap_or(0)
    }

    /// Gives the conflict of an access with an earlier one; keeps it if it `stays` under way.
    fn enter(&mut self, window: ContextId, target: u32, mine: Access, stays: bool) -> Option<RawFinding> {
        let others = self.under_way.entry((window, target)).or_default();
        let other = others.iter().find_map(|other| Some((other.clone(), mine.conflict(other)?)));
        let found = other.map(|(other, bytes)| self.finding(window, target, &mine, &other, bytes));
        let others = self.under_way.entry((window, target)).or_default();
        if stays && others.len() < MOST {
            others.push(mine);
        }
        found
    }

    /// Two accesses conflict in these bytes.
    fn finding(
        &self,
        window: ContextId,
        target: u32,
        mine: &Access,
        other: &Access,
        (first, behind): Stretch,
    ) -> RawFinding {
        let by_program = mine.is_of_program() || other.is_of_program();
        let bytes = if by_program { format!(" ({first} to {})", behind - 1) } else { String::new() };
        let (ours, theirs) = (mine.in_words(), other.in_words());
        let text = format!(
            "{ours} and {theirs} access the same bytes{bytes} of the window of rank {target} in one epoch"
        );
        let otherwise = if by_program { "" } else { ", or accumulations only" };
        let text_of_other = format!("the other access, {theirs}");
        let mut related = vec![Related { rank: other.origin, call: other.call, text: text_of_other }];
        if let (true, Some(memory)) = (by_program, self.memory_of(window, target)) {
            let text = format!("the window, made by {}", memory.made.name());
            related.push(Related { rank: target, call: memory.made, text });
        }
        RawFinding {
            class: FindingClass::RmaConflict,
            rank: mine.origin,
            call: mine.call,
            text,
            expected: Some(format!("synchronisation between the two accesses{otherwise}")),
            related,
        }
    }

    /// An origin's accesses to a target, or to all, are complete. `function` says by which synchronisation.
    pub(crate) fn complete(&mut self, window: ContextId, origin: u32, target: Option<u32>, function: &str) {
        // A fence, and the end of an access epoch, order accesses only when all ranks, or the target, have taken part.
        let orders = function.contains("lock") || function.contains("flush");
        let is_fence = function.contains("fence");
        for ((of, at), accesses) in &mut self.under_way {
            accesses.retain(|access| {
                let (via, to) = access.buffer_of().unwrap_or((*of, *at));
                let complete =
                    access.origin == origin && via == window && target.is_none_or(|target| target == to);
                // The buffer of an access is free when that is complete; in a fence, others may still access it in the same epoch.
                let free = access.buffer_of().is_some() && !(is_fence && *of == window);
                !(complete && (orders || free))
            });
        }
    }

    /// A request of an origin is complete: what it was to fetch has been read at the target.
    pub(crate) fn complete_request(&mut self, origin: u32, request: RequestId) {
        for accesses in self.under_way.values_mut() {
            accesses.retain(|access| {
                !(access.origin == origin && access.request == Some(request) && access.ends_with_request())
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
        self.unordered.release(rank);
        for ((_, at), accesses) in &mut self.under_way {
            if *at == rank {
                accesses.clear();
            }
        }
    }
}

impl Touched {
    fn kind(&self) -> AccessKind {
        if self.written { AccessKind::Put } else { AccessKind::Get }
    }
}

impl Memory {
    /// The parts of touched memory that lie in it, counted from its first byte.
    fn stretches_inside(&self, touched: &Touched) -> Vec<Stretch> {
        let part = |&(address, length): &(u64, u64)| {
            let end = address.saturating_add(length).min(self.base.saturating_add(self.bytes));
            let start = address.max(self.base);
            (start < end).then(|| ((start - self.base) as i64, (end - self.base) as i64))
        };
        touched.stretches.iter().filter_map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_call::{Payload, WORLD};

    const MEMORY: Memory = Memory { unit: 1, base: 1000, bytes: 64, made: CallSite { function: 0, site: 0 } };

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
        !windows.access(origin, 2, CallSite::default(), &call).is_empty()
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
    fn the_buffer_of_an_access_counts_until_that_is_complete() {
        let mut windows = Windows::default();
        windows.declare(WORLD, 2, MEMORY);
        let touched = |written| Touched { written, stretches: vec![(996, 8)] };
        let stays = |windows: &mut Windows, written| {
            let until = Some((WORLD, 0, None));
            !windows.touch(2, CallSite::default(), &touched(written), until).is_empty()
        };
        assert!(!stays(&mut windows, true) && !stays(&mut windows, false));
        assert!(!access(&mut windows, 0, AccessKind::Put, 4, 4));
        assert!(access(&mut windows, 0, AccessKind::Get, 0, 4));
        assert_eq!(windows.blocking_buffer(2, CallSite::default(), &touched(true)).len(), 1);
        (0..3).for_each(|rank| windows.synchronise(WORLD, rank));
        assert!(windows.blocking_buffer(2, CallSite::default(), &touched(true)).is_empty());
        assert!(!stays(&mut windows, true));
        windows.complete(WORLD, 2, Some(0), "MPI_Win_flush_local");
        assert!(!access(&mut windows, 0, AccessKind::Put, 0, 4));
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

    fn load_store(windows: &mut Windows, written: bool, at: u64, released: bool) -> usize {
        let touched = Touched { written, stretches: vec![(1000 + at, 4)] };
        windows.load_store(2, CallSite::of_program(1), &touched, released).len()
    }

    #[test]
    fn a_store_conflicts_with_what_is_under_way_and_with_what_follows() {
        let mut windows = Windows::default();
        windows.declare(WORLD, 2, MEMORY);
        assert!(!access(&mut windows, 0, AccessKind::Put, 0, 4));
        assert_eq!(load_store(&mut windows, true, 0, false), 1);
        assert_eq!(load_store(&mut windows, true, 8, false), 0);
        assert!(access(&mut windows, 0, AccessKind::Get, 8, 4));
        assert!(!access(&mut windows, 2, AccessKind::Get, 8, 4));
        windows.enter_collective(5, 2, Some(2));
        assert!(access(&mut windows, 0, AccessKind::Put, 10, 4));
        windows.enter_collective(5, 0, Some(2));
        (0..3).for_each(|rank| windows.synchronise(WORLD, rank));
        assert!(!access(&mut windows, 0, AccessKind::Put, 8, 4));
    }

    #[test]
    fn a_message_orders_a_store_before_what_follows() {
        let mut windows = Windows::default();
        windows.declare(WORLD, 2, MEMORY);
        assert_eq!(load_store(&mut windows, true, 0, true), 0);
        assert!(!access(&mut windows, 0, AccessKind::Put, 0, 4));
    }

    #[test]
    fn a_rank_may_wait_for_an_update_with_loads() {
        let mut windows = Windows::default();
        windows.declare(WORLD, 2, MEMORY);
        windows.lock(WORLD, 0);
        assert!(!access(&mut windows, 0, AccessKind::Put, 0, 4));
        assert!(!access(&mut windows, 0, AccessKind::Put, 8, 4));
        assert_eq!(load_store(&mut windows, false, 0, true), 0);
        assert_eq!(load_store(&mut windows, true, 0, true), 0);
        assert_eq!(load_store(&mut windows, true, 8, true), 1);
    }
}
