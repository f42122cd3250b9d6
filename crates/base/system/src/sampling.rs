//! A timer that interrupts a thread while it computes.

/// Nanoseconds of processor time between two signals. Kernels look at such timers at their own ticks, one to four milliseconds apart.
const INTERVAL: i64 = 1_000_000;

/// The timer of a thread; it stops when this is dropped.
#[derive(Debug)]
pub struct SamplingTimer(libc::c_int);

impl SamplingTimer {
    /// Sends this thread the signal again and again while it uses processor time. `None` if the kernel has no such timer.
    pub fn start(signal: libc::c_int) -> Option<SamplingTimer> {
        // SAFETY: zeros are valid in these structures, which are ours; the kernel's own functions are called, since ranks have others in front of the C
        // library's.
        unsafe {
            let mut event: libc::sigevent = std::mem::zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = signal;
            event.sigev_notify_thread_id = libc::syscall(libc::SYS_gettid) as libc::c_int;
            let mut timer: libc::c_int = 0;
            let clock = libc::CLOCK_THREAD_CPUTIME_ID;
            if libc::syscall(libc::SYS_timer_create, clock, &raw mut event, &raw mut timer) != 0 {
                return None;
            }
            let timer = SamplingTimer(timer);
            let interval = libc::timespec { tv_sec: 0, tv_nsec: INTERVAL };
            let times = libc::itimerspec { it_interval: interval, it_value: interval };
            let none = std::ptr::null_mut::<libc::itimerspec>();
            let started = libc::syscall(libc::SYS_timer_settime, timer.0, 0, &raw const times, none);
            (started == 0).then_some(timer)
        }
    }

    /// Goes on until the process ends.
    pub fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for SamplingTimer {
    fn drop(&mut self) {
        // SAFETY: the timer exists.
        unsafe { libc::syscall(libc::SYS_timer_delete, self.0) };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Instant;

    use super::*;

    static SEEN: AtomicU32 = AtomicU32::new(0);

    extern "C" fn count(_: libc::c_int) {
        SEEN.fetch_add(1, Ordering::Relaxed);
    }

    #[test]
    fn a_thread_that_computes_is_interrupted_until_the_timer_is_dropped() {
        let signal = libc::SIGRTMIN() + 5;
        // SAFETY: the handler only counts.
        unsafe { libc::signal(signal, count as *const () as usize) };
        let timer = SamplingTimer::start(signal).expect("kernels have timers of threads");
        let begun = Instant::now();
        while SEEN.load(Ordering::Relaxed) < 3 {
            assert!(begun.elapsed().as_secs() < 60, "no signal came");
        }
        drop(timer);
        let seen = SEEN.load(Ordering::Relaxed);
        let computed: u64 = (0..20_000_000).map(std::hint::black_box).sum();
        assert!(computed > 0 && SEEN.load(Ordering::Relaxed) <= seen + 1);
    }
}
