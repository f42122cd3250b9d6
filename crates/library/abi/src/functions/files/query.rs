//! Properties of files: modes, groups, hints, error handlers.

use core::ffi::c_int;

use super::about;
use crate::constants::*;
use crate::frame;
use crate::functions::groups::hand_out;
use crate::ground::arguments::put;
use crate::ground::error::{MpiError, Result};
use crate::objects::errhandler;
use crate::objects::info::Info;
use crate::rank;
use crate::types::*;

/// Hints that files have without being asked: ROMIO's names and values.
const USUAL: [(&str, &str); 10] = [
    ("cb_buffer_size", "16777216"),
    ("romio_cb_read", "automatic"),
    ("romio_cb_write", "automatic"),
    ("romio_no_indep_rw", "false"),
    ("romio_cb_pfr", "disable"),
    ("ind_rd_buffer_size", "4194304"),
    ("ind_wr_buffer_size", "524288"),
    ("romio_ds_read", "automatic"),
    ("romio_ds_write", "automatic"),
    ("cb_config_list", "*:1"),
];
/// Hints that a program may set: those above, the number of aggregators, and the stripes of a file.
const SETTABLE: [&str; 4] = ["cb_nodes", "striping_factor", "striping_unit", "romio_filesystem_type"];

pub(crate) unsafe extern "C-unwind" fn MPI_File_get_amode(fh: MPI_File, amode: *mut c_int) -> c_int {
    frame::outcome_of_file(fh, || {
        let mode = about(fh, |file| Ok(file.amode))?;
        // SAFETY: the program hands over a place for an int.
        unsafe { put("amode", amode, mode) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_get_group(fh: MPI_File, group: *mut MPI_Group) -> c_int {
    frame::outcome_of_file(fh, || {
        let members = rank::try_with(|objects| {
            let comm = objects.files.get(fh)?.comm;
            Ok(objects.comms.get(comm)?.group.clone())
        })?;
        // SAFETY: the program hands over a place for a group.
        unsafe { hand_out(group, members) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_set_info(fh: MPI_File, info: MPI_Info) -> c_int {
    frame::outcome_of_file(fh, || {
        rank::try_with(|objects| {
            let hints = objects.infos.hints(info)?;
            let file = objects.files.get_mut(fh)?;
            for key in hints.keys() {
                if let Some(value) = hints.get(key) {
                    file.hints.set(key, value);
                }
            }
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_get_info(fh: MPI_File, info_used: *mut MPI_Info) -> c_int {
    frame::outcome_of_file(fh, || {
        let info = rank::try_with(|objects| {
            let file = objects.files.get(fh)?;
            let hints = in_use(&file.hints, objects.comms.get(file.comm)?.group.size());
            Ok(objects.infos.insert(hints))
        })?;
        // SAFETY: the program hands over a place for an info.
        unsafe { put("info_used", info_used, info) }
    })
}

/// The hints that count: what the library knows, with the program's values.
fn in_use(given: &Info, processes: u32) -> Info {
    let mut used = Info::default();
    for (key, value) in USUAL {
        used.set(key.as_bytes(), given.get(key.as_bytes()).unwrap_or(value.as_bytes()));
    }
    used.set(b"cb_nodes", processes.to_string().as_bytes());
    for key in SETTABLE {
        if let Some(value) = given.get(key.as_bytes()) {
            used.set(key.as_bytes(), value);
        }
    }
    used
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_set_errhandler(
    file: MPI_File,
    errhandler: MPI_Errhandler,
) -> c_int {
    frame::outcome_of_file(file, || {
        rank::try_with(|objects| {
            errhandler::find(&objects.errhandlers, errhandler)?.check_for_file()?;
            match file {
                MPI_FILE_NULL => objects.files.errhandler = errhandler,
                file => objects.files.get_mut(file)?.errhandler = errhandler,
            }
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_get_errhandler(
    file: MPI_File,
    errhandler: *mut MPI_Errhandler,
) -> c_int {
    frame::outcome_of_file(file, || {
        let handle = rank::try_with(|objects| match file {
            MPI_FILE_NULL => Ok(objects.files.errhandler),
            file => Ok(objects.files.get(file)?.errhandler),
        })?;
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("errhandler", errhandler, handle) }
    })
}

/// Succeeds if the handler returns, whatever the error is.
pub(crate) unsafe extern "C-unwind" fn MPI_File_call_errhandler(fh: MPI_File, errorcode: c_int) -> c_int {
    if let Err(unusable) = usable(fh, errorcode) {
        return frame::outcome_of_file(fh, || Err(unusable));
    }
    let text = rank::with(|objects| objects.error_codes.text_of(errorcode).map(str::to_owned));
    let text = text.unwrap_or_else(|_| format!("error {errorcode}"));
    frame::outcome_of_file(fh, || Err(MpiError::new(errorcode, text)));
    MPI_SUCCESS
}

fn usable(fh: MPI_File, errorcode: c_int) -> Result<()> {
    rank::try_with(|objects| {
        if fh != MPI_FILE_NULL {
            objects.files.get(fh)?;
        }
        objects.error_codes.class_of(errorcode).map(drop)
    })
}
