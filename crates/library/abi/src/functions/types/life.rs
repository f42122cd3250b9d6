//! Committing, duplicating, naming and freeing datatypes.

use crate::constants::{MPI_DATATYPE_NULL, MPI_MAX_OBJECT_NAME};
use crate::frame::outcome;
use crate::ground::arguments::{not_null, put, put_string, string};
use crate::objects::datatype::DatatypeObject;
use crate::rank;
use crate::types::MPI_Datatype;
use core::ffi::{c_char, c_int};

const NAME_ROOM: usize = MPI_MAX_OBJECT_NAME as usize;

pub(crate) unsafe extern "C-unwind" fn MPI_Type_commit(datatype: *mut MPI_Datatype) -> c_int {
    outcome(None, || {
        not_null("datatype", datatype)?;
        // SAFETY: not null, and the program points to a handle.
        let handle = unsafe { *datatype };
        rank::try_with(|objects| {
            objects.datatypes.get_mut(handle)?.committed = true;
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_dup(
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    outcome(None, || {
        let (object, copies) = rank::try_with(|objects| {
            let object = objects.datatypes.get(oldtype)?;
            Ok((object.clone(), object.attributes.copies(&objects.keyvals)))
        })?;
        // SAFETY: the program hands over a place for the handle, which is null unless all goes well.
        unsafe { put("newtype", newtype, MPI_DATATYPE_NULL) }?;
        // SAFETY: the program vouches for its functions.
        let attributes = unsafe { copies.run(oldtype.0) }?;
        let duplicate = DatatypeObject {
            attributes,
            committed: object.committed,
            ..DatatypeObject::derived(object.datatype.dup())
        };
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("newtype", newtype, rank::with(|objects| objects.datatypes.insert(duplicate))) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_free(datatype: *mut MPI_Datatype) -> c_int {
    outcome(None, || {
        not_null("datatype", datatype)?;
        // SAFETY: not null, and the program points to a handle.
        let handle = unsafe { *datatype };
        let deletions = rank::try_with(|objects| {
            let object = objects.datatypes.get_derived(handle)?;
            Ok(object.attributes.deletions(&objects.keyvals))
        })?;
        // SAFETY: the program vouches for its functions.
        unsafe { deletions.run(handle.0) }?;
        rank::with(|objects| objects.datatypes.remove(handle))?;
        // SAFETY: as above.
        unsafe { put("datatype", datatype, MPI_DATATYPE_NULL) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_set_name(
    datatype: MPI_Datatype,
    type_name: *const c_char,
) -> c_int {
    outcome(None, || {
        // SAFETY: the program hands over a string.
        let name = unsafe { string("type_name", type_name) }?;
        let kept = &name.to_bytes()[..name.count_bytes().min(NAME_ROOM - 1)];
        let name = String::from_utf8_lossy(kept).into_owned();
        rank::try_with(|objects| {
            objects.datatypes.get_mut(datatype)?.name = name;
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_get_name(
    datatype: MPI_Datatype,
    type_name: *mut c_char,
    resultlen: *mut c_int,
) -> c_int {
    outcome(None, || {
        let name = match datatype {
            MPI_DATATYPE_NULL => "MPI_DATATYPE_NULL".into(),
            _ => rank::try_with(|objects| Ok(objects.datatypes.get(datatype)?.name.clone()))?,
        };
        // SAFETY: the program hands over MPI_MAX_OBJECT_NAME characters and a place for an int.
        unsafe {
            let length = put_string("type_name", type_name, NAME_ROOM, name.as_bytes())?;
            put("resultlen", resultlen, length as c_int)
        }
    })
}
