//! Memory that a program asks of MPI (section 9.2 of the standard): here it is ordinary memory.

use core::ffi::{c_int, c_void};

use crate::constants::*;
use crate::frame;
use crate::ground::arguments::{not_null, put};
use crate::ground::error::fail;
use crate::types::{MPI_Aint, MPI_Info};

pub(crate) unsafe extern "C-unwind" fn MPI_Alloc_mem(
    size: MPI_Aint,
    _info: MPI_Info,
    baseptr: *mut c_void,
) -> c_int {
    frame::outcome(None, || {
        not_null("baseptr", baseptr)?;
        let Ok(bytes) = usize::try_from(size) else { fail!(MPI_ERR_ARG, "size is {size}") };
        // SAFETY: malloc takes any size; a program may ask for none and expects something it can free.
        let memory = unsafe { libc::malloc(bytes.max(1)) };
        if memory.is_null() {
            fail!(MPI_ERR_NO_MEM, "there are no {size} bytes left");
        }
        // SAFETY: by MPI's convention `baseptr` points to a pointer.
        unsafe { put("baseptr", baseptr.cast::<*mut c_void>(), memory) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Free_mem(base: *mut c_void) -> c_int {
    frame::outcome(None, || {
        // SAFETY: the program hands back what MPI_Alloc_mem gave it, or nothing.
        unsafe { libc::free(base) };
        Ok(())
    })
}
