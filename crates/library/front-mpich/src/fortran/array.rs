//! Support for array sections of MPICH's `mpi_f08`: gfortran's own descriptors, and MPICH's datatypes.

use core::ffi::{c_int, c_void};

use mpirage_front::library::misuse;

use super::descriptor::{Array, MOST_DIMENSIONS};

pub(super) use crate::dialect::Datatype;
pub(super) use crate::translations as c;

/// The head of gfortran's descriptor; the dimensions follow.
#[repr(C)]
struct Head {
    address: *mut c_void,
    offset: isize,
    element_bytes: usize,
    version: c_int,
    rank: i8,
    of: i8,
    attribute: i16,
    /// The unit of strides, in bytes.
    span: isize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Dimension {
    stride: isize,
    lower: isize,
    upper: isize,
}

impl Dimension {
    /// How many elements; less than one in the last dimension of an array whose size is not known.
    pub(super) fn extent(&self) -> isize {
        self.upper - self.lower + 1
    }

    pub(super) fn stride(&self) -> isize {
        self.stride
    }
}

/// # Safety
/// The address is that of a descriptor of gfortran, which lives as long as the result.
pub(super) unsafe fn array<'a>(descriptor: *const c_void) -> Array<'a> {
    // SAFETY: the caller vouches for it.
    unsafe {
        let head = &*descriptor.cast::<Head>();
        let rank = usize::try_from(head.rank).unwrap_or(usize::MAX);
        if head.version != 0 || rank > MOST_DIMENSIONS {
            misuse(
                "the program was compiled with mpi_f08 by another compiler than gfortran, whose array descriptors mpirage does not know; \
                 `mpirage fc` compiles it with mpirage's modules",
            );
        }
        let first = descriptor.cast::<Head>().add(1).cast::<Dimension>();
        let element_bytes = head.element_bytes as isize;
        let span = if head.span == 0 { element_bytes } else { head.span };
        let dimensions = core::slice::from_raw_parts(first, rank);
        Array { address: head.address, element_bytes, span, dimensions }
    }
}
