//! Arguments as C hands them over, and results as it wants them back: numbers of any width, arrays, strings.
//!
//! Each function takes the argument's name, so that error messages can contain it.

use crate::constants::{MPI_ERR_ARG, MPI_ERR_COUNT};
use crate::ground::error::{MpiError, Result, ensure};
use crate::types::MPI_Aint;
use core::ffi::{CStr, c_char, c_int};

/// A number of C: `int`, `MPI_Aint` or `MPI_Count`. What the two forms of a function differ in.
pub(crate) trait Number: Copy {
    fn wide(self) -> i64;
    /// None if it does not fit.
    fn narrow(value: i64) -> Option<Self>;
}

impl Number for c_int {
    fn wide(self) -> i64 {
        self.into()
    }

    fn narrow(value: i64) -> Option<c_int> {
        value.try_into().ok()
    }
}

impl Number for MPI_Aint {
    fn wide(self) -> i64 {
        self as i64
    }

    fn narrow(value: i64) -> Option<MPI_Aint> {
        value.try_into().ok()
    }
}

impl Number for i64 {
    fn wide(self) -> i64 {
        self
    }

    fn narrow(value: i64) -> Option<i64> {
        Some(value)
    }
}

/// A count, which is not negative.
#[inline(always)]
pub(crate) fn count(what: &str, value: impl Number) -> Result<usize> {
    let value = value.wide();
    usize::try_from(value).map_err(|_| MpiError::new(MPI_ERR_COUNT, format!("{what} is {value}")))
}

/// The same of an argument that is not called a count: a length, a number of dimensions.
pub(crate) fn size(what: &str, value: impl Number) -> Result<usize> {
    let value = value.wide();
    usize::try_from(value).map_err(|_| MpiError::new(MPI_ERR_ARG, format!("{what} is {value}")))
}

/// An array of the program's.
///
/// # Safety
/// Unless `pointer` is null, `length` entries are there and stay as they are for `'a`.
pub(crate) unsafe fn array<'a, T>(what: &str, pointer: *const T, length: usize) -> Result<&'a [T]> {
    if length == 0 {
        return Ok(&[]);
    }
    not_null(what, pointer)?;
    // SAFETY: not null, and the caller vouches for the rest.
    Ok(unsafe { core::slice::from_raw_parts(pointer, length) })
}

/// An array of numbers, whatever their width.
///
/// # Safety
/// As for [`array`].
pub(crate) unsafe fn numbers<T: Number>(what: &str, pointer: *const T, length: usize) -> Result<Vec<i64>> {
    // SAFETY: the caller vouches for it.
    let numbers = unsafe { array(what, pointer, length) }?;
    Ok(numbers.iter().map(|number| number.wide()).collect())
}

/// Stores a result.
///
/// # Safety
/// Unless it is null, `place` can be written.
pub(crate) unsafe fn put<T>(what: &str, place: *mut T, value: T) -> Result<()> {
    not_null(what, place)?;
    // SAFETY: not null, and the caller vouches for the rest.
    unsafe { place.write(value) };
    Ok(())
}

/// Stores several results.
///
/// # Safety
/// Unless it is null, `place` has room for all of them.
pub(crate) unsafe fn put_all<T>(
    what: &str,
    place: *mut T,
    values: impl ExactSizeIterator<Item = T>,
) -> Result<()> {
    if values.len() > 0 {
        not_null(what, place)?;
    }
    for (index, value) in values.enumerate() {
        // SAFETY: not null, and the caller vouches for the room.
        unsafe { place.add(index).write(value) };
    }
    Ok(())
}

/// A string of the program's.
///
/// # Safety
/// Unless it is null, `pointer` is a string that stays as it is for `'a`.
pub(crate) unsafe fn string<'a>(what: &str, pointer: *const c_char) -> Result<&'a CStr> {
    not_null(what, pointer)?;
    // SAFETY: not null, and the caller vouches for the rest.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// Stores as much of a string as fits into `room` characters with its terminator; returns the length stored.
///
/// # Safety
/// Unless it is null, `place` has that room.
pub(crate) unsafe fn put_string(what: &str, place: *mut c_char, room: usize, text: &[u8]) -> Result<usize> {
    let length = text.len().min(room.saturating_sub(1));
    let characters = text[..length].iter().chain(&[0]).map(|&byte| byte as c_char);
    let stored: Vec<c_char> = characters.take(room).collect();
    // SAFETY: at most `room` characters, for which the caller vouches.
    unsafe { put_all(what, place, stored.into_iter()) }?;
    Ok(length)
}

pub(crate) fn not_null<T>(what: &str, pointer: *const T) -> Result<()> {
    ensure(!pointer.is_null(), MPI_ERR_ARG, || format!("{what} is a null pointer"))
}
