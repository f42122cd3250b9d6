//! Packing into the standard's own format and back (section 5.3 of the standard).

use super::pack::{Bytes, region};
use crate::constants::{MPI_ERR_ARG, MPI_UNDEFINED};
use crate::frame::outcome;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{Number, count, put, string};
use crate::ground::error::{Result, ensure};
use crate::operations::external32;
use crate::rank;
use crate::types::{MPI_Aint, MPI_Count, MPI_Datatype};
use core::ffi::{c_char, c_int, c_void};

both_forms! {
    (datarep: Text, inbuf: ConstBuffer, incount: Count, datatype: MPI_Datatype, outbuf: Buffer, outsize: Aint,
     position: AintPlace) {
        let to = Bytes { address: outbuf, size: outsize, position };
        outcome(None, || {
            check_representation(datarep)?;
            let region = region("inbuf", (inbuf, incount, datatype))?;
            let mut packed = Vec::new();
            region.pack(&mut packed);
            to.append(&external32::encode(region.datatype(), &packed))
        })
    }:
        MPI_Pack_external MPI_Pack_external_c;
    (datarep: Text, inbuf: ConstBuffer, insize: Aint, position: AintPlace, outbuf: Buffer, outcount: Count,
     datatype: MPI_Datatype) {
        let from = Bytes { address: inbuf.cast_mut(), size: insize, position };
        outcome(None, || {
            check_representation(datarep)?;
            let region = region("outbuf", (outbuf.cast_const(), outcount, datatype))?;
            let external = from.next(external32::size(region.datatype()) * outcount.wide() as usize)?;
            region.unpack(&external32::decode(region.datatype(), external));
            Ok(())
        })
    }:
        MPI_Unpack_external MPI_Unpack_external_c;
    (datarep: Text, incount: Count, datatype: MPI_Datatype, size: AintPlace) {
        pack_size(datarep, incount, datatype, size)
    }:
        MPI_Pack_external_size MPI_Pack_external_size_c;
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
