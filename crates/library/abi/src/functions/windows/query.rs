//! Properties of windows: names, groups, hints, error handlers.

use core::ffi::{c_char, c_int};

use super::about;
use crate::constants::*;
use crate::frame;
use crate::functions::groups::hand_out;
use crate::ground::arguments::{put, put_string, string};
use crate::ground::error::{MpiError, Result};
use crate::objects::{errhandler, window_hints};
use crate::rank;
use crate::types::*;

pub(crate) unsafe extern "C-unwind" fn MPI_Win_set_name(win: MPI_Win, win_name: *const c_char) -> c_int {
    frame::outcome_on(win, || {
        // SAFETY: the program hands over a string.
        let name = unsafe { string("win_name", win_name) }?.to_string_lossy().into_owned();
        about(win, |window| {
            window.name = name;
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_get_name(
    win: MPI_Win,
    win_name: *mut c_char,
    resultlen: *mut c_int,
) -> c_int {
    frame::outcome_on(win, || {
        let name = match win {
            MPI_WIN_NULL => "MPI_WIN_NULL".to_owned(),
            win => about(win, |window| Ok(window.name.clone()))?,
        };
        // SAFETY: the program hands over a string of MPI_MAX_OBJECT_NAME characters and a place for an int.
        unsafe {
            let length = put_string("win_name", win_name, MPI_MAX_OBJECT_NAME as usize, name.as_bytes())?;
            put("resultlen", resultlen, length as c_int)
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_get_group(win: MPI_Win, group: *mut MPI_Group) -> c_int {
    frame::outcome_on(win, || {
        let members = rank::try_with(|objects| {
            let comm = objects.windows.get(win)?.comm;
            Ok(objects.comms.get(comm)?.group.clone())
        })?;
        // SAFETY: the program hands over a place for a group.
        unsafe { hand_out(group, members) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_set_info(win: MPI_Win, info: MPI_Info) -> c_int {
    frame::outcome_on(win, || {
        rank::try_with(|objects| {
            let hints = objects.infos.hints(info)?;
            window_hints::update(&mut objects.windows.get_mut(win)?.hints, &hints);
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_get_info(win: MPI_Win, info_used: *mut MPI_Info) -> c_int {
    frame::outcome_on(win, || {
        let info = rank::try_with(|objects| {
            let hints = objects.windows.get(win)?.hints.clone();
            Ok(objects.infos.insert(hints))
        })?;
        // SAFETY: the program hands over a place for an info.
        unsafe { put("info_used", info_used, info) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_set_errhandler(
    win: MPI_Win,
    errhandler: MPI_Errhandler,
) -> c_int {
    frame::outcome_on(win, || {
        rank::try_with(|objects| {
            errhandler::find(&objects.errhandlers, errhandler)?.check_for_window()?;
            objects.windows.get_mut(win)?.errhandler = errhandler;
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_get_errhandler(
    win: MPI_Win,
    errhandler: *mut MPI_Errhandler,
) -> c_int {
    frame::outcome_on(win, || {
        let handle = about(win, |window| Ok(window.errhandler))?;
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("errhandler", errhandler, handle) }
    })
}

/// Succeeds if the handler returns, whatever the error is.
pub(crate) unsafe extern "C-unwind" fn MPI_Win_call_errhandler(win: MPI_Win, errorcode: c_int) -> c_int {
    if let Err(unusable) = usable(win, errorcode) {
        return frame::outcome_on(win, || Err(unusable));
    }
    let text = rank::with(|objects| objects.error_codes.text_of(errorcode).map(str::to_owned));
    let text = text.unwrap_or_else(|_| format!("error {errorcode}"));
    frame::outcome_on(win, || Err(MpiError::new(errorcode, text)));
    MPI_SUCCESS
}

fn usable(win: MPI_Win, errorcode: c_int) -> Result<()> {
    rank::try_with(|objects| {
        objects.windows.get(win)?;
        objects.error_codes.class_of(errorcode).map(drop)
    })
}
