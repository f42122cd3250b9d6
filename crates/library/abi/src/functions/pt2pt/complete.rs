//! Waiting for requests and testing them.

use core::ffi::c_int;
use core::slice;

use mpirage_call::{Completing, Completion};

use crate::constants::*;
use crate::frame;
use crate::ground::arguments::{count, not_null, put};
use crate::ground::error::{MpiError, Result};
use crate::ground::status;
use crate::objects::request::Request;
use crate::operations::completion::{self, Ended, Few};
use crate::rank::with;
use crate::types::*;

pub(crate) unsafe extern "C-unwind" fn MPI_Wait(request: *mut MPI_Request, status: *mut MPI_Status) -> c_int {
    // SAFETY: the program hands over a request, and a place for a status if it wants one.
    unsafe { one(request, status, false).map_or_else(|code| code, |_| MPI_SUCCESS) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Test(
    request: *mut MPI_Request,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: the program hands over a request, a place for an int, and for a status if it wants one.
    unsafe {
        match one(request, status, true) {
            Ok(ended) => frame::outcome(None, || put("flag", flag, ended.into())),
            Err(code) => {
                flag.as_mut().into_iter().for_each(|flag| *flag = 1);
                code
            }
        }
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Waitall(
    number: c_int,
    array_of_requests: *mut MPI_Request,
    array_of_statuses: *mut MPI_Status,
) -> c_int {
    frame::outcome(None, || {
        // SAFETY: the program hands over that many requests, and places for statuses if it wants them.
        unsafe { all(number, array_of_requests, array_of_statuses, false).map(drop) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Testall(
    number: c_int,
    array_of_requests: *mut MPI_Request,
    flag: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> c_int {
    frame::outcome(None, || {
        // SAFETY: as for `MPI_Waitall`, and a place for an int.
        unsafe {
            let ended = all(number, array_of_requests, array_of_statuses, true);
            put("flag", flag, ended.as_ref().map_or(1, |&ended| ended.into()))?;
            ended.map(drop)
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Waitany(
    number: c_int,
    array_of_requests: *mut MPI_Request,
    index: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    frame::outcome(None, || {
        // SAFETY: the program hands over that many requests, a place for an int, and for a status if it wants one.
        unsafe { any(number, array_of_requests, index, status, false).map(drop) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Testany(
    number: c_int,
    array_of_requests: *mut MPI_Request,
    index: *mut c_int,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    frame::outcome(None, || {
        // SAFETY: as for `MPI_Waitany`, and another place for an int.
        unsafe {
            let ended = any(number, array_of_requests, index, status, true);
            put("flag", flag, ended.as_ref().map_or(1, |&ended| ended.into()))?;
            ended.map(drop)
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Waitsome(
    incount: c_int,
    array_of_requests: *mut MPI_Request,
    outcount: *mut c_int,
    array_of_indices: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> c_int {
    // SAFETY: the program hands over what the standard says.
    unsafe { some(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, false) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Testsome(
    incount: c_int,
    array_of_requests: *mut MPI_Request,
    outcount: *mut c_int,
    array_of_indices: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> c_int {
    // SAFETY: the program hands over what the standard says.
    unsafe { some(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, true) }
}

/// Waits for or tests one request; tells whether it has ended. Errors are those of the request's communicator.
///
/// # Safety
/// `request` is a request, `status` null or a place for one.
unsafe fn one(
    request: *mut MPI_Request,
    status: *mut MPI_Status,
    poll: bool,
) -> core::result::Result<bool, c_int> {
    // SAFETY: the caller vouches for it.
    let handle = unsafe { request.as_ref() }.copied();
    let comm = handle.and_then(|handle| with(|objects| objects.requests.get(handle).ok().map(Request::comm)));
    let mut ended = true;
    let code = frame::outcome(comm, || {
        not_null("request", request)?;
        // SAFETY: not null, and the caller vouches for the rest.
        let requests = unsafe { slice::from_raw_parts_mut(request, 1) };
        let mut outcome = Ok(());
        let tell = |_, completion: &Completion, result| {
            // SAFETY: the caller vouches for the status.
            unsafe { status::store(status, completion) };
            outcome = result;
        };
        if !poll && completion::all_plain(requests, tell).is_some() {
            requests[0] = MPI_REQUEST_NULL;
            return outcome;
        }
        match completion::all(requests, poll)? {
            None => ended = false,
            // SAFETY: the caller vouches for the status.
            Some(list) => unsafe { told_of_one(requests, list, status) }?,
        }
        Ok(())
    });
    if code == MPI_SUCCESS { Ok(ended) } else { Err(code) }
}

/// # Safety
/// `status` is null or a place for one.
unsafe fn told_of_one(requests: &mut [MPI_Request], list: Few<Ended>, status: *mut MPI_Status) -> Result<()> {
    let Some(ended) = list.into_iter().next() else {
        // SAFETY: the caller vouches for it.
        unsafe { status::store_empty(status) };
        return Ok(());
    };
    forget(requests, &ended);
    // SAFETY: the caller vouches for it.
    unsafe { status::store(status, &ended.completion) };
    ended.result
}

/// # Safety
/// There are `number` requests, and as many places for statuses unless that is null.
unsafe fn all(
    number: c_int,
    requests: *mut MPI_Request,
    statuses: *mut MPI_Status,
    poll: bool,
) -> Result<bool> {
    // SAFETY: the caller vouches for it.
    let requests = unsafe { requests_of(number, requests) }?;
    // SAFETY: the caller vouches for it.
    if !poll && let Some(result) = unsafe { all_plain(requests, statuses) } {
        return result.map(|()| true);
    }
    // SAFETY: the caller vouches for it.
    unsafe { all_of_any_kind(requests, statuses, poll) }
}

/// The same, whatever they are. Apart, because what it needs of the stack lies between a rank that waits and its program.
///
/// # Safety
/// There are as many places for statuses as requests, unless that is null.
#[inline(never)]
unsafe fn all_of_any_kind(
    requests: &mut [MPI_Request],
    statuses: *mut MPI_Status,
    poll: bool,
) -> Result<bool> {
    let Some(list) = completion::all(requests, poll)? else { return Ok(false) };
    for position in 0..requests.len() {
        // SAFETY: the caller vouches for it.
        unsafe { status::store(place(statuses, position), &Completion::empty(0)) };
    }
    let places = list.iter().map(|ended| ended.position).collect::<Few<_>>();
    // SAFETY: the caller vouches for it.
    unsafe { tell(requests, list, places.into_iter(), statuses) }?;
    Ok(true)
}

/// Waits for all if each is one plain message; none, with nothing done, if not.
///
/// # Safety
/// There are as many places for statuses as requests, unless that is null.
unsafe fn all_plain(requests: &mut [MPI_Request], statuses: *mut MPI_Status) -> Option<Result<()>> {
    // Not a list that lies on the stack: failures are few, and there are as many stacks as ranks.
    let mut failures: Vec<(usize, MpiError)> = Vec::new();
    completion::all_plain(requests, |position, completion, result| {
        // SAFETY: the caller vouches for it.
        unsafe { status::store(place(statuses, position), completion) };
        if let Err(error) = result {
            failures.push((position, error));
        }
    })?;
    requests.fill(MPI_REQUEST_NULL);
    if failures.is_empty() {
        return Some(Ok(()));
    }
    // SAFETY: the caller vouches for it.
    Some(Err(unsafe { tell_of_failures(requests.len(), &failures, statuses) }))
}

/// Some of so many requests have failed.
///
/// # Safety
/// There are as many places for statuses as requests, unless that is null.
#[cold]
unsafe fn tell_of_failures(
    number: usize,
    failures: &[(usize, MpiError)],
    statuses: *mut MPI_Status,
) -> MpiError {
    for position in 0..number {
        let failure = failures.iter().find(|(failed, _)| *failed == position);
        let class = failure.map_or(MPI_SUCCESS, |(_, error)| error.class);
        // SAFETY: the caller vouches for it.
        unsafe { status::store_error(place(statuses, position), class) };
    }
    let first = failures.first().map_or("", |(_, error)| error.text.as_str());
    MpiError::new(MPI_ERR_IN_STATUS, first)
}

/// # Safety
/// There are `number` requests, and places for an int and, unless it is null, a status.
unsafe fn any(
    number: c_int,
    requests: *mut MPI_Request,
    index: *mut c_int,
    status: *mut MPI_Status,
    poll: bool,
) -> Result<bool> {
    // SAFETY: the caller vouches for it.
    let requests = unsafe { requests_of(number, requests) }?;
    let active = active(requests)?;
    let ended = completion::some(requests, Completing::Any, poll)?.into_iter().next();
    let position = ended.as_ref().map_or(MPI_UNDEFINED, |ended| ended.position as c_int);
    // SAFETY: the caller vouches for it.
    unsafe { put("index", index, position) }?;
    let has_ended = ended.is_some() || !active;
    if has_ended {
        // SAFETY: the caller vouches for it.
        unsafe { told_of_one(requests, ended.into_iter().collect(), status) }?;
    }
    Ok(has_ended)
}

/// # Safety
/// There are `number` requests, as many places for ints and, unless that is null, for statuses, and a place for an int.
unsafe fn some(
    number: c_int,
    requests: *mut MPI_Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
    poll: bool,
) -> c_int {
    frame::outcome(None, || {
        // SAFETY: the caller vouches for it.
        let requests = unsafe { requests_of(number, requests) }?;
        if !active(requests)? {
            // SAFETY: the caller vouches for it.
            return unsafe { put("outcount", outcount, MPI_UNDEFINED) };
        }
        let list = completion::some(requests, Completing::Some, poll)?;
        let length = list.len();
        // SAFETY: the caller vouches for it.
        unsafe {
            put("outcount", outcount, length as c_int)?;
            for (at, ended) in list.iter().enumerate() {
                put("array_of_indices", indices.wrapping_add(at), ended.position as c_int)?;
            }
            tell(requests, list, 0..length, statuses)
        }
    })
}

/// Stores the statuses of several requests at these places. If one has failed, all errors are in the statuses.
///
/// # Safety
/// `statuses` is null or has these places.
unsafe fn tell(
    requests: &mut [MPI_Request],
    list: Few<Ended>,
    places: impl Iterator<Item = usize> + Clone,
    statuses: *mut MPI_Status,
) -> Result<()> {
    let failure = list.iter().find_map(|ended| ended.result.as_ref().err()).cloned();
    for (ended, at) in list.iter().zip(places) {
        forget(requests, ended);
        let class = ended.result.as_ref().map_or_else(|error| error.class, |()| MPI_SUCCESS);
        // SAFETY: the caller vouches for it.
        unsafe {
            status::store(place(statuses, at), &ended.completion);
            if failure.is_some() {
                status::store_error(place(statuses, at), class);
            }
        }
    }
    failure.map_or(Ok(()), |error| Err(MpiError::new(MPI_ERR_IN_STATUS, error.text.as_str())))
}

/// The place in an array of statuses, if there is one.
fn place(statuses: *mut MPI_Status, position: usize) -> *mut MPI_Status {
    if statuses.is_null() { statuses } else { statuses.wrapping_add(position) }
}

fn forget(requests: &mut [MPI_Request], ended: &Ended) {
    if ended.gone {
        requests[ended.position] = MPI_REQUEST_NULL;
    }
}

/// Is there any request that can end?
fn active(requests: &[MPI_Request]) -> Result<bool> {
    with(|objects| {
        for &handle in requests.iter().filter(|&&request| request != MPI_REQUEST_NULL) {
            if !objects.requests.get(handle)?.is_inactive() {
                return Ok(true);
            }
        }
        Ok(false)
    })
}

/// # Safety
/// There are `number` requests that no other code uses.
unsafe fn requests_of<'a>(number: c_int, requests: *mut MPI_Request) -> Result<&'a mut [MPI_Request]> {
    match count("count", number)? {
        0 => Ok(&mut []),
        number => {
            not_null("array_of_requests", requests)?;
            // SAFETY: not null, and the caller vouches for the rest.
            Ok(unsafe { slice::from_raw_parts_mut(requests, number) })
        }
    }
}
