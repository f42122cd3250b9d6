//! Constants among the integers that a datatype was made with.

use core::ffi::c_int;

use mpirage_front::body;

use crate::conversions::{abi, distribution_argument_from_abi, distribution_from_abi, order_from_abi};

include!(concat!(env!("OUT_DIR"), "/indices.rs"));

type Envelope =
    unsafe extern "C-unwind" fn(usize, *mut i64, *mut i64, *mut i64, *mut i64, *mut c_int) -> c_int;

/// Converts the orders and distributions in the integers that `MPI_Type_get_contents` has stored.
///
/// # Safety
/// The array has this many integers, which belong to the datatype.
pub(crate) unsafe fn contents_from_abi(datatype: usize, room: usize, integers: *mut c_int) {
    let (mut count, mut ignored, mut combiner) = (0_i64, [0_i64; 3], 0);
    let [addresses, large, types] = &mut ignored;
    // SAFETY: the body of the function with this index, with its type.
    let code = unsafe {
        body!(MPI_TYPE_GET_ENVELOPE_C, Envelope)(datatype, &mut count, addresses, large, types, &mut combiner)
    };
    let count = usize::try_from(count).unwrap_or(0);
    if code != 0 || count == 0 || room < count || integers.is_null() {
        return;
    }
    // SAFETY: the caller vouches for the array.
    let integers = unsafe { core::slice::from_raw_parts_mut(integers, count) };
    match combiner {
        abi::MPI_COMBINER_SUBARRAY => convert(integers.last_mut(), order_from_abi),
        abi::MPI_COMBINER_DARRAY => convert_darray(integers),
        _ => {}
    }
}

/// `size, rank, ndims, gsizes (unless they are large), distribs, dargs, psizes, order`.
fn convert_darray(integers: &mut [c_int]) {
    let dimensions = integers.get(2).map_or(0, |&dimensions| dimensions as usize);
    convert(integers.last_mut(), order_from_abi);
    let first = if integers.len() == 4 + 4 * dimensions { 3 + dimensions } else { 3 };
    for at in first..first + dimensions {
        convert(integers.get_mut(at), distribution_from_abi);
        convert(integers.get_mut(at + dimensions), distribution_argument_from_abi);
    }
}

fn convert(integer: Option<&mut c_int>, conversion: fn(c_int) -> c_int) {
    if let Some(integer) = integer {
        *integer = conversion(*integer);
    }
}
