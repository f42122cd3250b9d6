//! One rank: its instance, its stack, and the way from the first instruction to the last.

use std::arch::global_asm;
use std::ffi::{CString, c_char};
use std::rc::Rc;

use corosensei::trap::CoroutineTrapHandler;
use corosensei::{Coroutine, Yielder};

use crate::clib::exit::{self, Handler};
use crate::clib::{Environment, Library, streams};
use crate::context::Context;
use crate::current;
use crate::link::Program;
use crate::stacks::RankStack;

/// Why a rank stopped running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It passed its turn and can be resumed.
    Yielded,
    /// It has ended, with the code a parent process would see.
    Exited(i32),
    /// It has ended by a signal.
    Signal {
        /// `SIGSEGV`, ….
        number: i32,
        /// What it accessed, for `SIGSEGV` and `SIGBUS`.
        address: usize,
        /// Where it was; 0 if not known.
        code: usize,
        /// The access was to the guard of its stack.
        stack_overflow: bool,
        /// [`interrupt_rank`](crate::interrupt_rank) stopped it: the signal is not its own.
        interrupted: bool,
    },
}

/// What a coroutine says when it stops; small enough for a register.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Leave {
    Turn,
    Exited(i32),
    /// See [`Rank::fault`].
    Fault,
}

/// A signal that ended a rank.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fault {
    pub number: i32,
    pub address: usize,
    pub code: usize,
    pub stack_overflow: bool,
    /// The simulator stopped the rank: the signal is not the rank's own.
    pub interrupted: bool,
}

pub(crate) type RankCoroutine = Coroutine<(), Leave, Leave, RankStack>;

/// A rank. [`FoldedRanks`](crate::FoldedRanks) and the code that runs on the rank's own stack both use it, never at the same time; so it is
/// handled by raw pointer.
///
/// With many ranks a switch costs what it misses in the cache: what each one needs comes first, in two lines.
#[repr(C, align(64))]
pub(crate) struct Rank {
    pub coroutine: RankCoroutine,
    pub yielder: *const Yielder<(), Leave>,
    /// Where its stack ends while it waits.
    pub resting: usize,
    pub base: usize,
    pub number: u32,
    pub ended: bool,
    /// What its standard streams have seen; see [`stdio`](crate::clib::stdio).
    pub streams: u8,
    pub context: Context,
    pub output: Vec<u8>,
    pub stack: RankStack,
    pub trap: CoroutineTrapHandler<Leave>,
    pub program: Rc<Program>,
    pub argument_count: i32,
    pub arguments: *mut *mut c_char,
    pub environment: Environment,
    pub initial_environment: Vec<*mut c_char>,
    pub exits: Vec<Handler>,
    pub thread_exits: Vec<Handler>,
    pub library: Option<Box<Library>>,
    pub finishing: bool,
    pub fault: Fault,
    /// How it ended.
    pub end: Stop,
}

impl Rank {
    /// A rank that will run the program at `base` on `stack`.
    pub(crate) fn new(
        number: usize,
        base: usize,
        program: Rc<Program>,
        mut stack: RankStack,
        arguments: &[CString],
        environment: Environment,
    ) -> Box<Self> {
        // SAFETY: no coroutine uses the stack yet.
        let vector = unsafe { push_arguments(&mut stack, arguments) };
        let coroutine = RankCoroutine::with_stack(stack, |yielder, ()| start(yielder));
        Box::new(Self {
            trap: coroutine.trap_handler(),
            coroutine,
            context: Context::default(),
            yielder: std::ptr::null(),
            stack,
            number: number as u32,
            resting: 0,
            ended: false,
            streams: 0,
            base,
            program,
            argument_count: arguments.len() as i32,
            arguments: vector,
            environment,
            initial_environment: Vec::new(),
            output: Vec::new(),
            exits: Vec::new(),
            thread_exits: Vec::new(),
            library: None,
            finishing: false,
            fault: Fault::default(),
            end: Stop::Yielded,
        })
    }

    /// The program of a rank.
    ///
    /// # Safety
    /// The rank is alive, longer than the result is used.
    pub(crate) unsafe fn program<'a>(rank: *mut Self) -> &'a Program {
        // SAFETY: as the caller vouches; the rank holds a count of it.
        unsafe { &*Rc::as_ptr(&(*rank).program) }
    }

    /// Is this an address of the program or of one of its libraries, in its instance? What the compiler's library does is the
    /// doing of the program that calls it.
    pub(crate) fn has(&self, address: usize) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.program.image_size && !self.program.below.iter().any(|part| part.contains(&offset))
    }
}

/// Calls a function of the program with up to three words.
///
/// # Safety
/// `function` is the address of a C function that takes them.
pub(crate) unsafe fn call(function: usize, arguments: [usize; 3]) -> usize {
    // SAFETY: as the caller vouches.
    unsafe { mpirage_fold_call(function, arguments[0], arguments[1], arguments[2]) }
}

// The way into the program has no unwind information: an exception that no frame catches ends its search here, and the program
// is terminated as it would be in a process of its own.
global_asm!(
    ".type mpirage_fold_call, @function",
    ".globl mpirage_fold_call",
    ".hidden mpirage_fold_call",
    "mpirage_fold_call:",
    "push rbp",
    "mov rbp, rsp",
    "mov rax, rdi",
    "mov rdi, rsi",
    "mov rsi, rdx",
    "mov rdx, rcx",
    "call rax",
    "pop rbp",
    "ret",
    ".size mpirage_fold_call, . - mpirage_fold_call",
);

unsafe extern "C" {
    fn mpirage_fold_call(function: usize, first: usize, second: usize, third: usize) -> usize;
}

/// The first function on a rank's stack.
fn start(yielder: &Yielder<(), Leave>) -> Leave {
    let rank = current::get();
    // SAFETY: the rank was made current before it was resumed; the program's functions are where its file says.
    unsafe {
        (*rank).yielder = yielder;
        let program = Rank::program(rank);
        let base = (*rank).base;
        for indirect in &program.indirect {
            let address = call(base + indirect.function, [0; 3]);
            ((base + indirect.offset) as *mut usize).write_unaligned(address);
        }
        for copy in &program.copies {
            let own = (base + copy.offset) as *mut u8;
            std::ptr::copy_nonoverlapping(copy.address as *const u8, own, copy.size);
        }
        for copy in &program.own_copies {
            let (own, from) = ((base + copy.offset) as *mut u8, (base + copy.from) as *const u8);
            std::ptr::copy_nonoverlapping(from, own, copy.size);
        }
        streams::construct(&program.streams, base);
        let arguments = main_arguments(rank);
        for starters in &program.starters {
            if let Some(first) = starters.single {
                call(base + first, arguments);
            }
            for index in 0..starters.count {
                call_entry(base + starters.array + 8 * index, arguments);
            }
        }
        let code = call(base + program.main, arguments);
        exit::finish(rank, code as i32)
    }
}

/// Calls the function whose address stands at `entry`, as in `.init_array`.
///
/// # Safety
/// The entry is one of an instance that is loaded, its function takes these arguments.
pub(crate) unsafe fn call_entry(entry: usize, arguments: [usize; 3]) {
    // SAFETY: as the caller vouches. Linkers fill gaps with 0 and -1.
    unsafe {
        let function = (entry as *const usize).read();
        if function != 0 && function != usize::MAX {
            call(function, arguments);
        }
    }
}

unsafe fn main_arguments(rank: *mut Rank) -> [usize; 3] {
    // SAFETY: the rank is alive.
    unsafe {
        let environment = Environment::of(rank) as usize;
        [(*rank).argument_count as usize, (*rank).arguments as usize, environment]
    }
}

/// Writes the strings and `argv` to the top of the stack, as a kernel does; the program may change them.
///
/// # Safety
/// The stack belongs to the caller and is unused.
unsafe fn push_arguments(stack: &mut RankStack, arguments: &[CString]) -> *mut *mut c_char {
    let mut top = stack.base;
    let mut vector: Vec<usize> = Vec::with_capacity(arguments.len() + 1);
    for argument in arguments {
        let bytes = argument.as_bytes_with_nul();
        top -= bytes.len();
        // SAFETY: below the base and far above the limit, since arguments are checked to fit.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), top as *mut u8, bytes.len()) };
        vector.push(top);
    }
    vector.push(0);
    top = (top - vector.len() * 8) & !15;
    // SAFETY: as above.
    unsafe { std::ptr::copy_nonoverlapping(vector.as_ptr(), top as *mut usize, vector.len()) };
    stack.base = top;
    top as *mut *mut c_char
}
