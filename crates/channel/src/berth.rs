//! Ranks folded into the simulator's process: what the simulator and the MPI library tell each other.
//!
//! The simulator loads the library once. For each rank it hands over a [`Berth`] and gets a [`FoldedRank`]; before it
//! lets a rank run it says which one. All ranks use one mailbox in turn.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::ptr::NonNull;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

/// What the library is told about a folded rank.
#[repr(C)]
pub struct Berth {
    /// Its number in the world.
    pub rank: u32,
    /// The mailbox that all ranks use in turn.
    pub mailbox: *mut c_void,
    /// Passes the turn to the simulator; returns when this rank is to go on.
    pub pass: extern "C" fn(),
    /// Ends the rank that runs.
    pub exit: extern "C" fn(c_int) -> !,
    /// Raises a signal in the rank that runs. Has a handler of the program run?
    pub raise: extern "C" fn(c_int) -> bool,
    /// The name of its simulated host.
    pub host: *const c_char,
    /// Number of words of the command that starts it.
    pub argc: c_int,
    /// The words.
    pub argv: *const *const c_char,
}

/// Makes a rank.
pub type MakeRank = unsafe extern "C" fn(*const Berth) -> *mut c_void;
/// Says which rank runs, or forgets one.
pub type NameRank = unsafe extern "C" fn(*mut c_void);

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

/// How the turn goes back and forth.
#[derive(Clone, Copy)]
pub struct Passing {
    /// Passes the turn to the simulator; returns when this rank is to go on.
    pub pass: extern "C" fn(),
    /// Ends the rank that runs.
    pub exit: extern "C" fn(c_int) -> !,
    /// Raises a signal in the rank that runs. Has a handler of the program run?
    pub raise: extern "C" fn(c_int) -> bool,
}

/// The MPI library, loaded into the simulator's own process.
pub struct FoldedLibrary {
    /// Never unloaded: threads may still have to tidy up after it.
    library: ManuallyDrop<Library>,
    make: MakeRank,
    switch: NameRank,
    expect: ExpectRank,
    end: NameRank,
}

/// What the library knows of one rank.
pub struct FoldedRank(NonNull<c_void>);

impl FoldedLibrary {
    /// Loads the library. Its symbols are seen by nobody who does not ask for them here.
    pub fn load(path: &Path) -> Result<FoldedLibrary, libloading::Error> {
        // SAFETY: our own library; what it runs when loaded is the start of a Rust library, which does nothing.
        let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }?;
        // SAFETY: the library's `berth.rs` defines these functions with these types.
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

    /// The address of an exported function, for the program to be linked to.
    pub fn symbol(&self, name: &CStr) -> Option<usize> {
        // SAFETY: only the address is wanted.
        let found = unsafe { self.library.get::<*mut c_void>(name.to_bytes_with_nul()) }.ok()?;
        Some(found.as_raw_ptr().addr())
    }

    /// The library's clock, which shows simulated time to the rank that runs.
    pub fn clock(&self) -> Option<ReadClock> {
        // SAFETY: the library defines this function of the C library with its usual type.
        unsafe { self.library.get::<ReadClock>(b"clock_gettime") }.ok().map(|clock| *clock)
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

    /// Makes a rank that uses the mailbox of `fleet`, which has one and outlives it.
    pub fn rank(
        &self,
        rank: u32,
        fleet: &crate::Fleet,
        passing: Passing,
        host: &CStr,
        words: &[CString],
    ) -> FoldedRank {
        let argv: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
        let berth = Berth {
            rank,
            mailbox: fleet.address(0).cast(),
            pass: passing.pass,
            exit: passing.exit,
            raise: passing.raise,
            host: host.as_ptr(),
            argc: words.len() as c_int,
            argv: argv.as_ptr(),
        };
        // SAFETY: the berth is valid, and what it points to is copied or stays.
        let made = unsafe { (self.make)(&raw const berth) };
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

    /// Forgets a rank that does not run any more.
    pub fn end(&self, rank: FoldedRank) {
        // SAFETY: made by this library; this was the only one who knew it.
        unsafe { (self.end)(rank.0.as_ptr()) }
    }
}
