//! Packing elements into bytes and back (section 5.2 of the standard), in the machine's own format.

use crate::constants::{MPI_ERR_ARG, MPI_UNDEFINED};
use crate::frame::outcome;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{Number, array, not_null, put, size};
use crate::ground::error::{MpiError, Result};
use crate::operations::region::Region;
use crate::rank;
use crate::types::{MPI_Comm, MPI_Count, MPI_Datatype};
use core::ffi::{c_int, c_void};

both_forms! {
    (inbuf: ConstBuffer, incount: Count, datatype: MPI_Datatype, outbuf: Buffer, outsize: Count,
     position: CountPlace, comm: MPI_Comm) {
        let to = Bytes { address: outbuf, size: outsize, position };
        outcome(comm, || {
            check_comm(comm)?;
            to.append_region(&region("inbuf", (inbuf, incount, datatype))?)
        })
    }:
        MPI_Pack MPI_Pack_c;
    (inbuf: ConstBuffer, insize: Count, position: CountPlace, outbuf: Buffer, outcount: Count,
     datatype: MPI_Datatype, comm: MPI_Comm) {
        let from = Bytes { address: inbuf.cast_mut(), size: insize, position };
        outcome(comm, || {
            check_comm(comm)?;
            let region = region("outbuf", (outbuf.cast_const(), outcount, datatype))?;
            region.unpack(from.next(region.bytes())?);
            Ok(())
        })
    }:
        MPI_Unpack MPI_Unpack_c;
    (incount: Count, datatype: MPI_Datatype, comm: MPI_Comm, size: CountPlace) {
        pack_size(incount, datatype, comm, size)
    }:
        MPI_Pack_size MPI_Pack_size_c;
}

/// The program's buffer of packed bytes, and how far it is.
pub(super) struct Bytes<N> {
    pub address: *mut c_void,
    pub size: N,
    pub position: *mut N,
}

impl<N: Number> Bytes<N> {
    /// Appends packed bytes.
    ///
    /// # Safety
    /// The buffer has its size, and the position can be read and written.
    pub unsafe fn append(&self, packed: &[u8]) -> Result<()> {
        // SAFETY: the caller vouches for it; there is room, as `take` has made sure.
        unsafe {
            let start = self.take(packed.len())?;
            packed.as_ptr().copy_to(start, packed.len());
        }
        Ok(())
    }

    /// Appends the packed bytes of elements.
    ///
    /// # Safety
    /// The buffer has its size, the position can be read and written, and the elements are there.
    pub unsafe fn append_region(&self, region: &Region) -> Result<()> {
        // SAFETY: the caller vouches for it; there is room, as `take` has made sure.
        unsafe {
            let start = self.take(region.bytes())?;
            if region.touches(start.addr(), region.bytes()) {
                // MPI forbids it, but the result should not depend on how bytes are copied.
                let mut packed = Vec::new();
                region.pack(&mut packed);
                packed.as_ptr().copy_to(start, packed.len());
            } else {
                region.pack_to(start);
            }
        }
        Ok(())
    }

    /// The next `length` bytes.
    ///
    /// # Safety
    /// The buffer has its size, and the position can be read and written.
    pub unsafe fn next<'a>(&self, length: usize) -> Result<&'a [u8]> {
        // SAFETY: the caller vouches for it; so many bytes are there, as `take` has made sure.
        unsafe { array("inbuf", self.take(length)?, length) }
    }

    /// Moves the position on, and returns where it was.
    unsafe fn take(&self, length: usize) -> Result<*mut u8> {
        not_null("position", self.position)?;
        // SAFETY: not null, and the caller vouches for the rest.
        let position = size("position", unsafe { *self.position })?;
        let room = size("size", self.size)?;
        let end = position.checked_add(length).filter(|&end| end <= room);
        let too_small = || format!("{length} bytes at position {position} do not fit in a buffer of {room}");
        let end = end.ok_or_else(|| MpiError::new(MPI_ERR_ARG, too_small()))?;
        if length > 0 {
            not_null("the buffer of packed data", self.address)?;
        }
        let narrow = N::narrow(end as i64).expect("at most the size, which has the same type");
        // SAFETY: as above; the position is at most the size of the buffer.
        unsafe {
            put("position", self.position, narrow)?;
            Ok(self.address.cast::<u8>().wrapping_add(position))
        }
    }
}

/// The elements that three arguments describe: buffer, count, datatype.
pub(super) fn region(
    what: &str,
    (buffer, count, datatype): (*const c_void, impl Number, MPI_Datatype),
) -> Result<Region> {
    rank::with(|objects| Region::of_arguments(&objects.datatypes, what, buffer, count, datatype))
}

unsafe fn pack_size<N: Number>(count: N, datatype: MPI_Datatype, comm: MPI_Comm, place: *mut N) -> c_int {
    outcome(comm, || {
        check_comm(comm)?;
        let count = crate::ground::arguments::count("incount", count)?;
        let bytes = rank::try_with(|objects| {
            Ok(Region::new(0, count, objects.datatypes.committed(datatype)?)?.bytes())
        })?;
        let undefined = || N::narrow(MPI_UNDEFINED.into()).expect("fits everywhere");
        // SAFETY: the caller vouches for it.
        unsafe { put("size", place, N::narrow(bytes as i64).unwrap_or_else(undefined)) }
    })
}

fn check_comm(comm: MPI_Comm) -> Result<()> {
    rank::with(|objects| objects.comms.get(comm).map(drop))
}
