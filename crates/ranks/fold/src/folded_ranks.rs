//! All folded ranks of this process, and the only code that resumes them.

use std::ffi::{CString, c_char};
use std::io;
use std::ops::Range;
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use corosensei::CoroutineResult;
use mpirage_prefetch::{LINE, fetch_address, fetch_bytes};

use crate::clib::{Environment, stdio};
use crate::context::Thread;
use crate::current;
use crate::link::Linked;
use crate::memory;
use crate::place::Instances;
use crate::rank::{Leave, Rank, Stop};
use crate::signal::Handlers;
use crate::stacks::Stacks;
use crate::start::{fill_variables, start};

/// So much of a stack is needed when a rank goes on: what is below where it rests, and the frames up to its program.
const STACK: usize = 18 * LINE;

/// How many ranks there will be, and what they get.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// At most this many ranks.
    pub ranks: usize,
    /// Usable bytes of each stack. Only what is touched costs memory. By default what `ulimit -s` allows a
    /// process, at most 8 MiB.
    pub stack: Option<usize>,
    /// Whether all instances may be mappings of one file (`None`: if the system allows that many mappings).
    pub mapped: Option<bool>,
}

/// Why there are no folded ranks, or no further rank.
#[derive(Debug, thiserror::Error)]
pub enum FoldedRanksError {
    /// Ranks own the C library's state, of which there is one.
    #[error("this process runs folded ranks already")]
    Busy,
    /// Address space, mappings or memory.
    #[error("no room for {ranks} folded ranks: {source}")]
    Room {
        /// How many were wanted.
        ranks: usize,
        /// The system's error.
        source: io::Error,
    },
    /// They live on the stack.
    #[error("the arguments ({size} bytes) do not fit on the stack of a rank")]
    Arguments {
        /// All of them together.
        size: usize,
    },
}

/// Folded ranks, numbered from 0 in the order they are added. Everything about them happens on one thread.
pub struct FoldedRanks {
    options: Options,
    ranks: Vec<*mut Rank>,
    instances: Vec<Instances>,
    stacks: Stacks,
    thread: Thread,
    mappings: usize,
    /// Of the first program, which most ranks run.
    hot: [usize; 2],
    _handlers: Handlers,
    _alone: Alone,
}

impl FoldedRanks {
    /// No ranks yet.
    pub fn new(options: Options) -> Result<Self, FoldedRanksError> {
        let alone = Alone::claim().ok_or(FoldedRanksError::Busy)?;
        let room = |source| FoldedRanksError::Room { ranks: options.ranks, source };
        let mappings = memory::mappings_to_spend();
        let stack = options.stack.unwrap_or_else(default_stack);
        let stacks = Stacks::new(options.ranks, stack, mappings / 2).map_err(room)?;
        stdio::install();
        Ok(Self {
            options,
            ranks: Vec::with_capacity(options.ranks),
            instances: Vec::new(),
            thread: Thread::current(),
            mappings: mappings / 2,
            hot: [0; 2],
            _handlers: Handlers::install().map_err(room)?,
            stacks,
            _alone: alone,
        })
    }

    /// Loads the program once more. The rank starts at its first [`resume`](Self::resume).
    pub fn add(
        &mut self,
        linked: &Linked,
        arguments: &[CString],
        environment: &Environment,
    ) -> Result<usize, FoldedRanksError> {
        let number = self.ranks.len();
        let stack = self.stacks.stack(number).map_err(|source| self.no_room(source))?;
        let size = arguments.iter().map(|argument| argument.as_bytes().len() + 9).sum();
        if size > (stack.base - stack.bottom()) / 2 {
            return Err(FoldedRanksError::Arguments { size });
        }
        if let Some(get) = linked.0.exceptions {
            self.thread.set_exceptions(get);
        }
        let base = self.place(linked).map_err(|source| self.no_room(source))?;
        let rank =
            Rank::new(number, base, Rc::clone(&linked.0), stack, arguments, environment.clone(), start);
        let rank = Box::into_raw(rank);
        // SAFETY: the rank is new and does not run.
        unsafe { fill_variables(rank) };
        mpirage_fold_ready(number, base, linked.0.name.as_ptr());
        self.ranks.push(rank);
        Ok(number)
    }

    /// Lets a rank run until it passes its turn or ends. One that has ended stays ended.
    ///
    /// # Panics
    /// If there is no such rank, or if a rank calls it.
    #[inline]
    pub fn resume(&mut self, rank: usize) -> Stop {
        let rank = self.ranks[rank];
        assert!(current::get().is_null(), "a rank cannot resume a rank");
        // SAFETY: ranks live as long as `self`. While the coroutine runs, no other code of this crate uses the rank; the code on its
        // stack leaves its `coroutine` and `context` alone.
        unsafe {
            if (*rank).ended {
                return (*rank).end;
            }
            current::set(rank);
            stdio::enter(rank);
            self.thread.enter(&(*rank).context);
            let left = (*rank).coroutine.resume(());
            self.thread.leave(&mut (*rank).context);
            stdio::leave(rank);
            let stop = match left {
                CoroutineResult::Yield(Leave::Turn) => Stop::Yielded,
                CoroutineResult::Yield(Leave::Yield) => Stop::Interrupted { code: (*rank).fault.code },
                CoroutineResult::Yield(leave) | CoroutineResult::Return(leave) => end(rank, leave),
            };
            current::set(ptr::null_mut());
            stop
        }
    }

    /// Brings into the cache what [`FoldedRanks::fetch`] will look at.
    #[inline]
    pub fn fetch_early(&self, rank: usize) {
        let Some(&rank) = self.ranks.get(rank) else { return };
        fetch_bytes(rank.addr()..rank.addr() + 3 * LINE);
    }

    /// Brings into the cache what resuming this rank will need, while the one before still runs. With thousands of ranks that
    /// is most of the cost of a switch.
    #[inline]
    pub fn fetch(&self, rank: usize) {
        let Some(&rank) = self.ranks.get(rank) else { return };
        // SAFETY: ranks live as long as `self`.
        let (resting, base) = unsafe { ((*rank).resting, (*rank).base) };
        let lowest = resting.wrapping_sub(2 * LINE);
        fetch_bytes(lowest..lowest.wrapping_add(STACK));
        let [code, linkage] = self.hot;
        fetch_address(base + code);
        fetch_address(base + linkage);
        fetch_address(base + linkage + LINE);
    }

    /// How many ranks there are.
    pub fn len(&self) -> usize {
        self.ranks.len()
    }

    /// No ranks?
    pub fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// Where a rank's copy of the program begins: an address less this is an address in the file.
    pub fn base(&self, rank: usize) -> usize {
        self.rank(rank).base
    }

    /// The program a rank runs.
    pub fn program(&self, rank: usize) -> Linked {
        Linked(Rc::clone(&self.rank(rank).program))
    }

    /// Is this an address of the rank's copy of the program?
    pub fn has(&self, rank: usize, address: *const u8) -> bool {
        self.rank(rank).has(address.addr())
    }

    /// Fills `into` from memory of the ranks. False if that is not accessible.
    pub fn read(&self, address: usize, into: &mut [u8]) -> bool {
        // SAFETY: the slice is borrowed for writing, and ranks exist.
        unsafe { crate::copy(into.as_mut_ptr(), address as *const u8, into.len()) }
    }

    /// Stores bytes in memory of the ranks, where a program has asked for them. False if that is not accessible.
    pub fn write(&self, address: usize, bytes: &[u8]) -> bool {
        // SAFETY: the program has given that memory away to be written, and ranks exist.
        unsafe { crate::copy(address as *mut u8, bytes.as_ptr(), bytes.len()) }
    }

    /// Copies the bytes at these addresses, in memory of the ranks, to another address. False if one place is not accessible.
    pub fn copy(&self, from: Range<usize>, to: usize) -> bool {
        // SAFETY: as for `write`.
        unsafe { crate::copy(to as *mut u8, from.start as *const u8, from.len()) }
    }

    /// Gives the memory of a rank back that will not be resumed, because another process goes on with it: its stack and its copy of the
    /// program.
    pub fn forget(&mut self, rank: usize) {
        let (stack, base, size) = {
            let rank = self.rank(rank);
            (rank.stack.bottom()..rank.stack.base, rank.base, rank.program.size)
        };
        memory::give_back(stack);
        memory::give_back(base..base + size);
    }

    /// Appends what a rank has written to standard output since the last time.
    pub fn collect_output(&mut self, rank: usize, into: &mut Vec<u8>) {
        // SAFETY: no rank runs while `self` is borrowed.
        let output = unsafe { &mut (*self.ranks[rank]).output };
        if !output.is_empty() {
            into.append(output);
        }
    }

    /// The rank's standard output since the last call.
    pub fn take_output(&mut self, rank: usize) -> Vec<u8> {
        // SAFETY: no rank runs while `self` is borrowed.
        unsafe { std::mem::take(&mut (*self.ranks[rank]).output) }
    }

    fn rank(&self, rank: usize) -> &Rank {
        // SAFETY: ranks live as long as `self`, and none runs while it is borrowed.
        unsafe { &*self.ranks[rank] }
    }

    fn place(&mut self, linked: &Linked) -> io::Result<usize> {
        let known = self.instances.iter().position(|instances| instances.is_of(linked));
        let index = match known {
            Some(index) => index,
            None => {
                let each = match self.options.mapped {
                    Some(true) => 2,
                    Some(false) => 0,
                    None => self.mappings / self.options.ranks.max(1),
                };
                if self.instances.is_empty() {
                    self.hot = linked.0.hot;
                }
                self.instances.push(Instances::new(linked, self.options.ranks, each));
                self.instances.len() - 1
            }
        };
        self.instances[index].place()
    }

    fn no_room(&self, source: io::Error) -> FoldedRanksError {
        FoldedRanksError::Room { ranks: self.options.ranks, source }
    }
}

impl Drop for FoldedRanks {
    fn drop(&mut self) {
        for &rank in &self.ranks {
            // SAFETY: the pointer came from a box. Frames that are still on its stack belong to the program and to this crate, and own
            // nothing.
            unsafe {
                (*rank).coroutine.force_reset();
                drop(Box::from_raw(rank));
            }
        }
    }
}

/// # Safety
/// The rank has just ended and is still current.
#[cold]
unsafe fn end(rank: *mut Rank, leave: Leave) -> Stop {
    stdio::flush();
    // SAFETY: nothing on its stack owns anything, and it is never resumed again.
    let fault = unsafe {
        (*rank).coroutine.force_reset();
        (*rank).ended = true;
        if let Some(library) = (*rank).library.as_mut() {
            library.close_files();
        }
        (*rank).fault
    };
    let stop = match leave {
        Leave::Turn | Leave::Yield => Stop::Yielded,
        Leave::Exited(code) => Stop::Exited(code),
        Leave::Fault => Stop::Signal {
            number: fault.number,
            address: fault.address,
            code: fault.code,
            stack_overflow: fault.stack_overflow,
            interrupted: fault.interrupted,
        },
    };
    // SAFETY: as above.
    unsafe { (*rank).end = stop };
    stop
}

fn default_stack() -> usize {
    const MOST: u64 = 8 << 20;
    let mut limit = libc::rlimit { rlim_cur: MOST, rlim_max: MOST };
    // SAFETY: the kernel fills in the struct; if it does not, the default stands.
    unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) };
    limit.rlim_cur.min(MOST) as usize
}

/// Does nothing. A debugger that stops here learns of every copy of the program: the rank, where it is, and its file.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn mpirage_fold_ready(rank: usize, base: usize, file: *const c_char) {
    std::hint::black_box((rank, base, file));
}

/// There is one [`FoldedRanks`] at a time.
struct Alone;

static AT_WORK: AtomicBool = AtomicBool::new(false);

impl Alone {
    fn claim() -> Option<Self> {
        (!AT_WORK.swap(true, Ordering::Acquire)).then_some(Self)
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        AT_WORK.store(false, Ordering::Release);
    }
}
