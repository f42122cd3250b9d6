//! Queries about the MPI 5 ABI and the hardware (sections 9.1 and 20.2 of the standard).

use core::ffi::{c_int, c_void};

use crate::constants::*;
use crate::frame;
use crate::functions::communicators::HOST_RESOURCES;
use crate::ground::arguments::put;
use crate::ground::error::{Result, fail};
use crate::objects::info::Info;
use crate::rank::{try_with, with};
use crate::types::*;

/// Sizes in bytes of types of C that the ABI leaves to the platform.
const SIZES: [(&str, usize); 3] = [
    ("mpi_aint_size", size_of::<MPI_Aint>()),
    ("mpi_count_size", size_of::<MPI_Count>()),
    ("mpi_offset_size", size_of::<MPI_Offset>()),
];

/// Sizes in bytes of types of Fortran, as gfortran has them.
const FORTRAN_SIZES: [(&str, usize); 4] = [
    ("mpi_logical_size", 4),
    ("mpi_integer_size", 4),
    ("mpi_real_size", 4),
    ("mpi_double_precision_size", 8),
];

/// Fortran's types that a library may lack: this one has all, whether the compiler has them or not.
const FORTRAN_TYPES: [&str; 19] = [
    "mpi_logical1_supported",
    "mpi_logical2_supported",
    "mpi_logical4_supported",
    "mpi_logical8_supported",
    "mpi_logical16_supported",
    "mpi_integer1_supported",
    "mpi_integer2_supported",
    "mpi_integer4_supported",
    "mpi_integer8_supported",
    "mpi_integer16_supported",
    "mpi_real2_supported",
    "mpi_real4_supported",
    "mpi_real8_supported",
    "mpi_real16_supported",
    "mpi_complex4_supported",
    "mpi_complex8_supported",
    "mpi_complex16_supported",
    "mpi_complex32_supported",
    "mpi_double_complex_supported",
];

pub(crate) unsafe extern "C-unwind" fn MPI_Abi_get_info(info: *mut MPI_Info) -> c_int {
    frame::outcome_at_any_time(|| {
        let mut about = Info::default();
        set_sizes(&mut about, &SIZES);
        // SAFETY: the program hands over a place for an info.
        unsafe { put("info", info, with(|objects| objects.infos.insert(about))) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Abi_get_fortran_info(info: *mut MPI_Info) -> c_int {
    frame::outcome_at_any_time(|| {
        let mut about = Info::default();
        set_sizes(&mut about, &FORTRAN_SIZES);
        FORTRAN_TYPES.iter().for_each(|name| about.set(name.as_bytes(), b"true"));
        // SAFETY: the program hands over a place for an info.
        unsafe { put("info", info, with(|objects| objects.infos.insert(about))) }
    })
}

/// The library has its answers already: the Fortran that it is built with cannot be changed.
pub(crate) unsafe extern "C-unwind" fn MPI_Abi_set_fortran_info(info: MPI_Info) -> c_int {
    frame::outcome_at_any_time(|| {
        try_with(|objects| objects.infos.get(info).map(drop))?;
        fail!(MPI_ERR_ABI, "the Fortran information is set already")
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Abi_get_fortran_booleans(
    logical_size: c_int,
    logical_true: *mut c_void,
    logical_false: *mut c_void,
    is_set: *mut c_int,
) -> c_int {
    frame::outcome_at_any_time(|| {
        // SAFETY: the program hands over places for two values of that size, and for an int.
        unsafe {
            put_logical(logical_size, logical_true, 1)?;
            put_logical(logical_size, logical_false, 0)?;
            put("is_set", is_set, 1)
        }
    })
}

/// As for the Fortran information.
pub(crate) unsafe extern "C-unwind" fn MPI_Abi_set_fortran_booleans(
    _logical_size: c_int,
    _logical_true: *mut c_void,
    _logical_false: *mut c_void,
) -> c_int {
    frame::outcome_at_any_time(|| fail!(MPI_ERR_ABI, "the Fortran booleans are set already"))
}

/// The resources that ranks can share, and that each rank runs on one of each.
pub(crate) unsafe extern "C-unwind" fn MPI_Get_hw_resource_info(hw_info: *mut MPI_Info) -> c_int {
    frame::outcome_at_any_time(|| {
        let mut about = Info::default();
        HOST_RESOURCES.iter().for_each(|resource| about.set(resource.as_bytes(), b"true"));
        // SAFETY: the program hands over a place for an info.
        unsafe { put("hw_info", hw_info, with(|objects| objects.infos.insert(about))) }
    })
}

fn set_sizes(info: &mut Info, sizes: &[(&str, usize)]) {
    sizes.iter().for_each(|(name, size)| info.set(name.as_bytes(), size.to_string().as_bytes()));
}

/// Stores a logical of Fortran.
///
/// # Safety
/// The place is null or has that many bytes.
unsafe fn put_logical(size: c_int, place: *mut c_void, value: i64) -> Result<()> {
    // SAFETY: the caller vouches for the place.
    unsafe {
        match size {
            1 => put("a logical", place.cast(), value as i8),
            2 => put("a logical", place.cast(), value as i16),
            4 => put("a logical", place.cast(), value as i32),
            8 => put("a logical", place.cast(), value),
            other => fail!(MPI_ERR_ARG, "logical_size is {other}, but must be 1, 2, 4 or 8"),
        }
    }
}
