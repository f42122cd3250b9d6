//! The C library's own timers, behind ours.

use core::ffi::{CStr, c_int, c_void};
use core::mem::transmute;

use libc::{clockid_t, itimerspec, sigevent};

/// Defines functions that call the C library's function of the same name.
macro_rules! next {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(pub(super) fn $name($($argument: $type),*) -> c_int {
            const NAME: &CStr = match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => unreachable!(),
            };
            // SAFETY: a name with its end; what is found under it is the C library's function of this type, and it checks what
            // the program hands over.
            unsafe {
                let address = libc::dlsym(libc::RTLD_NEXT, NAME.as_ptr());
                if address.is_null() {
                    *libc::__errno_location() = libc::ENOSYS;
                    return -1;
                }
                transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> c_int>(address)($($argument),*)
            }
        })*
    };
}

next! {
    timer_create(clock: clockid_t, event: *mut sigevent, place: *mut *mut c_void);
    timer_settime(timer: *mut c_void, flags: c_int, new: *const itimerspec, old: *mut itimerspec);
    timer_gettime(timer: *mut c_void, place: *mut itimerspec);
    timer_getoverrun(timer: *mut c_void);
    timer_delete(timer: *mut c_void);
}
