//! Ranks folded into the simulator's process: the functions by which the simulator drives the MPI library.
//!
//! The simulator loads the library once. For each rank it passes a [`FoldedRankInit`] and gets a [`FoldedRank`]. Before it
//! lets a rank run, it says which one. All ranks use one mailbox in turn.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::AtomicBool;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use mpirage_call::{LineId, RankId};

use crate::Mailboxes;
use crate::variable::VERSION;

/// The description of a folded rank, from which the library makes the rank.
#[repr(C)]
pub struct FoldedRankInit {
    /// Its number in the world.
    pub rank: u32,
    /// The number of its first line of control.
    pub line: u32,
    /// The mailbox that all ranks use in turn.
    pub mailbox: *mut c_void,
    /// Passes the turn to the simulator; returns when this rank may go on.
    pub pass: extern "C" fn(),
    /// Ends the rank that runs.
    pub exit: extern "C" fn(c_int) -> !,
    /// Raises a signal in the rank that runs. True if a handler of the program has run.
    pub raise: extern "C" fn(c_int) -> bool,
    /// The name of its simulated host.
    pub host: *const c_char,
    /// Number of words of the command that starts it.
    pub argc: c_int,
    /// The words.
    pub argv: *const *const c_char,
}

/// Makes a rank.
pub type MakeRank = unsafe extern "C" fn(*const FoldedRankInit) -> *mut c_void;
/// Says which rank runs, or frees one.
pub type NameRank = unsafe extern "C" fn(*mut c_void);

/// The library's version of what it and the simulator write for each other.
type TellVersion = extern "C" fn() -> *const c_char;

/// Says that a rank will run soon, and whether it is the next.
pub type ExpectRank = unsafe extern "C" fn(*mut c_void, bool);

/// `clock_gettime`.
pub type ReadClock = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int;

/// Functions of the C library that lock files; those of the MPI library wait in simulated time.
#[derive(Clone, Copy)]
pub struct FileLocks {
    /// `fcntl`.
    pub fcntl: unsafe extern "C" fn(c_int, c_int, usize) -> c_int,
    /// `flock`.
    pub flock: unsafe extern "C" fn(c_int, c_int) -> c_int,
    /// `lockf`.
    pub lockf: unsafe extern "C" fn(c_int, c_int, i64) -> c_int,
}

/// How a rank that does not call MPI passes the turn.
#[derive(Clone, Copy)]
pub struct Yielding {
    /// Makes a call for the rank that runs, which is at this place of its program.
    pub pass: extern "C" fn(usize),
    /// True once ranks share memory.
    pub shares_memory: &'static AtomicBool,
}

/// How a rank passes the turn, ends, and raises signals.
#[derive(Clone, Copy)]
pub struct Passing {
    /// Passes the turn to the simulator; returns when this rank may go on.
    pub pass: extern "C" fn(),
    /// Ends the rank that runs.
    pub exit: extern "C" fn(c_int) -> !,
    /// Raises a signal in the rank that runs. True if a handler of the program has run.
    pub raise: extern "C" fn(c_int) -> bool,
}

/// The MPI library, loaded into the simulator's own process.
pub struct FoldedLibrary {
    /// Never unloaded: destructors of threads may still need it.
    library: ManuallyDrop<Library>,
    make: MakeRank,
    switch: NameRank,
    expect: ExpectRank,
    end: NameRank,
}

/// Why the MPI library cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The dynamic linker refuses it.
    #[error("{0}")]
    Linking(#[from] libloading::Error),
    /// It does not know this simulator's mailboxes.
    #[error(
        "it belongs to another build of mpirage; build or install mpirage again (`make build`, `make install`)"
    )]
    OtherVersion,
}

/// A rank inside the library.
pub struct FoldedRank(NonNull<c_void>);

impl FoldedLibrary {
    /// Loads the library. No other library is linked to its symbols.
    pub fn load(path: &Path) -> Result<FoldedLibrary, LoadError> {
        // SAFETY: our own library; what it runs when loaded is the start of a Rust library, which does nothing.
        let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }?;
        // SAFETY: as below; the function returns a string that is never freed.
        let version = unsafe {
            library.get::<TellVersion>(b"mpirage_channel_version").map(|tell| CStr::from_ptr(tell()))
        };
        if !version.is_ok_and(|version| version == VERSION) {
            return Err(LoadError::OtherVersion);
        }
        // SAFETY: the library's `folded_ranks.rs` defines these functions with these types.
        unsafe {
            Ok(FoldedLibrary {
                make: *library.get::<MakeRank>(b"mpirage_fold_rank")?,
                switch: *library.get::<NameRank>(b"mpirage_fold_switch")?,
                expect: *library.get::<ExpectRank>(b"mpirage_fold_expect")?,
                end: *library.get::<NameRank>(b"mpirage_fold_end")?,
                library: ManuallyDrop::new(library),
            })
        }
    }

    /// The address of an exported function, to link the program to.
    pub fn symbol(&self, name: &CStr) -> Option<usize> {
        // SAFETY: only the address is used.
        let found = unsafe { self.library.get::<*mut c_void>(name.to_bytes_with_nul()) }.ok()?;
        Some(found.as_raw_ptr().addr())
    }

    /// The library's clock, which shows simulated time to the rank that runs.
    pub fn clock(&self) -> Option<ReadClock> {
        // SAFETY: the library defines this function of the C library with its usual type.
        unsafe { self.library.get::<ReadClock>(b"clock_gettime") }.ok().map(|clock| *clock)
    }

    /// How the rank that runs is asked to pass its turn.
    pub fn yielding(&self) -> Option<Yielding> {
        // SAFETY: the library's `interruption.rs` defines both with these types, and the library is never unloaded.
        unsafe {
            let pass = *self.library.get::<extern "C" fn(usize)>(b"mpirage_fold_yield").ok()?;
            let shares = *self.library.get::<*const AtomicBool>(b"mpirage_fold_shares_memory").ok()?;
            Some(Yielding { pass, shares_memory: &*shares })
        }
    }

    /// The function that keeps a sample of the running rank's stack; a signal handler of the simulator calls it.
    pub fn sampling(&self) -> Option<extern "C" fn()> {
        // SAFETY: the library's `samples.rs` defines it with this type, and the library is never unloaded.
        unsafe { self.library.get::<extern "C" fn()>(b"mpirage_fold_sample") }.ok().map(|keep| *keep)
    }

    /// The library's functions that lock files.
    pub fn file_locks(&self) -> Option<FileLocks> {
        // SAFETY: the library defines these functions of the C library with their usual types.
        unsafe {
            Some(FileLocks {
                fcntl: *self.library.get(b"fcntl").ok()?,
                flock: *self.library.get(b"flock").ok()?,
                lockf: *self.library.get(b"lockf").ok()?,
            })
        }
    }

    /// Makes a rank whose line uses the mailbox `shared` of `mailboxes`, which outlive the rank.
    pub fn rank(
        &self,
        rank: RankId,
        (mailboxes, shared): (&Mailboxes, LineId),
        passing: Passing,
        host: &CStr,
        words: &[CString],
    ) -> FoldedRank {
        let argv: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
        let init = FoldedRankInit {
            rank: rank.get(),
            line: LineId::first_of(rank).get(),
            mailbox: mailboxes.address(shared).cast(),
            pass: passing.pass,
            exit: passing.exit,
            raise: passing.raise,
            host: host.as_ptr(),
            argc: words.len() as c_int,
            argv: argv.as_ptr(),
        };
        // SAFETY: the description is valid; the library copies what it points to, or it stays.
        let made = unsafe { (self.make)(&raw const init) };
        FoldedRank(NonNull::new(made).expect("the library makes ranks with an address"))
    }

    /// From now on this rank runs.
    pub fn switch_to(&self, rank: &FoldedRank) {
        // SAFETY: made by this library and not ended, which takes it by value.
        unsafe { (self.switch)(rank.0.as_ptr()) }
    }

    /// This rank will run soon, perhaps as the next.
    pub fn expect(&self, rank: &FoldedRank, next: bool) {
        // SAFETY: made by this library and not ended, which takes it by value.
        unsafe { (self.expect)(rank.0.as_ptr(), next) }
    }

    /// Frees a rank that does not run any more.
    pub fn end(&self, rank: FoldedRank) {
        // SAFETY: made by this library; the caller gives up the only reference.
        unsafe { (self.end)(rank.0.as_ptr()) }
    }
}
