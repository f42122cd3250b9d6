//! Requests themselves: starting, freeing and cancelling them.

use core::ffi::c_int;

use mpirage_call::Call;

use crate::arguments::{array, count, not_null, put};
use crate::completion;
use crate::connection::post;
use crate::constants::{MPI_ERR_REQUEST, MPI_REQUEST_NULL};
use crate::error::{Result, fail};
use crate::library::{self, try_with, with};
use crate::operation::Operation;
use crate::status;
use crate::types::*;

pub(crate) unsafe extern "C" fn MPI_Start(request: *mut MPI_Request) -> c_int {
    // SAFETY: the program hands over a request.
    library::outcome(None, || start(unsafe { read(request) }?))
}

pub(crate) unsafe extern "C" fn MPI_Startall(number: c_int, array_of_requests: *mut MPI_Request) -> c_int {
    library::outcome(None, || {
        // SAFETY: the program hands over that many requests.
        let requests = unsafe { array("array_of_requests", array_of_requests, count("count", number)?) }?;
        requests.iter().try_for_each(|&request| start(request))
    })
}

pub(crate) unsafe extern "C" fn MPI_Request_free(request: *mut MPI_Request) -> c_int {
    library::outcome(None, || {
        // SAFETY: the program hands over a request.
        let handle = unsafe { read(request) }?;
        let freed = with(|library| library.requests.remove(handle))?;
        for transfer in freed.transfers {
            if let (Some(id), None) = (transfer.id, transfer.done) {
                post(&Call::Free { request: id });
                with(|library| {
                    library.requests.give_back(id);
                    library.requests.abandon(transfer);
                });
            }
        }
        // SAFETY: the program hands over a place for a request.
        unsafe { put("request", request, MPI_REQUEST_NULL) }
    })
}

pub(crate) unsafe extern "C" fn MPI_Cancel(request: *mut MPI_Request) -> c_int {
    library::outcome(None, || {
        // SAFETY: the program hands over a request.
        let handle = unsafe { read(request) }?;
        let open: Vec<_> = try_with(|library| {
            let transfers = &library.requests.get(handle)?.transfers;
            Ok(transfers.iter().filter(|transfer| transfer.done.is_none()).filter_map(|t| t.id).collect())
        })?;
        open.into_iter().for_each(|request| post(&Call::Cancel { request }));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn MPI_Test_cancelled(status: *const MPI_Status, flag: *mut c_int) -> c_int {
    library::outcome(None, || {
        not_null("status", status)?;
        // SAFETY: the program hands over a status and a place for an int.
        unsafe { put("flag", flag, (*status).is_cancelled().into()) }
    })
}

pub(crate) unsafe extern "C" fn MPI_Request_get_status(
    request: MPI_Request,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    library::outcome(None, || {
        let ended = match request {
            MPI_REQUEST_NULL => Some(mpirage_call::Completion::empty(0)),
            request => completion::peek(request)?,
        };
        // SAFETY: the program hands over a place for an int, and for a status if it wants one.
        unsafe {
            if let Some(completion) = &ended {
                status::store(status, completion);
            }
            put("flag", flag, ended.is_some().into())
        }
    })
}

pub(crate) unsafe extern "C" fn MPI_Request_get_status_all(
    number: c_int,
    array_of_requests: *const MPI_Request,
    flag: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> c_int {
    library::outcome(None, || {
        // SAFETY: the program hands over that many requests.
        let requests = unsafe { array("array_of_requests", array_of_requests, count("count", number)?) }?;
        let peeked: Vec<_> = requests.iter().map(|&request| peek(request)).collect::<Result<_>>()?;
        let all = peeked.iter().all(Option::is_some);
        for (index, completion) in
            peeked.iter().flatten().enumerate().filter(|_| all && !array_of_statuses.is_null())
        {
            // SAFETY: if there are statuses, there are as many as requests; all have ended, so none is left out.
            unsafe { status::store(array_of_statuses.add(index), completion) };
        }
        // SAFETY: the program hands over a place for an int.
        unsafe { put("flag", flag, all.into()) }
    })
}

fn peek(request: MPI_Request) -> Result<Option<mpirage_call::Completion>> {
    match request {
        MPI_REQUEST_NULL => Ok(Some(mpirage_call::Completion::empty(0))),
        request => completion::peek(request),
    }
}

/// Starts a persistent request.
fn start(handle: MPI_Request) -> Result<()> {
    let plan = with(|library| plan_of(library, handle))?;
    let transfers = plan.launch();
    with(|library| {
        let request = library.requests.get_mut(handle)?;
        (request.transfers, request.inactive) = (transfers, false);
        Ok(())
    })
}

fn plan_of(library: &library::Library, handle: MPI_Request) -> Result<Operation> {
    let request = library.requests.get(handle)?;
    match &request.plan {
        None => fail!(MPI_ERR_REQUEST, "the request is not persistent"),
        Some(_) if !request.inactive => fail!(MPI_ERR_REQUEST, "the request has been started already"),
        Some(plan) => Ok(plan.clone()),
    }
}

/// # Safety
/// `request` is null or a request.
unsafe fn read(request: *const MPI_Request) -> Result<MPI_Request> {
    not_null("request", request)?;
    // SAFETY: not null, and the caller vouches for the rest.
    Ok(unsafe { *request })
}
