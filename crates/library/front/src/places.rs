//! Arguments that are pointers: what they point to is converted before the call, and back after it.
//!
//! A place is made from the program's pointer, gives the pointer of the call (`abi`), and stores what the call has changed
//! (`store`). What the call leaves as it was is not stored: an output that was not written keeps the program's value.

use core::ffi::{c_char, c_int};
use core::ptr;

use mpirage_bodies::MPI_Status;
use smallvec::SmallVec;

use crate::{Handle, Status};

/// No handle has this number: the call has not stored one.
const UNTOUCHED: usize = usize::MAX;

/// No error has this code: the call has not stored one.
const NO_CODE: c_int = c_int::MIN;

/// How many elements of an array need no allocation.
const SHORT: usize = 16;

/// A length as the program gave it; a negative one is the library's to complain about.
pub fn array_length(length: i64) -> usize {
    usize::try_from(length).unwrap_or(0)
}

/// A handle that the call stores.
pub struct OutHandle<H> {
    theirs: *mut H,
    number: usize,
}

impl<H: Handle> OutHandle<H> {
    /// Of a pointer to a place for a handle, or null.
    pub fn new(theirs: *mut H) -> OutHandle<H> {
        OutHandle { theirs, number: UNTOUCHED }
    }

    /// The argument of the call.
    pub fn abi(&mut self) -> *mut usize {
        if self.theirs.is_null() { ptr::null_mut() } else { &mut self.number }
    }

    /// Hands the handle over.
    ///
    /// # Safety
    /// The program's pointer can be written.
    pub unsafe fn store(self) {
        if self.number != UNTOUCHED {
            // SAFETY: the caller vouches for it; `abi` gave no place if it is null.
            unsafe { self.theirs.write(H::from_abi(self.number)) };
        }
    }
}

/// A handle that the call reads, and may change.
pub struct InOutHandle<H> {
    theirs: *mut H,
    before: usize,
    number: usize,
}

impl<H: Handle> InOutHandle<H> {
    /// Of a pointer to a handle, or null.
    ///
    /// # Safety
    /// Unless it is null, the pointer can be read.
    pub unsafe fn new(theirs: *mut H) -> InOutHandle<H> {
        // SAFETY: the caller vouches for it.
        let before = if theirs.is_null() { UNTOUCHED } else { unsafe { theirs.read() }.to_abi() };
        InOutHandle { theirs, before, number: before }
    }

    /// The argument of the call.
    pub fn abi(&mut self) -> *mut usize {
        if self.theirs.is_null() { ptr::null_mut() } else { &mut self.number }
    }

    /// Hands a changed handle over.
    ///
    /// # Safety
    /// The program's pointer can be written.
    pub unsafe fn store(self) {
        if self.number != self.before {
            // SAFETY: the caller vouches for it.
            unsafe { self.theirs.write(H::from_abi(self.number)) };
        }
    }
}

/// An array of handles that the call reads, and may change.
pub struct Handles<H> {
    theirs: *mut H,
    stored_back: bool,
    numbers: SmallVec<[usize; SHORT]>,
}

impl<H: Handle> Handles<H> {
    /// Of an array of this length, or null.
    ///
    /// # Safety
    /// Unless it is null, the array can be read.
    pub unsafe fn new(theirs: *mut H, length: usize, stored_back: bool) -> Handles<H> {
        let length = if theirs.is_null() { 0 } else { length };
        // SAFETY: the caller vouches for it.
        let numbers = (0..length).map(|at| unsafe { theirs.add(at).read() }.to_abi()).collect();
        Handles { theirs, stored_back, numbers }
    }

    /// The argument of the call.
    pub fn abi(&mut self) -> *mut usize {
        if self.theirs.is_null() { ptr::null_mut() } else { self.numbers.as_mut_ptr() }
    }

    /// Hands changed handles over.
    ///
    /// # Safety
    /// The program's array can be written, if the call may change it.
    pub unsafe fn store(self) {
        if !self.stored_back {
            return;
        }
        for (at, number) in self.numbers.into_iter().enumerate() {
            // SAFETY: the caller vouches for the array, which has this many elements.
            unsafe {
                let place = self.theirs.add(at);
                if place.read().to_abi() != number {
                    place.write(H::from_abi(number));
                }
            }
        }
    }
}

/// An array of handles that the call stores.
pub struct OutHandles<H> {
    theirs: *mut H,
    numbers: SmallVec<[usize; SHORT]>,
}

impl<H: Handle> OutHandles<H> {
    /// Of an array of this length, or null.
    pub fn new(theirs: *mut H, length: usize) -> OutHandles<H> {
        let length = if theirs.is_null() { 0 } else { length };
        OutHandles { theirs, numbers: SmallVec::from_elem(UNTOUCHED, length) }
    }

    /// The argument of the call.
    pub fn abi(&mut self) -> *mut usize {
        if self.theirs.is_null() { ptr::null_mut() } else { self.numbers.as_mut_ptr() }
    }

    /// Hands the handles over.
    ///
    /// # Safety
    /// The program's array can be written.
    pub unsafe fn store(self) {
        for (at, number) in self.numbers.into_iter().enumerate().filter(|&(_, number)| number != UNTOUCHED) {
            // SAFETY: the caller vouches for the array, which has this many elements.
            unsafe { self.theirs.add(at).write(H::from_abi(number)) };
        }
    }
}

/// A status.
pub struct OneStatus<S> {
    theirs: *mut S,
    before: MPI_Status,
    status: MPI_Status,
}

impl<S: Status> OneStatus<S> {
    /// Of a pointer to a status, or one that means that the program wants none.
    ///
    /// # Safety
    /// Unless it means that, the pointer can be read.
    pub unsafe fn new(theirs: *mut S) -> OneStatus<S> {
        let ignored = is_ignored(theirs);
        // SAFETY: the caller vouches for it.
        let before = if ignored { MPI_Status::default() } else { unsafe { theirs.read() }.to_abi() };
        let theirs = if ignored { ptr::null_mut() } else { theirs };
        OneStatus { theirs, before, status: before }
    }

    /// The argument of the call.
    pub fn abi(&mut self) -> *mut MPI_Status {
        if self.theirs.is_null() { ptr::null_mut() } else { &mut self.status }
    }

    /// Hands a changed status over.
    ///
    /// # Safety
    /// The program's status can be written.
    pub unsafe fn store(self) {
        if self.status != self.before {
            // SAFETY: the caller vouches for it.
            unsafe { self.theirs.write(S::from_abi(&self.status)) };
        }
    }
}

/// An array of statuses.
pub struct Statuses<S> {
    theirs: *mut S,
    before: SmallVec<[MPI_Status; SHORT]>,
    statuses: SmallVec<[MPI_Status; SHORT]>,
}

impl<S: Status> Statuses<S> {
    /// Of an array of this length, or a pointer that means that the program wants none.
    ///
    /// # Safety
    /// Unless it means that, the array can be read.
    pub unsafe fn new(theirs: *mut S, length: usize) -> Statuses<S> {
        let ignored = is_ignored(theirs);
        let length = if ignored { 0 } else { length };
        // SAFETY: the caller vouches for it.
        let before: SmallVec<_> = (0..length).map(|at| unsafe { theirs.add(at).read() }.to_abi()).collect();
        let theirs = if ignored { ptr::null_mut() } else { theirs };
        Statuses { theirs, statuses: before.clone(), before }
    }

    /// The argument of the call.
    pub fn abi(&mut self) -> *mut MPI_Status {
        if self.theirs.is_null() { ptr::null_mut() } else { self.statuses.as_mut_ptr() }
    }

    /// Hands changed statuses over.
    ///
    /// # Safety
    /// The program's array can be written.
    pub unsafe fn store(self) {
        for (at, (status, before)) in self.statuses.iter().zip(&self.before).enumerate() {
            if status != before {
                // SAFETY: the caller vouches for the array, which has this many elements.
                unsafe { self.theirs.add(at).write(S::from_abi(status)) };
            }
        }
    }
}

fn is_ignored<S: Status>(status: *mut S) -> bool {
    status.is_null() || status.addr() == S::IGNORE
}

/// An integer that the call reads and may change.
pub struct InOutInteger {
    theirs: *mut c_int,
    before: c_int,
    value: c_int,
    from: fn(c_int) -> c_int,
}

impl InOutInteger {
    /// Of a pointer to an integer, or null, and its conversions.
    ///
    /// # Safety
    /// Unless it is null, the pointer can be read.
    pub unsafe fn new(theirs: *mut c_int, to: fn(c_int) -> c_int, from: fn(c_int) -> c_int) -> InOutInteger {
        // SAFETY: the caller vouches for it.
        let before = if theirs.is_null() { 0 } else { to(unsafe { *theirs }) };
        InOutInteger { theirs, before, value: before, from }
    }

    /// The argument of the call.
    pub fn abi(&mut self) -> *mut c_int {
        if self.theirs.is_null() { ptr::null_mut() } else { &mut self.value }
    }

    /// Hands a changed integer over.
    ///
    /// # Safety
    /// The program's integer can be written.
    pub unsafe fn store(self) {
        if self.value != self.before {
            // SAFETY: the caller vouches for it.
            unsafe { *self.theirs = (self.from)(self.value) };
        }
    }
}

/// The integers of an array, converted.
///
/// # Safety
/// Unless it is null, the array can be read.
pub unsafe fn converted_integers(
    theirs: *const c_int,
    length: usize,
    conversion: fn(c_int) -> c_int,
) -> SmallVec<[c_int; SHORT]> {
    let length = if theirs.is_null() { 0 } else { length };
    // SAFETY: the caller vouches for it.
    (0..length).map(|at| conversion(unsafe { theirs.add(at).read() })).collect()
}

/// A pointer to converted integers; null stays null.
pub fn pointer_to(theirs: *const c_int, converted: &[c_int]) -> *const c_int {
    if theirs.is_null() { ptr::null() } else { converted.as_ptr() }
}

/// Converts the integers of an array where they are.
///
/// # Safety
/// Unless it is null, the array can be read and written.
pub unsafe fn convert_integers(theirs: *mut c_int, length: usize, conversion: fn(c_int) -> c_int) {
    let length = if theirs.is_null() { 0 } else { length };
    for at in 0..length {
        // SAFETY: the caller vouches for it.
        unsafe { *theirs.add(at) = conversion(*theirs.add(at)) };
    }
}

/// Error codes of processes that a rank starts. Only the root knows how many there are, and only it can get others than `MPI_SUCCESS`.
pub struct ErrorCodes {
    theirs: *mut c_int,
    codes: Vec<c_int>,
    from_abi: fn(c_int) -> c_int,
}

impl ErrorCodes {
    /// Of an array of this length, or null. A length of zero leaves the array to the call.
    pub fn new(theirs: *mut c_int, length: usize, from_abi: fn(c_int) -> c_int) -> ErrorCodes {
        let length = if theirs.is_null() { 0 } else { length };
        ErrorCodes { theirs, codes: vec![NO_CODE; length], from_abi }
    }

    /// The argument of the call.
    pub fn abi(&mut self) -> *mut c_int {
        if self.codes.is_empty() { self.theirs } else { self.codes.as_mut_ptr() }
    }

    /// Hands the codes over.
    ///
    /// # Safety
    /// The program's array can be written.
    pub unsafe fn store(self) {
        for (at, code) in self.codes.into_iter().enumerate().filter(|&(_, code)| code != NO_CODE) {
            // SAFETY: the caller vouches for the array, which has this many elements.
            unsafe { self.theirs.add(at).write((self.from_abi)(code)) };
        }
    }
}

/// The sum of numbers of processes, of which negative ones count as none.
///
/// # Safety
/// Unless it is null, so many numbers can be read.
pub unsafe fn sum_of(numbers: *const c_int, length: usize) -> usize {
    let length = if numbers.is_null() { 0 } else { length };
    // SAFETY: the caller vouches for it.
    (0..length).map(|at| array_length(unsafe { *numbers.add(at) }.into())).sum()
}

/// A text that the call stores, which may be longer than the program has room for.
pub struct Text<const LIMIT: usize> {
    theirs: *mut c_char,
    room: usize,
    text: [c_char; LIMIT],
}

impl<const LIMIT: usize> Text<LIMIT> {
    /// Of a pointer to this much room, or null.
    pub fn new(theirs: *mut c_char, room: usize) -> Text<LIMIT> {
        Text { theirs, room, text: [0; LIMIT] }
    }

    /// The argument of the call.
    pub fn abi(&mut self) -> *mut c_char {
        if self.theirs.is_null() { ptr::null_mut() } else { self.text.as_mut_ptr() }
    }

    /// Hands over as much as fits.
    ///
    /// # Safety
    /// Unless it is null, the program's pointer has the room.
    pub unsafe fn store(self) {
        if self.theirs.is_null() {
            return;
        }
        let length = self.text.iter().position(|&letter| letter == 0).unwrap_or(LIMIT).min(self.room - 1);
        // SAFETY: the caller vouches for the room; the text has the terminator or is cut before.
        unsafe {
            ptr::copy_nonoverlapping(self.text.as_ptr(), self.theirs, length);
            self.theirs.add(length).write(0);
        }
    }
}
