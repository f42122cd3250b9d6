//! Integers that have a meaning in one interface only.
//!
//! A program may use a number that means nothing in its interface, but something in the other: as a wrong argument, or as an error
//! code of its own. Such a number is marked on its way, so that it means nothing there either, and is itself again on its way back.

use core::ffi::c_int;

/// A bit that is set if a set of bits has others than the known ones.
pub const UNKNOWN_BIT: c_int = 1 << 30;

const MARK: c_int = c_int::MIN / 2;
const RANGE: c_int = 1 << 20;

/// Marks a number without a meaning.
pub const fn mark_unknown(value: c_int) -> c_int {
    MARK.wrapping_add(value)
}

/// The number as it was before it was marked.
pub const fn unmark_unknown(value: c_int) -> c_int {
    let distance = value.wrapping_sub(MARK);
    if -RANGE <= distance && distance < RANGE { distance } else { value }
}

/// An error code of the MPI 5 ABI in another interface: classes by `class`, codes that the program added by their distance from the
/// last code of the standard.
pub fn error_between(code: c_int, last: c_int, last_there: c_int, class: fn(c_int) -> c_int) -> c_int {
    if code > last { code.wrapping_sub(last).wrapping_add(last_there) } else { class(code) }
}

/// `MPI_DISPLACEMENT_CURRENT` of MPICH and Open MPI, and of the MPI 5 ABI.
const CURRENT: i64 = -54_278_278;
const CURRENT_OF_ABI: i64 = -1;

/// The displacement of a view in the MPI 5 ABI. Other negative numbers mean nothing in either interface.
pub const fn displacement_to_abi(displacement: i64) -> i64 {
    match displacement {
        CURRENT => CURRENT_OF_ABI,
        CURRENT_OF_ABI => CURRENT,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marked_number_comes_back() {
        for value in [-5, 0, 1001, 70_000] {
            assert_eq!(unmark_unknown(mark_unknown(value)), value);
            assert_eq!(unmark_unknown(value), value);
        }
    }

    #[test]
    fn added_codes_keep_their_distance() {
        let there = error_between(16_385, 16_383, 0x3fff_ffff, |class| class);
        assert_eq!(there, 0x4000_0001);
        assert_eq!(error_between(there, 0x3fff_ffff, 16_383, |class| class), 16_385);
    }
}
