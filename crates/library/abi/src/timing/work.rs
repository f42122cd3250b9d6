//! The work of a rank between two calls: processor time of all its threads, and of child processes that it has waited for.
//!
//! A rank with one thread reads the processor time of that thread. Once a program has started a thread, the library reads the time
//! of each: the sum is the work, and the sum divided by the longest is the number of threads that worked at the same time. Other
//! threads may work while one is inside a call. Their work overlaps with the call as far as the call takes simulated time; the rest
//! counts with the next burst.
//!
//! If threads have lines of their own, each line's bursts are the work of its thread, and of threads without a line.
//!
//! Child processes count when they have been waited for, as if they had worked one after the other.

use core::ffi::{c_char, c_int};
use core::mem::zeroed;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::cell::{Cell, RefCell};
use std::sync::{Mutex, MutexGuard, PoisonError};

use libc::{clockid_t, pthread_t};
use mpirage_call::{Burst, ThreadWork};

use crate::ground::system::{self, NANOS, next};

/// Has the program started a thread? Folded ranks cannot.
static THREADED: AtomicBool = AtomicBool::new(false);
/// Has it waited for a child process since the last burst?
static WAITED: AtomicBool = AtomicBool::new(false);
/// Have threads lines of their own?
static BY_LINE: AtomicBool = AtomicBool::new(false);
/// The number of the next thread. The first thread of the process has number 0.
static NEXT: AtomicU32 = AtomicU32::new(1);
static WORKERS: Mutex<Workers> = Mutex::new(Workers { starting: 0, living: Vec::new(), ended: Vec::new() });

thread_local! {
    /// Processor time of this thread when its last call returned. Folded ranks share it: the one that goes on sets it.
    static MARK: Cell<Option<u64>> = const { Cell::new(None) };
    /// Processor time of child processes that has been counted.
    static CHILDREN: Cell<u64> = const { Cell::new(0) };
    /// The number of this thread, in the order in which threads were started.
    static NUMBER: Cell<u32> = const { Cell::new(0) };
    /// In a thread that the program has started: notices its end.
    static WORKER: RefCell<Option<Registration>> = const { RefCell::new(None) };
}

/// The threads of a process with several.
struct Workers {
    /// Threads that the program has started and that have not run yet.
    starting: usize,
    living: Vec<Worker>,
    /// Work of threads that have ended, which was not counted before.
    ended: Vec<u64>,
}

/// A thread.
struct Worker {
    thread: pthread_t,
    clock: clockid_t,
    /// Its processor time up to which its work has been counted.
    mark: u64,
    /// Has it a line of its own?
    has_line: bool,
}

fn workers() -> MutexGuard<'static, Workers> {
    WORKERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Can this thread count work now? Not if it is a signal handler that has interrupted the counting.
pub(crate) fn can_count() -> bool {
    WORKERS.try_lock().is_ok()
}

impl Worker {
    /// The calling thread, whose work counts from `mark` on.
    fn this(mark: u64) -> Worker {
        let (thread, mut clock) = (this_thread(), libc::CLOCK_THREAD_CPUTIME_ID);
        // SAFETY: this thread lives.
        unsafe { libc::pthread_getcpuclockid(thread, &raw mut clock) };
        Worker { thread, clock, mark, has_line: BY_LINE.load(Ordering::Relaxed) && NUMBER.get() == 0 }
    }

    fn time(&self) -> u64 {
        nanos(system::real(self.clock))
    }

    /// Does its work count with the calls of this thread?
    fn counts_with(&self, thread: pthread_t) -> bool {
        !self.has_line || self.thread == thread
    }

    fn work(&self) -> u64 {
        self.time().saturating_sub(self.mark)
    }
}

impl Workers {
    fn burst(&self) -> Burst {
        let this = this_thread();
        let counted = self.living.iter().filter(|worker| worker.counts_with(this));
        let work = counted.map(Worker::work).chain(self.ended.iter().copied());
        let (total, longest) = work.fold((0, 0), |(total, longest), work| (total + work, work.max(longest)));
        Burst::parallel(ThreadWork { total, longest })
    }

    fn has_other_than(&self, thread: pthread_t) -> bool {
        self.starting > 0 || self.living.iter().any(|worker| worker.thread != thread)
    }

    /// The calling thread, if it is among them.
    fn this(&mut self) -> Option<&mut Worker> {
        let this = this_thread();
        self.living.iter_mut().find(|worker| worker.thread == this)
    }

    /// Counts the work of all threads, of each up to `most`.
    fn count(&mut self, most: u64) {
        let this = this_thread();
        for worker in self.living.iter_mut().filter(|worker| worker.counts_with(this)) {
            worker.mark = worker.time().min(worker.mark.saturating_add(most));
        }
        // A thread that has ended during a call may have worked for longer than the call took.
        self.ended.retain_mut(|work| {
            *work = work.saturating_sub(most);
            *work > 0
        });
    }
}

/// Work since the last call returned.
pub(crate) fn burst() -> Burst {
    let own = if THREADED.load(Ordering::Relaxed) { workers().burst() } else { Burst::serial(own_work()) };
    if WAITED.load(Ordering::Relaxed) { own.then(work_of_children()) } else { own }
}

/// Work of a thread that is the only one.
fn own_work() -> u64 {
    let now = processor_time();
    match MARK.get() {
        Some(mark) => now.saturating_sub(mark),
        None => {
            MARK.set(Some(now));
            0
        }
    }
}

/// Takes the burst up to here; the next one begins.
pub(crate) fn take_burst() -> Burst {
    let burst = burst();
    if THREADED.load(Ordering::Relaxed) {
        workers().count(u64::MAX);
    } else {
        MARK.set(MARK.get().map(|mark| mark + burst.nanos() - counted_children(burst)));
    }
    if WAITED.swap(false, Ordering::Relaxed) {
        CHILDREN.set(children_time());
    }
    burst
}

/// The part of a burst of one thread that its child processes did.
fn counted_children(burst: Burst) -> u64 {
    if WAITED.load(Ordering::Relaxed) { work_of_children().min(burst.nanos()) } else { 0 }
}

/// A call returns and a burst begins. Other threads may have worked meanwhile: that counts with the burst as far as it is more than
/// `passed`, the simulated time that the call took in nanoseconds of this machine.
pub(crate) fn begin_burst(passed: u64) {
    if !THREADED.load(Ordering::Relaxed) {
        return MARK.set(Some(processor_time()));
    }
    let mut workers = workers();
    workers.count(passed);
    // The thread that made the call has waited in it.
    if let Some(worker) = workers.this() {
        worker.mark = worker.time();
    }
}

/// The simulator has counted nanoseconds of work of this thread while it slept.
pub(crate) fn skip(nanos: u64) {
    if nanos > 0
        && let Some(worker) = workers().this()
    {
        worker.mark += nanos;
    }
}

/// From now on threads have lines of their own; this one has.
pub(crate) fn count_by_line() {
    BY_LINE.store(true, Ordering::Relaxed);
    this_thread_has_a_line();
}

/// This thread has a line of its own.
pub(crate) fn this_thread_has_a_line() {
    if let Some(worker) = workers().this() {
        worker.has_line = true;
    }
}

/// The number of this thread, in the order in which threads were started.
pub(crate) fn thread_number() -> u32 {
    NUMBER.get()
}

/// A burst goes on after a question that was no call of the program's.
pub(crate) fn resume_burst(burst: Burst) {
    if !THREADED.load(Ordering::Relaxed) {
        MARK.set(Some(processor_time().saturating_sub(burst.nanos())));
    }
}

/// Has the program several threads? Then only the simulator knows its simulated time.
pub(crate) fn is_threaded() -> bool {
    THREADED.load(Ordering::Relaxed)
}

/// Has the program other threads than the calling one? A thread counts from `pthread_create` on.
pub(crate) fn has_other_threads() -> bool {
    is_threaded() && workers().has_other_than(this_thread())
}

/// A thread among the workers, until it ends.
struct Registration;

impl Registration {
    fn new() -> Registration {
        let (this, mut workers) = (Worker::this(0), workers());
        workers.starting -= 1;
        workers.living.push(this);
        Registration
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let (this, mut workers) = (this_thread(), workers());
        if let Some(at) = workers.living.iter().position(|worker| worker.thread == this) {
            let work = workers.living.swap_remove(at).work();
            workers.ended.push(work);
        }
    }
}

/// The calling thread starts another. Returns the number of the new one.
pub(crate) fn thread_starts() -> u32 {
    if !THREADED.swap(true, Ordering::Relaxed) {
        workers().living.push(Worker::this(MARK.get().unwrap_or_else(processor_time)));
    }
    workers().starting += 1;
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The thread could not be started.
pub(crate) fn thread_was_not_started() {
    workers().starting -= 1;
}

/// The calling thread has this number, and its work counts until it ends.
pub(crate) fn thread_runs(number: u32) {
    NUMBER.set(number);
    WORKER.set(Some(Registration::new()));
}

/// Defines functions that wait for child processes, whose work counts from then on.
macro_rules! waiting {
    ($($function:ident = $name:literal($($argument:ident: $type:ty),*);)*) => {
        $(#[unsafe(no_mangle)]
        unsafe extern "C" fn $function($($argument: $type),*) -> c_int {
            // SAFETY: the C library's function under its name, with its type; the program's arguments.
            let result = unsafe {
                match next::<unsafe extern "C" fn($($type),*) -> c_int>($name) {
                    Some(function) => function($($argument),*),
                    None => -1,
                }
            };
            WAITED.store(true, Ordering::Relaxed);
            result
        })*
    };
}

waiting! {
    system = c"system"(command: *const c_char);
    pclose = c"pclose"(stream: *mut libc::FILE);
    wait = c"wait"(status: *mut c_int);
    waitpid = c"waitpid"(process: libc::pid_t, status: *mut c_int, options: c_int);
    wait3 = c"wait3"(status: *mut c_int, options: c_int, usage: *mut libc::rusage);
    wait4 = c"wait4"(process: libc::pid_t, status: *mut c_int, options: c_int, usage: *mut libc::rusage);
    waitid = c"waitid"(kind: libc::idtype_t, which: libc::id_t, info: *mut libc::siginfo_t, options: c_int);
}

fn work_of_children() -> u64 {
    children_time().saturating_sub(CHILDREN.get())
}

fn children_time() -> u64 {
    // SAFETY: an empty record is valid, and the kernel fills it in.
    let usage = unsafe {
        let mut usage: libc::rusage = zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let micros = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
    (micros(usage.ru_utime) + micros(usage.ru_stime)) * 1_000
}

/// Nanoseconds of processor time of this thread.
pub(crate) fn processor_time() -> u64 {
    nanos(system::real(libc::CLOCK_THREAD_CPUTIME_ID))
}

fn nanos(time: libc::timespec) -> u64 {
    time.tv_sec as u64 * NANOS + time.tv_nsec as u64
}

fn this_thread() -> pthread_t {
    // SAFETY: no arguments.
    unsafe { libc::pthread_self() }
}
