//! Packing elements into bytes and back (section 5.2 of the standard), in the machine's own format.

use crate::arguments::{Number, array, not_null, put, size};
use crate::constants::{MPI_ERR_ARG, MPI_UNDEFINED};
use crate::error::{MpiError, Result};
use crate::frame::outcome;
use crate::rank;
use crate::region::Region;
use crate::types::{MPI_Comm, MPI_Count, MPI_Datatype};
use core::ffi::{c_int, c_void};

pub(crate) unsafe extern "C-unwind" fn MPI_Pack(
    inbuf: *const c_void,
    incount: c_int,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: c_int,
    position: *mut c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: the program hands over two buffers of these sizes and a position.
    unsafe { pack((inbuf, incount, datatype), Bytes { address: outbuf, size: outsize, position }, comm) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Pack_c(
    inbuf: *const c_void,
    incount: MPI_Count,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: MPI_Count,
    position: *mut MPI_Count,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: the program hands over two buffers of these sizes and a position.
    unsafe { pack((inbuf, incount, datatype), Bytes { address: outbuf, size: outsize, position }, comm) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Unpack(
    inbuf: *const c_void,
    insize: c_int,
    position: *mut c_int,
    outbuf: *mut c_void,
    outcount: c_int,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let bytes = Bytes { address: inbuf.cast_mut(), size: insize, position };
    // SAFETY: the program hands over two buffers of these sizes and a position.
    unsafe { unpack(bytes, (outbuf, outcount, datatype), comm) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Unpack_c(
    inbuf: *const c_void,
    insize: MPI_Count,
    position: *mut MPI_Count,
    outbuf: *mut c_void,
    outcount: MPI_Count,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let bytes = Bytes { address: inbuf.cast_mut(), size: insize, position };
    // SAFETY: the program hands over two buffers of these sizes and a position.
    unsafe { unpack(bytes, (outbuf, outcount, datatype), comm) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Pack_size(
    incount: c_int,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
    size: *mut c_int,
) -> c_int {
    // SAFETY: the program hands over a place for the answer.
    unsafe { pack_size(incount, datatype, comm, size) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Pack_size_c(
    incount: MPI_Count,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
    size: *mut MPI_Count,
) -> c_int {
    // SAFETY: the program hands over a place for the answer.
    unsafe { pack_size(incount, datatype, comm, size) }
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

/// Elements as an argument list has them: buffer, count, datatype.
pub(super) type Typed<B, N> = (B, N, MPI_Datatype);

pub(super) fn region<N: Number>(
    what: &str,
    (buffer, count, datatype): Typed<*const c_void, N>,
) -> Result<Region> {
    rank::with(|objects| Region::of_arguments(&objects.datatypes, what, buffer, count, datatype))
}

unsafe fn pack<N: Number>(from: Typed<*const c_void, N>, to: Bytes<N>, comm: MPI_Comm) -> c_int {
    outcome(comm, || {
        check_comm(comm)?;
        let mut packed = Vec::new();
        // SAFETY: the caller vouches for the buffers.
        unsafe {
            region("inbuf", from)?.pack(&mut packed);
            to.append(&packed)
        }
    })
}

unsafe fn unpack<N: Number>(
    from: Bytes<N>,
    (buffer, count, datatype): Typed<*mut c_void, N>,
    comm: MPI_Comm,
) -> c_int {
    outcome(comm, || {
        check_comm(comm)?;
        let region = region("outbuf", (buffer.cast_const(), count, datatype))?;
        // SAFETY: the caller vouches for the buffers.
        unsafe { region.unpack(from.next(region.bytes())?) };
        Ok(())
    })
}

unsafe fn pack_size<N: Number>(count: N, datatype: MPI_Datatype, comm: MPI_Comm, place: *mut N) -> c_int {
    outcome(comm, || {
        check_comm(comm)?;
        let count = crate::arguments::count("incount", count)?;
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
