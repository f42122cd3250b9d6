//! Loads and stores of the program in the memory of its windows, in a checked run.
//!
//! A program that was compiled with `--watch-memory` calls the library before each load and store (`hooks`). Those that lie in a
//! window of the rank are noted here, and told to the simulator before the rank's next call.

use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mpirage_call::ContextId;

use crate::checked::stretches::Stretches;
use crate::ground::lock::Lock;

/// Stretches of memory that ranks of this process watch. Hooks do nothing while there is none.
pub(crate) static WATCHED: AtomicUsize = AtomicUsize::new(0);

/// Does the program call hooks?
static HAS_HOOKS: AtomicBool = AtomicBool::new(false);

/// Places of the program whose loads and stores are noted between two calls.
const MOST_PLACES: usize = 1024;
/// How often a thread looks whether another one is done with the notes, before it leaves its access out.
const MOST_LOOKS: usize = 1000;

/// Functions that do not order what the program did before them ahead of accesses of other ranks, or only when all ranks have called
/// them. Those that access a window do if the rank holds a lock; the checker knows.
const ORDER_NOTHING: [&str; 14] = [
    "MPI_Win_fence",
    "MPI_Barrier",
    "MPI_Win_start",
    "MPI_Win_wait",
    "MPI_Win_test",
    "MPI_Put",
    "MPI_Put_c",
    "MPI_Get",
    "MPI_Get_c",
    "MPI_Accumulate",
    "MPI_Accumulate_c",
    "MPI_Get_accumulate",
    "MPI_Fetch_and_op",
    "MPI_Compare_and_swap",
];

/// A load or a store of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgramAccess {
    pub address: usize,
    pub bytes: usize,
    /// Where the program does it; 0 if that is not known.
    pub site: usize,
    pub written: bool,
}

/// Loads, or stores, of one place of the program.
#[derive(Debug)]
pub(crate) struct Note {
    pub site: usize,
    pub written: bool,
    pub stretches: Stretches,
}

/// The notes for the simulator before a call.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Loads first.
    pub notes: Vec<Note>,
    /// True if the call may order these accesses, and all earlier ones of the rank, before accesses of other ranks.
    pub released: bool,
}

/// The memory of a rank's windows, and what the program has done with it since the last call.
#[derive(Default)]
pub(crate) struct WindowMemory {
    /// All of it lies between these addresses.
    low: AtomicUsize,
    high: AtomicUsize,
    noted: Lock<Noted>,
}

#[derive(Default)]
struct Noted {
    watched: Vec<(ContextId, Range<usize>)>,
    notes: Vec<Note>,
    /// True if the simulator has accesses of this rank that no call has ordered yet.
    open: bool,
}

/// The program calls hooks.
pub(crate) fn note_hooks() {
    HAS_HOOKS.store(true, Ordering::Relaxed);
}

impl WindowMemory {
    /// Watches memory of a window, if the program calls hooks.
    pub(crate) fn watch(&self, window: ContextId, memory: Range<usize>) {
        if HAS_HOOKS.load(Ordering::Relaxed) && !memory.is_empty() {
            self.change(|watched| watched.push((window, memory)));
        }
    }

    /// A window has been freed.
    pub(crate) fn forget(&self, window: ContextId) {
        self.change(|watched| watched.retain(|&(of, _)| of != window));
    }

    /// Memory has been detached from a window.
    pub(crate) fn forget_at(&self, window: ContextId, address: usize) {
        self.change(|watched| watched.retain(|(of, memory)| *of != window || memory.start != address));
    }

    fn change(&self, change: impl FnOnce(&mut Vec<(ContextId, Range<usize>)>)) {
        let mut noted = self.noted.lock();
        let before = noted.watched.len();
        change(&mut noted.watched);
        WATCHED.fetch_add(noted.watched.len().wrapping_sub(before), Ordering::Relaxed);
        let (low, high) = noted.bounds();
        self.low.store(low, Ordering::Relaxed);
        self.high.store(high, Ordering::Relaxed);
    }

    /// Notes an access of the program. False if it lies in no window.
    pub(crate) fn note(&self, access: ProgramAccess) -> bool {
        let (low, high) = (self.low.load(Ordering::Relaxed), self.high.load(Ordering::Relaxed));
        let end = access.address.saturating_add(access.bytes);
        if access.address >= high || end <= low {
            return false;
        }
        // Not `lock`: a signal handler of the program may have interrupted this very function.
        let noted = (0..MOST_LOOKS).find_map(|_| self.noted.try_lock());
        noted.is_some_and(|mut noted| noted.note(access))
    }

    /// Takes the notes for the simulator before a call of this function. Also says whether the next call will have something to tell.
    pub(crate) fn take(&self, function: &str) -> (Option<Told>, bool) {
        let mut noted = self.noted.lock();
        let released = !ORDER_NOTHING.contains(&function);
        let mut notes = core::mem::take(&mut noted.notes);
        notes.sort_by_key(|note| note.written);
        let tells = !notes.is_empty() || (released && noted.open);
        noted.open = !released && (noted.open || tells);
        (tells.then_some(Told { notes, released }), noted.open)
    }
}

impl Noted {
    fn bounds(&self) -> (usize, usize) {
        let low = self.watched.iter().map(|(_, memory)| memory.start).min();
        let high = self.watched.iter().map(|(_, memory)| memory.end).max();
        (low.unwrap_or(0), high.unwrap_or(0))
    }

    fn note(&mut self, ProgramAccess { address, bytes, site, written }: ProgramAccess) -> bool {
        let end = address.saturating_add(bytes);
        if !self.watched.iter().any(|(_, memory)| address < memory.end && memory.start < end) {
            return false;
        }
        let known = self.notes.iter_mut().rev().find(|note| note.site == site && note.written == written);
        if let Some(note) = known {
            note.stretches.add(address, end);
        } else if self.notes.len() < MOST_PLACES {
            let mut stretches = Stretches::default();
            stretches.add(address, end);
            self.notes.push(Note { site, written, stretches });
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_call::WORLD;

    fn memory() -> WindowMemory {
        note_hooks();
        let memory = WindowMemory::default();
        memory.watch(WORLD, 1000..1064);
        memory
    }

    fn store(address: usize, site: usize) -> ProgramAccess {
        ProgramAccess { address, bytes: 8, site, written: true }
    }

    #[test]
    fn only_what_lies_in_windows_is_noted() {
        let memory = memory();
        assert!(!memory.note(store(992, 1)) && !memory.note(store(1064, 1)));
        assert!(memory.note(store(996, 1)) && memory.note(store(1056, 1)));
        memory.forget(WORLD);
        assert!(!memory.note(store(1000, 1)));
    }

    #[test]
    fn places_have_notes_of_their_own_and_loads_come_first() {
        let memory = memory();
        for access in [store(1000, 1), store(1016, 2), store(1008, 1)] {
            memory.note(access);
        }
        memory.note(ProgramAccess { written: false, ..store(1000, 1) });
        let (told, _) = memory.take("MPI_Send");
        let told = told.unwrap();
        let shown: Vec<_> =
            told.notes.iter().map(|note| (note.site, note.written, note.stretches.words())).collect();
        assert_eq!(shown, [(1, false, vec![1000, 8]), (1, true, vec![1000, 16]), (2, true, vec![1016, 8])]);
        assert!(told.released && memory.take("MPI_Send").0.is_none());
    }

    #[test]
    fn what_a_fence_leaves_open_the_next_message_releases() {
        let memory = memory();
        memory.note(store(1000, 1));
        let (told, open) = memory.take("MPI_Win_fence");
        assert!(!told.unwrap().released && open);
        assert!(memory.take("MPI_Win_fence").0.is_none());
        let (told, open) = memory.take("MPI_Send");
        assert!(told.is_some_and(|told| told.notes.is_empty() && told.released) && !open);
    }
}
