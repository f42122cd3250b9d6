//! One rank: its instance, its stack, and the state that the C library has for it.

use std::ffi::{CString, c_char};
use std::ptr;
use std::rc::Rc;

use corosensei::trap::CoroutineTrapHandler;
use corosensei::{Coroutine, Yielder};

use crate::clib::state::{Environment, Handler, Library};
use crate::clib::variables::Variables;
use crate::context::Context;
use crate::link::Program;
use crate::stacks::RankStack;

/// Why a rank stopped running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It passed its turn and can be resumed.
    Yielded,
    /// It was asked to pass its turn ([`yield_on`](crate::yield_on)) and can be resumed.
    Interrupted {
        /// Where it was.
        code: usize,
    },
    /// It has ended, with the code a parent process would see.
    Exited(i32),
    /// It has ended by a signal.
    Signal {
        /// `SIGSEGV`, ….
        number: i32,
        /// The address that it accessed, for `SIGSEGV` and `SIGBUS`.
        address: usize,
        /// Where it was; 0 if not known.
        code: usize,
        /// The access was to the guard of its stack.
        stack_overflow: bool,
        /// [`interrupt_rank`](crate::interrupt_rank) stopped it: the signal is not its own.
        interrupted: bool,
    },
}

/// The reason why a coroutine stops; small enough for a register.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Leave {
    Turn,
    /// The turn, because it was asked to; [`Rank::fault`] has the place.
    Yield,
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
    /// The state of its standard streams; see [`stdio`](crate::clib::stdio).
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
    /// A rank that will run the program at `base` on `stack`, from `entry` on.
    pub(crate) fn new(
        number: usize,
        base: usize,
        program: Rc<Program>,
        mut stack: RankStack,
        arguments: &[CString],
        environment: Environment,
        entry: impl FnOnce(&Yielder<(), Leave>, ()) -> Leave + 'static,
    ) -> Box<Self> {
        // SAFETY: no coroutine uses the stack yet.
        let vector = unsafe { push_arguments(&mut stack, arguments) };
        let coroutine = RankCoroutine::with_stack(stack, entry);
        Box::new(Self {
            trap: coroutine.trap_handler(),
            coroutine,
            context: Context::default(),
            yielder: ptr::null(),
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

    /// The C library's variables of a rank, with what the program has changed in its own data. Code that changes one calls
    /// [`Rank::publish_variables`] afterwards.
    ///
    /// # Safety
    /// The rank is alive.
    pub(crate) unsafe fn variables(rank: *mut Self) -> *mut Variables {
        // SAFETY: the instance has room for them at this place, and copies are of this size.
        unsafe {
            let variables = Self::place_of_variables(rank);
            for copy in &Self::program(rank).copied_variables {
                let own = ((*rank).base + copy.offset) as *const u8;
                ptr::copy_nonoverlapping(own, variables.byte_add(copy.address).cast(), copy.size);
            }
            variables
        }
    }

    /// Shows a change to a program that has variables in its own data, as an ordinary executable does.
    ///
    /// # Safety
    /// The rank is alive.
    pub(crate) unsafe fn publish_variables(rank: *mut Self) {
        // SAFETY: as in `variables`.
        unsafe {
            let variables = Self::place_of_variables(rank);
            for copy in &Self::program(rank).copied_variables {
                let own = ((*rank).base + copy.offset) as *mut u8;
                ptr::copy_nonoverlapping(variables.byte_add(copy.address).cast(), own, copy.size);
            }
        }
    }

    /// Their place in its instance.
    ///
    /// # Safety
    /// The rank is alive.
    pub(crate) unsafe fn place_of_variables(rank: *mut Self) -> *mut Variables {
        // SAFETY: the instance has room for them at this place.
        unsafe { ((*rank).base + Self::program(rank).variables) as *mut Variables }
    }

    /// The state that the C library has for a rank, made when first needed.
    ///
    /// # Safety
    /// The rank is alive, and no other code uses its state.
    pub(crate) unsafe fn library(rank: *mut Self) -> *mut Library {
        // SAFETY: as the caller vouches.
        unsafe { &raw mut **(*rank).library.get_or_insert_with(Box::default) }
    }

    /// Is this an address of the program or of one of its libraries, in its instance? What the compiler's library does is the
    /// doing of the program that calls it.
    pub(crate) fn has(&self, address: usize) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.program.image_size && !self.program.below.iter().any(|part| part.contains(&offset))
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
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), top as *mut u8, bytes.len()) };
        vector.push(top);
    }
    vector.push(0);
    top = (top - vector.len() * 8) & !15;
    // SAFETY: as above.
    unsafe { ptr::copy_nonoverlapping(vector.as_ptr(), top as *mut usize, vector.len()) };
    stack.base = top;
    top as *mut *mut c_char
}
