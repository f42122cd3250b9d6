//! One access to the memory of a window, and when two of them conflict.
//!
//! Two accesses of calls conflict if they touch the same bytes in one epoch, one of them changes them, and they are not both atomic
//! (accumulations).
//!
//! A load or a store of the program conflicts with an access of a call if one of them changes the bytes. With locks (passive targets) less
//! is wrong, because the memory model of windows here is `MPI_WIN_UNIFIED` (MPI 4.0, 12.7): only a store and an update do conflict
//! then, and not if the program has looked at the bytes since, for it may have waited for the update.

use mpirage_call::{AccessCall, AccessKind, ContextId, Payload, RequestId};

use crate::raw::CallSite;

/// Bytes of a window: the first and the one behind the last.
pub(crate) type Stretch = (i64, i64);

/// An access.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub origin: u32,
    pub kind: AccessKind,
    pub call: CallSite,
    /// The request that completes with it.
    pub request: Option<RequestId>,
    /// How many collectives of the window the origin had taken part in: fences separate epochs of the same number.
    pub epoch: u64,
    /// Stretches of the target's window.
    pub stretches: Vec<Stretch>,
    pub means: Means,
}

/// By which means memory of a window is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Means {
    /// A call that accesses the window.
    Call {
        /// Does the origin hold a lock of the window?
        locked: bool,
        /// Has the owner loaded some of its bytes since?
        seen: bool,
    },
    /// A buffer of a call, in a window of the rank that calls: the window and the target of the access whose completion frees it.
    Buffer(ContextId, u32),
    /// A load or a store of the program.
    Program,
}

impl Access {
    pub(crate) fn is_of_program(&self) -> bool {
        self.means == Means::Program
    }

    /// The window and the target of the access whose completion frees it, if it is a buffer.
    pub(crate) fn buffer_of(&self) -> Option<(ContextId, u32)> {
        match self.means {
            Means::Buffer(window, target) => Some((window, target)),
            Means::Call { .. } | Means::Program => None,
        }
    }

    pub(crate) fn in_words(&self) -> String {
        let is_written = self.kind == AccessKind::Put;
        if self.is_of_program() {
            return format!("a {} of rank {}", if is_written { "store" } else { "load" }, self.origin);
        }
        let buffer = match self.means {
            Means::Buffer(..) if is_written => " (which writes its own buffer there)",
            Means::Buffer(..) => " (which reads its own buffer there)",
            Means::Call { .. } | Means::Program => "",
        };
        format!("{} of rank {}{buffer}", self.call.name(), self.origin)
    }

    /// Is it over when its request is complete? What is to be stored at the target may be on its way then.
    pub(crate) fn ends_with_request(&self) -> bool {
        self.kind.fetches() || self.buffer_of().is_some()
    }

    /// The bytes in which it conflicts with another.
    pub(crate) fn conflict(&self, other: &Access) -> Option<Stretch> {
        let wrong = match (self.means, other.means) {
            (Means::Program, Means::Call { locked, seen }) => self.collides(other, locked, seen),
            (Means::Call { locked, seen }, Means::Program) => other.collides(self, locked, seen),
            (Means::Call { .. }, _) | (_, Means::Call { .. }) => self.interferes(other),
            // Accesses of one rank to its own memory are compared there, where they happen.
            _ => false,
        };
        if wrong && self.epoch == other.epoch { self.overlap(other) } else { None }
    }

    /// Do the kinds of two calls conflict if they touch the same bytes?
    fn interferes(&self, other: &Access) -> bool {
        let changes = |kind: AccessKind| kind != AccessKind::Get;
        let atomic = self.kind.combines() && other.kind.combines();
        !atomic && (changes(self.kind) || changes(other.kind))
    }

    /// Does a load or a store of the program conflict with a call if they touch the same bytes? A call that fetches may leave the bytes
    /// as they are.
    fn collides(&self, call: &Access, locked: bool, seen: bool) -> bool {
        let (is_store, is_update) = (self.kind == AccessKind::Put, !call.kind.fetches());
        if locked { is_store && is_update && !seen } else { is_store || is_update }
    }

    /// The first bytes that both touch.
    pub(crate) fn overlap(&self, other: &Access) -> Option<Stretch> {
        let common = |&(start, end): &Stretch| {
            let both = other.stretches.iter().map(|&(from, to)| (start.max(from), end.min(to)));
            both.filter(|(start, end)| start < end).min()
        };
        self.stretches.iter().filter_map(common).min()
    }
}

/// The stretches of the target's window that an access touches; none if the call does not contain them.
pub(crate) fn stretches(access: &AccessCall<'_>, unit: u64) -> Option<Vec<Stretch>> {
    let Payload::Inline(layout) = access.layout else { return None };
    let base = (access.displacement as i64).wrapping_mul(unit as i64);
    let words: Vec<i64> =
        layout.chunks_exact(8).map(|word| i64::from_ne_bytes(word.try_into().unwrap_or([0; 8]))).collect();
    Some(words.chunks_exact(2).map(|part| (base + part[0], base + part[0] + part[1])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(kind: AccessKind, means: Means, stretch: Stretch) -> Access {
        let (call, stretches) = (CallSite::default(), vec![stretch]);
        Access { origin: 0, kind, call, request: None, epoch: 1, stretches, means }
    }

    #[test]
    fn loads_and_stores_collide_with_updates() {
        let (call, locked) =
            (Means::Call { locked: false, seen: false }, Means::Call { locked: true, seen: false });
        let wrong = |program, kind, means| {
            let mine = access(program, Means::Program, (0, 8));
            let found = mine.conflict(&access(kind, means, (4, 12)));
            assert_eq!(found, access(kind, means, (4, 12)).conflict(&mine));
            found == Some((4, 8))
        };
        let (load, store) = (AccessKind::Get, AccessKind::Put);
        assert!(wrong(store, AccessKind::Put, call) && wrong(store, AccessKind::Get, call));
        assert!(wrong(load, AccessKind::Accumulate, call) && !wrong(load, AccessKind::Get, call));
        assert!(!wrong(load, AccessKind::GetAccumulate, call));
        assert!(wrong(store, AccessKind::Accumulate, locked) && !wrong(store, AccessKind::Get, locked));
        assert!(!wrong(load, AccessKind::Put, locked));
        assert!(!wrong(store, AccessKind::Put, Means::Call { locked: true, seen: true }));
    }

    #[test]
    fn other_bytes_and_other_epochs_do_not_conflict() {
        let call = Means::Call { locked: false, seen: false };
        let store = access(AccessKind::Put, Means::Program, (0, 8));
        assert_eq!(store.conflict(&access(AccessKind::Put, call, (8, 16))), None);
        let later = Access { epoch: 2, ..access(AccessKind::Put, call, (0, 8)) };
        assert_eq!(store.conflict(&later), None);
    }
}
