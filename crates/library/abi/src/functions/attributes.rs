//! Attributes of communicators, datatypes and windows (section 7.7 of the standard).

use crate::constants::MPI_KEYVAL_INVALID;
use crate::frame::{outcome, outcome_at_any_time, outcome_on};
use crate::ground::arguments::{not_null, put};
use crate::ground::error::Result;
use crate::objects::Objects;
use crate::objects::keyval::{Attributes, Copying, Keyval, Owner, deleting};
use crate::objects::predefined_attributes;
use crate::rank;
use crate::types::*;
use core::ffi::{c_int, c_void};

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_create_keyval(
    comm_copy_attr_fn: Option<MPI_Comm_copy_attr_function>,
    comm_delete_attr_fn: Option<MPI_Comm_delete_attr_function>,
    comm_keyval: *mut c_int,
    extra_state: *mut c_void,
) -> c_int {
    let functions = (comm_copy_attr_fn, comm_delete_attr_fn);
    // SAFETY: the program hands over a place for the key.
    unsafe { create(Owner::Comm, functions, comm_keyval, extra_state) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_free_keyval(comm_keyval: *mut c_int) -> c_int {
    // SAFETY: the program points to a key.
    unsafe { free(Owner::Comm, comm_keyval) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_set_attr(
    comm: MPI_Comm,
    comm_keyval: c_int,
    attribute_val: *mut c_void,
) -> c_int {
    // SAFETY: the program vouches for its functions.
    outcome(comm, || unsafe { set(comm, comm_keyval, attribute_val) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_get_attr(
    comm: MPI_Comm,
    comm_keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    outcome(comm, || {
        let value = match predefined_attributes::is_predefined(comm_keyval) {
            true => {
                rank::with(|objects| objects.comms.get(comm).map(drop))?;
                rank::this().attributes.address(comm_keyval).map(|address| address.expose_provenance())
            }
            false => value(comm, comm_keyval)?,
        };
        // SAFETY: the program hands over places for a pointer and an int.
        unsafe { tell(value, attribute_val, flag) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_delete_attr(comm: MPI_Comm, comm_keyval: c_int) -> c_int {
    // SAFETY: the program vouches for its functions.
    outcome(comm, || unsafe { delete(comm, comm_keyval) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_keyval(
    type_copy_attr_fn: Option<MPI_Type_copy_attr_function>,
    type_delete_attr_fn: Option<MPI_Type_delete_attr_function>,
    type_keyval: *mut c_int,
    extra_state: *mut c_void,
) -> c_int {
    let functions = (type_copy_attr_fn, type_delete_attr_fn);
    // SAFETY: the program hands over a place for the key.
    unsafe { create(Owner::Datatype, functions, type_keyval, extra_state) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_free_keyval(type_keyval: *mut c_int) -> c_int {
    // SAFETY: the program points to a key.
    unsafe { free(Owner::Datatype, type_keyval) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_set_attr(
    datatype: MPI_Datatype,
    type_keyval: c_int,
    attribute_val: *mut c_void,
) -> c_int {
    // SAFETY: the program vouches for its functions.
    outcome(None, || unsafe { set(datatype, type_keyval, attribute_val) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_get_attr(
    datatype: MPI_Datatype,
    type_keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: the program hands over places for a pointer and an int.
    outcome(None, || unsafe { tell(value(datatype, type_keyval)?, attribute_val, flag) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_delete_attr(
    datatype: MPI_Datatype,
    type_keyval: c_int,
) -> c_int {
    // SAFETY: the program vouches for its functions.
    outcome(None, || unsafe { delete(datatype, type_keyval) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Keyval_create(
    copy_fn: Option<MPI_Copy_function>,
    delete_fn: Option<MPI_Delete_function>,
    keyval: *mut c_int,
    extra_state: *mut c_void,
) -> c_int {
    // SAFETY: the same function by its new name.
    unsafe { MPI_Comm_create_keyval(copy_fn, delete_fn, keyval, extra_state) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Keyval_free(keyval: *mut c_int) -> c_int {
    // SAFETY: the same function by its new name.
    unsafe { MPI_Comm_free_keyval(keyval) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Attr_put(
    comm: MPI_Comm,
    keyval: c_int,
    attribute_val: *mut c_void,
) -> c_int {
    // SAFETY: the same function by its new name.
    unsafe { MPI_Comm_set_attr(comm, keyval, attribute_val) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Attr_get(
    comm: MPI_Comm,
    keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: the same function by its new name.
    unsafe { MPI_Comm_get_attr(comm, keyval, attribute_val, flag) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Attr_delete(comm: MPI_Comm, keyval: c_int) -> c_int {
    // SAFETY: the same function by its new name.
    unsafe { MPI_Comm_delete_attr(comm, keyval) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_create_keyval(
    win_copy_attr_fn: Option<MPI_Win_copy_attr_function>,
    win_delete_attr_fn: Option<MPI_Win_delete_attr_function>,
    win_keyval: *mut c_int,
    extra_state: *mut c_void,
) -> c_int {
    let functions = (win_copy_attr_fn, win_delete_attr_fn);
    // SAFETY: the program hands over a place for the key.
    unsafe { create(Owner::Win, functions, win_keyval, extra_state) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_free_keyval(win_keyval: *mut c_int) -> c_int {
    // SAFETY: the program points to a key.
    unsafe { free(Owner::Win, win_keyval) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_set_attr(
    win: MPI_Win,
    win_keyval: c_int,
    attribute_val: *mut c_void,
) -> c_int {
    // SAFETY: the program vouches for its functions.
    outcome_on(win, || unsafe { set(win, win_keyval, attribute_val) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_get_attr(
    win: MPI_Win,
    win_keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    outcome_on(win, || {
        let fact = rank::try_with(|objects| Ok(objects.windows.get(win)?.facts.address(win_keyval)))?;
        let value = match fact {
            Some(address) => Some(address.expose_provenance()),
            None => value(win, win_keyval)?,
        };
        // SAFETY: the program hands over places for a pointer and an int.
        unsafe { tell(value, attribute_val, flag) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_delete_attr(win: MPI_Win, win_keyval: c_int) -> c_int {
    // SAFETY: the program vouches for its functions.
    outcome_on(win, || unsafe { delete(win, win_keyval) })
}

/// A handle of something that may have attributes.
trait Owning: Copy {
    const OWNER: Owner;
    fn word(self) -> usize;
    fn attributes(self, objects: &mut Objects) -> Result<&mut Attributes>;
}

impl Owning for MPI_Comm {
    const OWNER: Owner = Owner::Comm;

    fn word(self) -> usize {
        self.0
    }

    fn attributes(self, objects: &mut Objects) -> Result<&mut Attributes> {
        Ok(&mut objects.comms.get_mut(self)?.attributes)
    }
}

impl Owning for MPI_Datatype {
    const OWNER: Owner = Owner::Datatype;

    fn word(self) -> usize {
        self.0
    }

    fn attributes(self, objects: &mut Objects) -> Result<&mut Attributes> {
        Ok(&mut objects.datatypes.get_mut(self)?.attributes)
    }
}

impl Owning for MPI_Win {
    const OWNER: Owner = Owner::Win;

    fn word(self) -> usize {
        self.0
    }

    fn attributes(self, objects: &mut Objects) -> Result<&mut Attributes> {
        Ok(&mut objects.windows.get_mut(self)?.attributes)
    }
}

/// # Safety
/// `Object` is a handle. Unless it is null, the place can be written.
unsafe fn create<Object>(
    owner: Owner,
    (copy, delete): (Option<CopyAttribute<Object>>, Option<DeleteAttribute<Object>>),
    place: *mut c_int,
    extra_state: *mut c_void,
) -> c_int {
    outcome_at_any_time(|| {
        // SAFETY: handles are words, so the types of the functions differ in name only.
        let (copy, delete) = unsafe { (Copying::new(copy), deleting(delete)) };
        let keyval = Keyval { owner, copy, delete, extra_state: extra_state.expose_provenance() };
        // SAFETY: the caller vouches for it.
        unsafe { put("keyval", place, rank::with(|objects| objects.keyvals.insert(keyval))) }
    })
}

/// # Safety
/// Unless it is null, the place can be read and written.
unsafe fn free(owner: Owner, place: *mut c_int) -> c_int {
    outcome_at_any_time(|| {
        not_null("keyval", place)?;
        // SAFETY: not null, and the caller vouches for the rest.
        let key = unsafe { *place };
        rank::with(|objects| objects.keyvals.free(key, owner))?;
        // SAFETY: as above.
        unsafe { put("keyval", place, MPI_KEYVAL_INVALID) }
    })
}

/// The value that was there before is deleted first.
///
/// # Safety
/// The program's functions do what MPI says they do.
unsafe fn set<O: Owning>(object: O, key: c_int, value: *mut c_void) -> Result<()> {
    // SAFETY: the caller vouches for it.
    unsafe { run_deletion(object, key) }?;
    rank::try_with(|objects| {
        object.attributes(objects)?.set(key, value.expose_provenance());
        objects.keyvals.note_attached(key);
        Ok(())
    })
}

/// # Safety
/// The program's functions do what MPI says they do.
unsafe fn delete<O: Owning>(object: O, key: c_int) -> Result<()> {
    // SAFETY: the caller vouches for it.
    unsafe { run_deletion(object, key) }?;
    rank::try_with(|objects| {
        object.attributes(objects)?.remove(key);
        Ok(())
    })
}

unsafe fn run_deletion<O: Owning>(object: O, key: c_int) -> Result<()> {
    let deletion = rank::try_with(|objects| {
        let attributes = object.attributes(objects)?.clone();
        objects.keyvals.attached(key, O::OWNER, &attributes)?;
        Ok(attributes.deletion(key, &objects.keyvals))
    })?;
    // SAFETY: the caller vouches for it.
    unsafe { deletion.run(object.word()) }
}

fn value<O: Owning>(object: O, key: c_int) -> Result<Option<usize>> {
    rank::try_with(|objects| {
        let attributes = object.attributes(objects)?.clone();
        objects.keyvals.attached(key, O::OWNER, &attributes)?;
        Ok(attributes.get(key))
    })
}

/// # Safety
/// Unless null, the places can be written, the first one as a pointer.
unsafe fn tell(value: Option<usize>, attribute_val: *mut c_void, flag: *mut c_int) -> Result<()> {
    // SAFETY: the caller vouches for it.
    unsafe {
        if let Some(value) = value {
            put("attribute_val", attribute_val.cast(), value)?;
        }
        put("flag", flag, value.is_some().into())
    }
}
