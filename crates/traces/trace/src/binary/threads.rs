//! Threads of ranks, and how they wake each other outside MPI.
//!
//! A thread that awaits a wake sleeps until the thread that it names has woken it. It may also need what another thread of its rank makes, a
//! request or a communicator, before that exists: on a platform where threads take other times than in the traced run. Then it sleeps
//! until another thread of its rank has gone on.

use std::collections::HashMap;

/// The threads of all ranks. Threads are numbered: first the ranks themselves, each of which is its first thread, then further threads.
#[derive(Default)]
pub(super) struct Threads {
    /// How many ranks there are.
    ranks: u32,
    /// The rank of each further thread.
    further: Vec<u32>,
    /// Threads that have not ended, of ranks with several.
    alive: HashMap<u32, u32>,
    /// Threads that wait until another of their rank wakes them. A further thread does so from the start.
    asleep: Vec<u32>,
    /// Threads that wait until another of their rank goes on.
    stuck: Vec<u32>,
    /// Wakes that have not been awaited yet: who, whom, and how often.
    wakes: HashMap<(u32, u32), u32>,
    /// Threads that can be asked again.
    woken: Vec<u32>,
}

impl Threads {
    /// None if a thread is of a rank that does not exist.
    pub(super) fn new(ranks: u32, further: &[u32]) -> Option<Threads> {
        let mut alive = HashMap::new();
        further.iter().for_each(|&rank| *alive.entry(rank).or_insert(1) += 1);
        let asleep = (ranks..).take(further.len()).collect();
        let threads = Threads { ranks, further: further.to_vec(), alive, asleep, ..Threads::default() };
        further.iter().all(|&rank| rank < ranks).then_some(threads)
    }

    /// Has every rank one thread?
    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.further.is_empty()
    }

    /// The rank of each further thread.
    pub(super) fn further(&self) -> &[u32] {
        &self.further
    }

    /// The rank of a thread.
    #[inline]
    pub(super) fn rank_of(&self, thread: u32) -> u32 {
        match thread.checked_sub(self.ranks) {
            None => thread,
            Some(index) => self.further[index as usize],
        }
    }

    /// Is this the number of another thread of the same rank?
    pub(super) fn are_siblings(&self, thread: u32, other: u32) -> bool {
        let exists = (other as usize) < self.ranks as usize + self.further.len();
        thread != other && exists && self.rank_of(thread) == self.rank_of(other)
    }

    /// A thread wakes another.
    pub(super) fn wake(&mut self, thread: u32, other: u32) {
        *self.wakes.entry((thread, other)).or_insert(0) += 1;
        if let Some(at) = self.asleep.iter().position(|&asleep| asleep == other) {
            self.asleep.swap_remove(at);
            self.woken.push(other);
        }
    }

    /// A thread goes on only when another has woken it. True if that has happened.
    pub(super) fn is_awake(&mut self, thread: u32, by: u32) -> bool {
        match self.wakes.get_mut(&(by, thread)) {
            Some(times) if *times > 0 => {
                *times -= 1;
                true
            }
            _ => {
                self.asleep.push(thread);
                false
            }
        }
    }

    /// A thread needs what another thread of its rank may make. False if there is no such thread.
    pub(super) fn is_stuck(&mut self, thread: u32) -> bool {
        let stuck = self.alive.get(&self.rank_of(thread)).is_some_and(|&alive| alive > 1);
        if stuck {
            self.stuck.push(thread);
        }
        stuck
    }

    /// A thread has gone on: those of its rank that are stuck are to look again.
    pub(super) fn goes_on(&mut self, thread: u32) {
        if self.stuck.is_empty() {
            return;
        }
        let rank = self.rank_of(thread);
        let (again, others) =
            std::mem::take(&mut self.stuck).into_iter().partition(|&stuck| self.rank_of(stuck) == rank);
        self.stuck = others;
        let again: Vec<u32> = again;
        self.woken.extend(again);
    }

    /// A thread has ended.
    pub(super) fn end(&mut self, thread: u32) {
        if let Some(alive) = self.alive.get_mut(&self.rank_of(thread)) {
            *alive -= 1;
        }
        self.goes_on(thread);
    }

    /// Moves the threads that can be asked again to `into`.
    pub(super) fn take_woken(&mut self, into: &mut Vec<u32>) {
        into.append(&mut self.woken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn woken(threads: &mut Threads) -> Vec<u32> {
        let mut woken = Vec::new();
        threads.take_woken(&mut woken);
        woken
    }

    #[test]
    fn a_thread_sleeps_until_the_thread_that_it_names_has_woken_it() {
        let mut threads = Threads::new(2, &[1, 1]).unwrap();
        assert_eq!((threads.rank_of(1), threads.rank_of(3)), (1, 1));
        assert!(threads.are_siblings(1, 3) && !threads.are_siblings(0, 3) && !threads.are_siblings(1, 4));
        threads.wake(1, 2);
        assert_eq!(woken(&mut threads), [2]);
        assert!(threads.is_awake(2, 1));
        assert!(!threads.is_awake(2, 3), "another thread has to wake it now");
        threads.wake(3, 2);
        assert_eq!(woken(&mut threads), [2]);
        assert!(threads.is_awake(2, 3));
    }

    #[test]
    fn a_wake_that_comes_early_is_kept() {
        let mut threads = Threads::new(1, &[0]).unwrap();
        threads.wake(0, 1);
        assert!(threads.is_awake(1, 0));
        threads.wake(0, 1);
        assert_eq!(woken(&mut threads), [1], "once, since it was awake the second time");
        assert!(threads.is_awake(1, 0) && !threads.is_awake(1, 0));
    }

    #[test]
    fn a_thread_is_stuck_only_as_long_as_others_go_on() {
        let mut threads = Threads::new(2, &[0]).unwrap();
        assert!(!threads.is_stuck(1), "rank 1 has one thread");
        assert!(threads.is_stuck(0));
        threads.goes_on(1);
        assert_eq!(woken(&mut threads), [0u32; 0]);
        threads.end(2);
        assert_eq!(woken(&mut threads), [0]);
        assert!(!threads.is_stuck(0));
    }

    #[test]
    fn threads_belong_to_ranks() {
        assert!(Threads::new(2, &[2]).is_none());
    }
}
