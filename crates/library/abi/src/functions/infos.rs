//! Info objects (chapter 10 of the standard). They may be used at any time, also before `MPI_Init`.

use crate::constants::*;
use crate::frame::outcome_at_any_time as outcome;
use crate::ground::arguments::{array, not_null, put, put_string, size, string};
use crate::ground::error::{MpiError, Result, ensure};
use crate::objects::info::Info;
use crate::rank;
use crate::types::MPI_Info;
use core::ffi::{CStr, c_char, c_int};

pub(crate) unsafe extern "C-unwind" fn MPI_Info_create(info: *mut MPI_Info) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    outcome(|| unsafe { hand_out(info, Info::default()) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Info_create_env(
    argc: c_int,
    argv: *mut *mut c_char,
    info: *mut MPI_Info,
) -> c_int {
    outcome(|| {
        let mut environment = rank::with(|objects| objects.infos.environment());
        let words = size("argc", argc)?;
        if !argv.is_null() && words > 0 {
            // SAFETY: not null, and the program hands over the arguments of its `main`.
            let words = unsafe { array("argv", argv, words) }?;
            // SAFETY: as above.
            let words = words.iter().map(|&word| unsafe { string("argv", word) });
            let words = words.collect::<Result<Vec<&CStr>>>()?;
            environment.set(b"command", words[0].to_bytes());
        }
        // SAFETY: the program hands over a place for the handle.
        unsafe { hand_out(info, environment) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Info_dup(info: MPI_Info, newinfo: *mut MPI_Info) -> c_int {
    outcome(|| {
        let duplicate = rank::with(|objects| objects.infos.get(info).cloned())?;
        // SAFETY: the program hands over a place for the handle.
        unsafe { hand_out(newinfo, duplicate) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Info_free(info: *mut MPI_Info) -> c_int {
    outcome(|| {
        not_null("info", info)?;
        // SAFETY: not null, and the program points to a handle.
        let handle = unsafe { *info };
        rank::with(|objects| objects.infos.remove(handle))?;
        // SAFETY: as above.
        unsafe { put("info", info, MPI_INFO_NULL) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Info_set(
    info: MPI_Info,
    key: *const c_char,
    value: *const c_char,
) -> c_int {
    outcome(|| {
        // SAFETY: the program hands over two strings.
        let (key, value) = unsafe { (self::key(key)?, string("value", value)?.to_bytes()) };
        ensure(value.len() < MPI_MAX_INFO_VAL as usize, MPI_ERR_INFO_VALUE, || {
            format!("the value of \"{}\" has {} characters", key.escape_ascii(), value.len())
        })?;
        rank::try_with(|objects| {
            objects.infos.get_mut(info)?.set(key, value);
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Info_delete(info: MPI_Info, key: *const c_char) -> c_int {
    outcome(|| {
        // SAFETY: the program hands over a string.
        let key = unsafe { self::key(key) }?;
        let deleted = rank::try_with(|objects| Ok(objects.infos.get_mut(info)?.delete(key)))?;
        ensure(deleted, MPI_ERR_INFO_NOKEY, || format!("there is no key \"{}\"", key.escape_ascii()))
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Info_get(
    info: MPI_Info,
    key: *const c_char,
    valuelen: c_int,
    value: *mut c_char,
    flag: *mut c_int,
) -> c_int {
    outcome(|| {
        let room = size("valuelen", valuelen)? + 1;
        // SAFETY: the program hands over a key, `valuelen` + 1 characters and a place for an int.
        unsafe {
            let found = find(info, key, flag)?;
            found.map_or(Ok(()), |found| put_string("value", value, room, &found).map(drop))
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Info_get_string(
    info: MPI_Info,
    key: *const c_char,
    buflen: *mut c_int,
    value: *mut c_char,
    flag: *mut c_int,
) -> c_int {
    outcome(|| {
        not_null("buflen", buflen)?;
        // SAFETY: the program hands over a key, a place for an int, so many characters, and another place for an int.
        unsafe {
            let room = size("buflen", *buflen)?;
            let Some(found) = find(info, key, flag)? else { return Ok(()) };
            put("buflen", buflen, found.len() as c_int + 1)?;
            if room > 0 {
                put_string("value", value, room, &found)?;
            }
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Info_get_valuelen(
    info: MPI_Info,
    key: *const c_char,
    valuelen: *mut c_int,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: the program hands over a key and places for two ints.
    outcome(|| unsafe {
        let found = find(info, key, flag)?;
        found.map_or(Ok(()), |found| put("valuelen", valuelen, found.len() as c_int))
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Info_get_nkeys(info: MPI_Info, nkeys: *mut c_int) -> c_int {
    outcome(|| {
        let keys = rank::try_with(|objects| Ok(objects.infos.get(info)?.keys().len()))?;
        // SAFETY: the program hands over a place for an int.
        unsafe { put("nkeys", nkeys, keys as c_int) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Info_get_nthkey(
    info: MPI_Info,
    n: c_int,
    key: *mut c_char,
) -> c_int {
    outcome(|| {
        let index = size("n", n)?;
        let found = rank::try_with(|objects| {
            let object = objects.infos.get(info)?;
            let (found, all) = (object.keys().nth(index), object.keys().len());
            let beyond = || MpiError::new(MPI_ERR_ARG, format!("n is {n}, but there are {all} keys"));
            Ok(found.ok_or_else(beyond)?.to_vec())
        })?;
        // SAFETY: the program hands over MPI_MAX_INFO_KEY characters.
        unsafe { put_string("key", key, MPI_MAX_INFO_KEY as usize, &found).map(drop) }
    })
}

/// # Safety
/// Unless it is null, `place` can be written.
unsafe fn hand_out(place: *mut MPI_Info, info: Info) -> Result<()> {
    // SAFETY: the caller vouches for it.
    unsafe { put("info", place, rank::with(|objects| objects.infos.insert(info))) }
}

/// The value of a key, if there is one, which the flag tells too.
///
/// # Safety
/// The key is a string; the flag can be written.
unsafe fn find(info: MPI_Info, key: *const c_char, flag: *mut c_int) -> Result<Option<Vec<u8>>> {
    // SAFETY: the caller vouches for it.
    let key = unsafe { self::key(key) }?;
    let found = rank::try_with(|objects| Ok(objects.infos.get(info)?.get(key).map(<[u8]>::to_vec)))?;
    // SAFETY: the caller vouches for it.
    unsafe { put("flag", flag, found.is_some().into()) }?;
    Ok(found)
}

/// # Safety
/// The key is a string.
unsafe fn key<'a>(key: *const c_char) -> Result<&'a [u8]> {
    // SAFETY: the caller vouches for it.
    let key = unsafe { string("key", key) }?.to_bytes();
    let fits = (1..MPI_MAX_INFO_KEY as usize).contains(&key.len());
    ensure(fits, MPI_ERR_INFO_KEY, || format!("a key has {} characters", key.len()))?;
    Ok(key)
}
