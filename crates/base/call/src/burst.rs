//! The work of a rank between two calls.

/// Bits that hold nanoseconds: 52 days. The others hold the number of threads.
const NANOS_BITS: u32 = 52;
const MOST_NANOS: u64 = (1 << NANOS_BITS) - 1;
const MOST_CODE: u64 = (1 << (64 - NANOS_BITS)) - 1;
/// Steps of the code for the number of threads in which it doubles: 0.17 % each, exact for powers of two, up to 1,200 threads.
const STEPS: f64 = 400.0;

/// The work of a rank between two calls: processor time of all its threads, and how many of them worked at the same time.
///
/// It is one word. For a rank with one thread that is the number of nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Burst(u64);

/// Processor time of several threads, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadWork {
    /// The sum of all threads.
    pub total: u64,
    /// The time of the thread that worked longest.
    pub longest: u64,
}

impl Burst {
    /// No work.
    pub const NONE: Burst = Burst(0);
    /// Stands for all bursts that are too long for a word.
    pub const TOO_LONG: Burst = Burst(MOST_NANOS);

    /// The work of one thread.
    #[inline]
    pub fn serial(nanos: u64) -> Burst {
        Burst(nanos.min(MOST_NANOS))
    }

    /// The work of several threads.
    pub fn parallel(work: ThreadWork) -> Burst {
        let ThreadWork { total, longest } = work;
        let threads = if longest == 0 { 1.0 } else { total as f64 / longest as f64 };
        Burst::of_threads(total, threads)
    }

    /// The work of so many threads that worked at the same time; at least one.
    pub fn of_threads(nanos: u64, threads: f64) -> Burst {
        let code = (threads.max(1.0).log2() * STEPS).round() as u64;
        let nanos = nanos.min(MOST_NANOS);
        // The only burst without work is `NONE`, whatever the number of threads.
        if nanos == 0 { Burst::NONE } else { Burst(nanos | code.min(MOST_CODE) << NANOS_BITS) }
    }

    /// Nanoseconds of processor time, of all threads together.
    #[inline]
    pub fn nanos(self) -> u64 {
        self.0 & MOST_NANOS
    }

    /// How many threads worked at the same time, on average.
    #[inline]
    pub fn threads(self) -> f64 {
        match self.0 >> NANOS_BITS {
            0 => 1.0,
            code => (code as f64 / STEPS).exp2(),
        }
    }

    /// Did more than one thread work?
    #[inline]
    pub fn is_parallel(self) -> bool {
        self.0 > MOST_NANOS
    }

    /// Nanoseconds that pass where `cores` cores are free.
    pub fn elapsed(self, cores: f64) -> u64 {
        let threads = self.threads().min(cores.max(1.0));
        if threads == 1.0 { self.nanos() } else { (self.nanos() as f64 / threads).round() as u64 }
    }

    /// Was there any work?
    #[inline]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// This burst, followed by work of one thread.
    pub fn then(self, nanos: u64) -> Burst {
        if !self.is_parallel() {
            return Burst::serial(self.0.saturating_add(nanos));
        }
        let longest = self.nanos() as f64 / self.threads() + nanos as f64;
        let total = self.nanos().saturating_add(nanos);
        Burst::of_threads(total, total as f64 / longest)
    }

    /// The word, for a mailbox or a trace.
    #[inline]
    pub fn word(self) -> u64 {
        self.0
    }

    /// From a word: any word is a burst.
    #[inline]
    pub fn from_word(word: u64) -> Burst {
        Burst(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_of_one_thread_is_its_nanoseconds() {
        let burst = Burst::serial(1_234);
        assert_eq!((burst.word(), burst.nanos(), burst.threads()), (1_234, 1_234, 1.0));
        assert_eq!(burst.elapsed(8.0), 1_234);
        assert_eq!(burst.then(6), Burst::serial(1_240));
        assert_eq!(Burst::serial(u64::MAX), Burst::TOO_LONG);
    }

    #[test]
    fn work_of_threads_takes_as_long_as_cores_allow() {
        let burst = Burst::parallel(ThreadWork { total: 4_000, longest: 1_000 });
        assert_eq!((burst.nanos(), burst.threads()), (4_000, 4.0));
        let elapsed = [1.0, 2.0, 4.0, 64.0].map(|cores| burst.elapsed(cores));
        assert_eq!(elapsed, [4_000, 2_000, 1_000, 1_000]);
        let longer = burst.then(1_000);
        assert_eq!(longer.nanos(), 5_000);
        assert!((longer.threads() - 2.5).abs() < 0.005);
        assert_eq!(Burst::from_word(longer.word()), longer);
    }

    #[test]
    fn the_number_of_threads_is_exact_to_a_thousandth() {
        for threads in [1.01, 1.5, 3.0, 7.0, 48.0, 127.9, 1_000.0] {
            let kept = Burst::of_threads(1 << 40, threads).threads();
            assert!((kept / threads - 1.0).abs() < 1e-3, "{threads} became {kept}");
        }
        assert_eq!(Burst::parallel(ThreadWork::default()), Burst::NONE);
    }
}
