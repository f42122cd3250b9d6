//! Error codes and classes (section 9.4 of the standard). They may be used at any time.

use crate::constants::{MPI_ERR_ARG, MPI_ERR_LASTCODE, MPI_LASTUSEDCODE, MPI_MAX_ERROR_STRING};
use crate::frame::outcome_at_any_time as outcome;
use crate::ground::arguments::{put, put_string, string};
use crate::ground::error::ensure;
use crate::rank;
use core::ffi::{c_char, c_int};

const TEXT_ROOM: usize = MPI_MAX_ERROR_STRING as usize;

pub(crate) unsafe extern "C-unwind" fn MPI_Error_class(errorcode: c_int, errorclass: *mut c_int) -> c_int {
    outcome(|| {
        let class = rank::with(|objects| objects.error_codes.class_of(errorcode))?;
        // SAFETY: the program hands over a place for an int.
        unsafe { put("errorclass", errorclass, class) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Error_string(
    errorcode: c_int,
    string: *mut c_char,
    resultlen: *mut c_int,
) -> c_int {
    outcome(|| {
        let text = rank::try_with(|objects| Ok(objects.error_codes.text_of(errorcode)?.to_owned()))?;
        // SAFETY: the program hands over MPI_MAX_ERROR_STRING characters and a place for an int.
        unsafe {
            let length = put_string("string", string, TEXT_ROOM, text.as_bytes())?;
            put("resultlen", resultlen, length as c_int)
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Add_error_class(errorclass: *mut c_int) -> c_int {
    outcome(|| {
        let class = rank::with(|objects| objects.error_codes.add_class());
        rank::this().attributes.set(MPI_LASTUSEDCODE, class);
        // SAFETY: the program hands over a place for an int.
        unsafe { put("errorclass", errorclass, class) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Add_error_code(errorclass: c_int, errorcode: *mut c_int) -> c_int {
    outcome(|| {
        let code = rank::with(|objects| objects.error_codes.add_code(errorclass))?;
        rank::this().attributes.set(MPI_LASTUSEDCODE, code);
        // SAFETY: the program hands over a place for an int.
        unsafe { put("errorcode", errorcode, code) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Add_error_string(
    errorcode: c_int,
    string: *const c_char,
) -> c_int {
    outcome(|| {
        // SAFETY: the program hands over a string.
        let text = unsafe { self::string("string", string) }?;
        let kept = &text.to_bytes()[..text.count_bytes().min(TEXT_ROOM - 1)];
        let text = String::from_utf8_lossy(kept).into_owned();
        rank::with(|objects| objects.error_codes.set_text(errorcode, Some(text)))
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Remove_error_class(errorclass: c_int) -> c_int {
    outcome(|| {
        rank::try_with(|objects| {
            let is_class = objects.error_codes.class_of(errorclass)? == errorclass;
            ensure(is_class && errorclass > MPI_ERR_LASTCODE, MPI_ERR_ARG, || {
                format!("{errorclass} is not an error class that was added")
            })?;
            objects.error_codes.remove(errorclass)
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Remove_error_code(errorcode: c_int) -> c_int {
    outcome(|| {
        rank::try_with(|objects| {
            let is_code = objects.error_codes.class_of(errorcode)? != errorcode;
            ensure(is_code, MPI_ERR_ARG, || format!("{errorcode} is not an error code that was added"))?;
            objects.error_codes.remove(errorcode)
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Remove_error_string(errorcode: c_int) -> c_int {
    outcome(|| rank::with(|objects| objects.error_codes.set_text(errorcode, None)))
}
