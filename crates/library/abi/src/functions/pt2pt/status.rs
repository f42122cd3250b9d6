//! Reading a status, and setting it by hand.

use core::ffi::c_int;

use mpirage_data::Datatype;

use crate::constants::MPI_UNDEFINED;
use crate::frame;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{Number, count, not_null, put};
use crate::ground::error::Result;
use crate::rank::try_with;
use crate::types::*;

both_forms! {
    (status: ConstStatus, datatype: MPI_Datatype, count: CountPlace) {
        counted_as(status, datatype, count, |datatype, bytes| datatype.get_count(bytes))
    }:
        MPI_Get_count MPI_Get_count_c;
    (status: ConstStatus, datatype: MPI_Datatype, count: CountPlace) {
        counted_as(status, datatype, count, |datatype, bytes| datatype.elements(bytes))
    }:
        MPI_Get_elements MPI_Get_elements_c MPI_Get_elements_x;
    (status: StatusPlace, datatype: MPI_Datatype, count: Count) { set_elements(status, datatype, count) }:
        MPI_Status_set_elements MPI_Status_set_elements_c MPI_Status_set_elements_x;
}

pub(crate) unsafe extern "C-unwind" fn MPI_Status_set_cancelled(
    status: *mut MPI_Status,
    flag: c_int,
) -> c_int {
    // SAFETY: the program hands over a status.
    unsafe { change(status, |status| status.set_cancelled(flag != 0)) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Status_set_source(
    status: *mut MPI_Status,
    source: c_int,
) -> c_int {
    // SAFETY: the program hands over a status.
    unsafe { change(status, |status| status.MPI_SOURCE = source) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Status_set_tag(status: *mut MPI_Status, tag: c_int) -> c_int {
    // SAFETY: the program hands over a status.
    unsafe { change(status, |status| status.MPI_TAG = tag) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Status_set_error(status: *mut MPI_Status, err: c_int) -> c_int {
    // SAFETY: the program hands over a status.
    unsafe { change(status, |status| status.MPI_ERROR = err) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Status_get_source(
    status: *const MPI_Status,
    source: *mut c_int,
) -> c_int {
    // SAFETY: the program hands over a status and a place for an int.
    frame::outcome_at_any_time(|| unsafe { put("source", source, read(status)?.MPI_SOURCE) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Status_get_tag(
    status: *const MPI_Status,
    tag: *mut c_int,
) -> c_int {
    // SAFETY: the program hands over a status and a place for an int.
    frame::outcome_at_any_time(|| unsafe { put("tag", tag, read(status)?.MPI_TAG) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Status_get_error(
    status: *const MPI_Status,
    err: *mut c_int,
) -> c_int {
    // SAFETY: the program hands over a status and a place for an int.
    frame::outcome_at_any_time(|| unsafe { put("err", err, read(status)?.MPI_ERROR) })
}

/// # Safety
/// `status` is null or a status, `place` null or a place for a number.
unsafe fn counted_as<T: Number>(
    status: *const MPI_Status,
    datatype: MPI_Datatype,
    place: *mut T,
    in_units: impl FnOnce(&Datatype, usize) -> Option<u64>,
) -> c_int {
    frame::outcome(None, || {
        // SAFETY: the caller vouches for it.
        let bytes = unsafe { read(status) }?.bytes() as usize;
        let number = try_with(|objects| Ok(in_units(&objects.datatypes.get(datatype)?.datatype, bytes)))?;
        let number = number.and_then(|number| T::narrow(number as i64));
        let undefined = || T::narrow(MPI_UNDEFINED.into()).expect("MPI_UNDEFINED fits into every number");
        // SAFETY: the caller vouches for it.
        unsafe { put("count", place, number.unwrap_or_else(undefined)) }
    })
}

/// # Safety
/// `status` is null or a status.
unsafe fn set_elements(status: *mut MPI_Status, datatype: MPI_Datatype, number: impl Number) -> c_int {
    frame::outcome(None, || {
        not_null("status", status)?;
        let number = count("count", number)?;
        let size =
            try_with(|objects| Ok(size_of_elements(&objects.datatypes.get(datatype)?.datatype, number)))?;
        // SAFETY: not null, and the caller vouches for the rest.
        unsafe { (*status).set_bytes(size as u64) };
        Ok(())
    })
}

/// The bytes of so many basic elements of arrays of a datatype: the fewest of which there are that many.
fn size_of_elements(datatype: &Datatype, elements: usize) -> usize {
    let (size, each) = (datatype.size(), datatype.element_count() as usize);
    if each == 0 {
        return 0;
    }
    let whole = elements / each * size;
    let rest = (0..size).find(|&bytes| datatype.elements(bytes) == Some((elements % each) as u64));
    whole + rest.unwrap_or(0)
}

/// # Safety
/// `status` is null or a status.
unsafe fn change(status: *mut MPI_Status, change: impl FnOnce(&mut MPI_Status)) -> c_int {
    frame::outcome_at_any_time(|| {
        not_null("status", status)?;
        // SAFETY: not null, and the caller vouches for the rest.
        change(unsafe { &mut *status });
        Ok(())
    })
}

/// # Safety
/// `status` is null or a status.
unsafe fn read<'a>(status: *const MPI_Status) -> Result<&'a MPI_Status> {
    not_null("status", status)?;
    // SAFETY: not null, and the caller vouches for the rest.
    Ok(unsafe { &*status })
}

#[cfg(test)]
mod tests {
    use super::size_of_elements;
    use mpirage_data::{Basic, Datatype};

    #[test]
    fn elements_of_a_pair_count_one_by_one() {
        let pair = Datatype::basic(Basic::DoubleInt);
        assert_eq!([0, 1, 2, 3].map(|elements| size_of_elements(&pair, elements)), [0, 8, 12, 20]);
    }
}
