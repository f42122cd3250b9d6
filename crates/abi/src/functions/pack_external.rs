//! Packing into the standard's own format and back (section 5.3 of the standard).

use super::pack::{Bytes, Typed, region};
use crate::arguments::{Number, count, put, string};
use crate::constants::{MPI_ERR_ARG, MPI_UNDEFINED};
use crate::error::{Result, ensure};
use crate::external32;
use crate::frame::outcome;
use crate::rank;
use crate::types::{MPI_Aint, MPI_Count, MPI_Datatype};
use core::ffi::{c_char, c_int, c_void};

pub(crate) unsafe extern "C-unwind" fn MPI_Pack_external(
    datarep: *const c_char,
    inbuf: *const c_void,
    incount: c_int,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: MPI_Aint,
    position: *mut MPI_Aint,
) -> c_int {
    let to = Bytes { address: outbuf, size: outsize, position };
    // SAFETY: the program hands over two buffers of these sizes and a position.
    unsafe { pack(datarep, (inbuf, incount, datatype), to) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Pack_external_c(
    datarep: *const c_char,
    inbuf: *const c_void,
    incount: MPI_Count,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: MPI_Count,
    position: *mut MPI_Count,
) -> c_int {
    let to = Bytes { address: outbuf, size: outsize, position };
    // SAFETY: the program hands over two buffers of these sizes and a position.
    unsafe { pack(datarep, (inbuf, incount, datatype), to) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Unpack_external(
    datarep: *const c_char,
    inbuf: *const c_void,
    insize: MPI_Aint,
    position: *mut MPI_Aint,
    outbuf: *mut c_void,
    outcount: c_int,
    datatype: MPI_Datatype,
) -> c_int {
    let from = Bytes { address: inbuf.cast_mut(), size: insize, position };
    // SAFETY: the program hands over two buffers of these sizes and a position.
    unsafe { unpack(datarep, from, (outbuf, outcount, datatype)) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Unpack_external_c(
    datarep: *const c_char,
    inbuf: *const c_void,
    insize: MPI_Count,
    position: *mut MPI_Count,
    outbuf: *mut c_void,
    outcount: MPI_Count,
    datatype: MPI_Datatype,
) -> c_int {
    let from = Bytes { address: inbuf.cast_mut(), size: insize, position };
    // SAFETY: the program hands over two buffers of these sizes and a position.
    unsafe { unpack(datarep, from, (outbuf, outcount, datatype)) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Pack_external_size(
    datarep: *const c_char,
    incount: c_int,
    datatype: MPI_Datatype,
    size: *mut MPI_Aint,
) -> c_int {
    // SAFETY: the program hands over a string and a place for the answer.
    unsafe { pack_size(datarep, incount, datatype, size) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Pack_external_size_c(
    datarep: *const c_char,
    incount: MPI_Count,
    datatype: MPI_Datatype,
    size: *mut MPI_Count,
) -> c_int {
    // SAFETY: the program hands over a string and a place for the answer.
    unsafe { pack_size(datarep, incount, datatype, size) }
}

unsafe fn pack<N: Number, S: Number>(
    datarep: *const c_char,
    from: Typed<*const c_void, N>,
    to: Bytes<S>,
) -> c_int {
    outcome(None, || {
        let mut packed = Vec::new();
        // SAFETY: the caller vouches for the string and the buffers.
        unsafe {
            check_representation(datarep)?;
            let region = region("inbuf", from)?;
            region.pack(&mut packed);
            to.append(&external32::encode(region.datatype(), &packed))
        }
    })
}

unsafe fn unpack<N: Number, S: Number>(
    datarep: *const c_char,
    from: Bytes<S>,
    (buffer, count, datatype): Typed<*mut c_void, N>,
) -> c_int {
    // SAFETY: the caller vouches for the string and the buffers.
    outcome(None, || unsafe {
        check_representation(datarep)?;
        let region = region("outbuf", (buffer.cast_const(), count, datatype))?;
        let external = from.next(external32::size(region.datatype()) * count.wide() as usize)?;
        region.unpack(&external32::decode(region.datatype(), external));
        Ok(())
    })
}

unsafe fn pack_size<N: Number, S: Number>(
    datarep: *const c_char,
    incount: N,
    datatype: MPI_Datatype,
    place: *mut S,
) -> c_int {
    outcome(None, || {
        // SAFETY: the caller vouches for the string.
        unsafe { check_representation(datarep) }?;
        let elements = count("incount", incount)?;
        let element = rank::try_with(|objects| Ok(external32::size(objects.datatypes.committed(datatype)?)))?;
        let bytes = element.checked_mul(elements).and_then(|bytes| S::narrow(bytes as i64));
        let undefined = || S::narrow(MPI_UNDEFINED.into()).expect("fits everywhere");
        // SAFETY: the caller vouches for it.
        unsafe { put("size", place, bytes.unwrap_or_else(undefined)) }
    })
}

/// Only one format is known besides the machine's own.
///
/// # Safety
/// Unless it is null, it is a string.
unsafe fn check_representation(datarep: *const c_char) -> Result<()> {
    // SAFETY: the caller vouches for it.
    let datarep = unsafe { string("datarep", datarep) }?;
    ensure(datarep == c"external32", MPI_ERR_ARG, || {
        format!("datarep is {datarep:?}; only \"external32\" is known")
    })
}
