//! Bursts that are longer because of the machine, not because of the program.
//!
//! Processor time is what it is only on a quiet machine: caches that another process has filled, a neighbour on the same core, a hypervisor
//! that takes the processor away, all make a burst longer without the program having done more. Two things tell: other bursts before the
//! same call, and the kernel, which counts how long a thread has waited for a core while others used it.
//!
//! - An *interrupted* burst is longer than nearly all of its likes, and others have used the core shortly before. It counts as the median
//!   of its likes, until all such bursts together were longer by as much as an interruption costs.
//! - An *unusual* burst is several times as long as nearly all of its likes, and the kernel does not explain it. It counts as measured,
//!   since the program may have had more to do; the simulator warns if such bursts matter.

use std::collections::HashMap;

/// Bursts at a place before one of them can be disturbed.
const KNOWN: u32 = 8;
/// Bursts that are remembered for a place.
const REMEMBERED: usize = 16;
/// Nanoseconds by which a burst has to be longer than one and a quarter times nearly all of its likes before it is looked at. After an
/// interruption any burst is that is longer than nearly all.
const LEAST_NANOS: u32 = 250;
/// Nanoseconds that an interruption can cost afterwards, and in how many bursts: caches are filled again.
const INTERRUPTION: u64 = 500_000;
const COLD_BURSTS: u64 = 32;
/// Nanoseconds for which the kernel lets a thread run before it takes the processor away, about.
const SLICE: u64 = 3_000_000;
/// Nanoseconds for which a thread waits for a core if no other process uses it: at all, and before each burst.
const QUIET_WAIT: u64 = 100_000;
const QUIET_WAIT_PER_BURST: u64 = 3_000;
/// An unusual burst is so many times as long as nearly all of its likes,
const TIMES: u64 = 4;
/// and longer by so much.
const LONGER_NANOS: u64 = 20_000;

/// How a burst compares with others before the same call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Usual,
    /// It was interrupted; its likes take so many nanoseconds.
    Interrupted(u64),
    /// It took so many nanoseconds longer than its likes.
    Unusual(u64),
}

/// The durations of earlier bursts of a rank, by the place of the call after them.
#[derive(Default)]
pub(crate) struct Disturbances {
    places: HashMap<usize, EarlierBursts>,
    /// The number of bursts.
    bursts: u64,
    /// The kernel's account of waiting when it was last asked, and the number of bursts then.
    waited: u64,
    asked_at: u64,
    /// Nanoseconds that the last interruption can still explain, and the last burst that it can explain.
    explained: u64,
    cold_until: u64,
}

/// Earlier bursts before a call.
#[derive(Default)]
struct EarlierBursts {
    recent: [u32; REMEMBERED],
    count: u32,
    /// Nearly all bursts are shorter than this.
    high: u32,
}

impl Disturbances {
    /// A burst before the call at `place`. `waited` asks the kernel for how many nanoseconds this thread has waited for a core.
    pub(crate) fn note(&mut self, place: usize, nanos: u64, waited: impl FnOnce() -> u64) -> Verdict {
        self.bursts += 1;
        let likes = self.places.entry(place).or_default();
        let slack = if self.bursts <= self.cold_until { 0 } else { likes.high / 4 + LEAST_NANOS };
        if likes.count < KNOWN || nanos <= u64::from(likes.high) + u64::from(slack) {
            likes.remember(nanos);
            return Verdict::Usual;
        }
        let (median, high) = likes.typical();
        let longer = nanos.saturating_sub(median);
        let before = std::mem::replace(&mut self.waited, waited());
        let quiet = QUIET_WAIT
            + QUIET_WAIT_PER_BURST * (self.bursts - std::mem::replace(&mut self.asked_at, self.bursts));
        if self.waited.saturating_sub(before) > quiet {
            (self.explained, self.cold_until) =
                ((1 + nanos / SLICE) * INTERRUPTION, self.bursts + COLD_BURSTS);
        }
        if self.bursts <= self.cold_until && longer <= self.explained {
            self.explained -= longer;
            likes.remember(median);
            return Verdict::Interrupted(median);
        }
        likes.remember(nanos);
        if nanos > TIMES * high && longer > LONGER_NANOS { Verdict::Unusual(longer) } else { Verdict::Usual }
    }
}

impl EarlierBursts {
    fn remember(&mut self, nanos: u64) {
        self.recent[self.count as usize % REMEMBERED] = u32::try_from(nanos).unwrap_or(u32::MAX);
        self.count = self.count.wrapping_add(1);
        if self.count >= KNOWN && self.count.is_multiple_of(4) {
            self.high = self.typical().1 as u32;
        }
    }

    /// The median, and what nearly all stay below.
    fn typical(&self) -> (u64, u64) {
        let mut sorted = self.recent;
        let sorted = &mut sorted[..REMEMBERED.min(self.count as usize)];
        sorted.sort_unstable();
        (sorted[sorted.len() / 2].into(), sorted[sorted.len() * 7 / 8].into())
    }
}

/// For how many nanoseconds this thread has waited for a core, if the kernel tells.
pub(crate) fn waited() -> u64 {
    let mut text = [0u8; 96];
    // SAFETY: a path that ends with NUL; a buffer of this size. The file is closed again, so that the program's descriptors keep their numbers.
    let length = unsafe {
        let path = c"/proc/thread-self/schedstat".as_ptr();
        let file = libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path, libc::O_RDONLY | libc::O_CLOEXEC);
        if file < 0 {
            return 0;
        }
        let length = libc::syscall(libc::SYS_read, file, text.as_mut_ptr(), text.len());
        libc::syscall(libc::SYS_close, file);
        length
    };
    let text = text.get(..usize::try_from(length).unwrap_or(0)).unwrap_or_default();
    // Nanoseconds on cores, nanoseconds of waiting, turns.
    let fields = core::str::from_utf8(text).unwrap_or_default();
    fields.split_ascii_whitespace().nth(1).and_then(|field| field.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet(bursts: &mut Disturbances, place: usize, nanos: u64) -> Verdict {
        bursts.note(place, nanos, || 0)
    }

    fn known(nanos: u64) -> Disturbances {
        let mut bursts = Disturbances::default();
        (0..40).for_each(|n| assert_eq!(quiet(&mut bursts, 1, nanos + n), Verdict::Usual));
        bursts
    }

    /// Longer than a quiet machine lets any thread wait.
    const LONG: u64 = 50_000_000;

    #[test]
    fn an_interrupted_burst_counts_as_its_likes() {
        let mut bursts = known(2_000);
        let Verdict::Interrupted(usual) = bursts.note(1, 90_000, || LONG) else { panic!("it has waited") };
        assert!((2_000..2_040).contains(&usual), "{usual}");
        // It explains the bursts that follow, up to what an interruption costs.
        (0..4).for_each(|_| assert!(matches!(bursts.note(1, 90_000, || LONG), Verdict::Interrupted(_))));
        assert!(matches!(bursts.note(1, 90_000, || LONG), Verdict::Unusual(_)));
        assert!(matches!(bursts.note(1, 2_900_000, || 2 * LONG), Verdict::Unusual(_)));
    }

    #[test]
    fn an_interruption_explains_nothing_for_long() {
        let mut bursts = known(2_000);
        assert!(matches!(bursts.note(1, 90_000, || LONG), Verdict::Interrupted(_)));
        (0..COLD_BURSTS).for_each(|_| assert_eq!(bursts.note(1, 2_000, || LONG), Verdict::Usual));
        assert!(matches!(bursts.note(1, 90_000, || LONG), Verdict::Unusual(_)));
    }

    #[test]
    fn waiting_for_the_ranks_own_turn_explains_nothing() {
        let mut bursts = known(2_000);
        assert!(matches!(bursts.note(1, 90_000, || 150_000), Verdict::Unusual(_)));
    }

    #[test]
    fn without_waiting_a_burst_counts_as_measured() {
        let mut bursts = known(1_000_000);
        assert_eq!(quiet(&mut bursts, 2, 90_000_000), Verdict::Usual);
        assert_eq!(quiet(&mut bursts, 1, 3_900_000), Verdict::Usual);
        let Verdict::Unusual(longer) = quiet(&mut bursts, 1, 90_000_000) else { panic!("it is unusual") };
        assert!((88_900_000..89_100_000).contains(&longer), "{longer}");
    }

    #[test]
    fn a_program_that_computes_unevenly_is_not_disturbed() {
        let mut bursts = Disturbances::default();
        for n in 0..100 {
            let nanos = if n % 4 == 0 { 400_000 } else { 1_000 };
            assert_eq!(bursts.note(1, nanos, || n * LONG), Verdict::Usual, "{n}");
        }
    }

    #[test]
    fn the_kernel_tells_how_long_this_thread_has_waited() {
        let before = waited();
        std::thread::yield_now();
        assert!(waited() >= before);
    }
}
