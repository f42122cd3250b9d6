//! Support for array sections of our `mpi_f08`: the descriptors of C, and datatypes of the MPI 5 ABI.

#![allow(non_snake_case, non_upper_case_globals)]

use core::ffi::{c_int, c_void};

use mpirage_front::library::misuse;

use super::descriptor::{Array, MOST_DIMENSIONS};

pub(super) type Datatype = usize;

/// The head of `CFI_cdesc_t`, as far as gfortran and flang agree; the dimensions follow.
#[repr(C)]
struct Head {
    address: *mut c_void,
    element_bytes: usize,
    version: c_int,
    rank: u8,
    others: [u8; 3],
}

/// `CFI_dim_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Dimension {
    lower: isize,
    extent: isize,
    stride: isize,
}

impl Dimension {
    /// How many elements; less than one in the last dimension of an array whose size is not known.
    pub(super) fn extent(&self) -> isize {
        self.extent
    }

    /// In bytes.
    pub(super) fn stride(&self) -> isize {
        self.stride
    }
}

/// # Safety
/// The address is that of a descriptor, which lives as long as the result.
pub(super) unsafe fn array<'a>(descriptor: *const c_void) -> Array<'a> {
    // SAFETY: the caller vouches for it.
    unsafe {
        let head = &*descriptor.cast::<Head>();
        let rank = usize::from(head.rank);
        if rank > MOST_DIMENSIONS {
            misuse(
                "the Fortran compiler's array descriptors are not those of gfortran or flang; use the module mpi",
            );
        }
        let first = descriptor.cast::<Head>().add(1).cast::<Dimension>();
        let dimensions = core::slice::from_raw_parts(first, rank);
        Array { address: head.address, element_bytes: head.element_bytes as isize, span: 1, dimensions }
    }
}

/// `MPI_F_sync_reg` of `mpi_f08`: being called is enough.
#[unsafe(no_mangle)]
extern "C-unwind" fn mpi_f_sync_reg_f08ts_(_buffer: *mut c_void) {}

/// The functions of C that make datatypes.
pub(super) mod c {
    use core::ffi::c_int;

    use mpirage_front::body;

    use super::Datatype;

    /// Positions in the table of functions, made by `build.rs`.
    mod index {
        include!(concat!(env!("OUT_DIR"), "/datatype_functions.rs"));
    }

    macro_rules! functions {
        ($($name:ident($($argument:ident: $of:ty),*);)*) => {$(
            pub(crate) unsafe fn $name($($argument: $of),*) -> c_int {
                // SAFETY: the type is that of the body in the table; the caller vouches for the arguments.
                unsafe { body!(index::$name, unsafe extern "C-unwind" fn($($of),*) -> c_int)($($argument),*) }
            }
        )*};
    }

    functions! {
        MPI_Type_size_c(datatype: Datatype, size: *mut i64);
        MPI_Type_contiguous_c(count: i64, of: Datatype, new: *mut Datatype);
        MPI_Type_create_hvector_c(count: i64, length: i64, stride: i64, of: Datatype, new: *mut Datatype);
        MPI_Type_create_hindexed_block_c(count: i64, length: i64, places: *const i64, of: Datatype, new: *mut Datatype);
        MPI_Type_create_resized_c(of: Datatype, lower: i64, extent: i64, new: *mut Datatype);
        MPI_Type_commit(datatype: *mut Datatype);
        MPI_Type_free(datatype: *mut Datatype);
    }
}
