//! Requests themselves: starting, freeing and cancelling them.

use core::ffi::c_int;

use mpirage_call::{Call, Completion, SendMode};

use crate::constants::{MPI_ERR_REQUEST, MPI_REQUEST_NULL, MPI_UNDEFINED};
use crate::frame;
use crate::ground::arguments::{array, count, not_null, put, put_all};
use crate::ground::error::{Result, fail};
use crate::ground::status;
use crate::objects::Objects;
use crate::objects::general::Functions;
use crate::objects::request::Request;
use crate::operations::buffered;
use crate::operations::completion;
use crate::operations::message::Outgoing;
use crate::operations::operation::{Operation, Step};
use crate::operations::perform;
use crate::operations::transfer::{Transfer, Transfers};
use crate::rank::{post, try_with, with};
use crate::types::*;

pub(crate) unsafe extern "C-unwind" fn MPI_Start(request: *mut MPI_Request) -> c_int {
    // SAFETY: the program hands over a request.
    frame::outcome(None, || start(unsafe { read(request) }?))
}

pub(crate) unsafe extern "C-unwind" fn MPI_Startall(
    number: c_int,
    array_of_requests: *mut MPI_Request,
) -> c_int {
    frame::outcome(None, || {
        // SAFETY: the program hands over that many requests.
        let requests = unsafe { array("array_of_requests", array_of_requests, count("count", number)?) }?;
        requests.iter().try_for_each(|&request| start(request))
    })
}

/// The memory of a freed transfer is never freed, because the simulator does not say when the transfer ends. What a freed receive of
/// strided data gets is never unpacked: the program could not know when anyway.
pub(crate) unsafe extern "C-unwind" fn MPI_Request_free(request: *mut MPI_Request) -> c_int {
    frame::outcome(None, || {
        // SAFETY: the program hands over a request.
        let handle = unsafe { read(request) }?;
        if with(|objects| objects.requests.get(handle).is_ok_and(Request::accesses_file)) {
            // The bytes are moved when the access is complete, so it is completed first.
            completion::wait_for(handle)?;
            // SAFETY: the program hands over a place for a request.
            return unsafe { put("request", request, MPI_REQUEST_NULL) };
        }
        // SAFETY: the program hands over a place for a request.
        let forget = || unsafe { put("request", request, MPI_REQUEST_NULL) };
        if let Some(freed) = free_general(handle)? {
            forget()?;
            return freed.map_or(Ok(()), |functions| functions.free());
        }
        let freed = with(|objects| objects.requests.remove(handle))?;
        for transfer in freed.into_unfinished() {
            let Some(id) = transfer.id else { continue };
            post(&Call::Free { request: id });
            with(|objects| {
                if let Some(watch) = &transfer.buffers.watch {
                    objects.active_buffers.remove(watch.ticket());
                }
                objects.requests.give_back(id);
                objects.requests.abandon(transfer);
            });
        }
        forget()
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Cancel(request: *mut MPI_Request) -> c_int {
    frame::outcome(None, || {
        // SAFETY: the program hands over a request.
        let handle = unsafe { read(request) }?;
        let cancelled = try_with(|objects| match objects.requests.get(handle)? {
            Request::General(general) => Ok(Err((general.functions(), general.is_complete()))),
            Request::Partitioned(_) => fail!(MPI_ERR_REQUEST, "a partitioned message cannot be cancelled"),
            request => Ok(Ok(request.open_transfers().map(|(_, id)| id).collect::<Vec<_>>())),
        })?;
        let open = match cancelled {
            Ok(open) => open,
            Err((functions, complete)) => return functions.cancel(complete),
        };
        open.into_iter().for_each(|request| post(&Call::Cancel { request }));
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Test_cancelled(
    status: *const MPI_Status,
    flag: *mut c_int,
) -> c_int {
    frame::outcome(None, || {
        not_null("status", status)?;
        // SAFETY: the program hands over a status and a place for an int.
        unsafe { put("flag", flag, (*status).is_cancelled().into()) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Request_get_status(
    request: MPI_Request,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    frame::outcome(None, || {
        let ended = peek(request)?;
        // SAFETY: the program hands over a place for an int, and for a status if it wants one.
        unsafe {
            store_all(status, ended.iter());
            put("flag", flag, ended.is_some().into())
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Request_get_status_all(
    number: c_int,
    array_of_requests: *const MPI_Request,
    flag: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> c_int {
    frame::outcome(None, || {
        // SAFETY: the program hands over that many requests.
        let requests = unsafe { array("array_of_requests", array_of_requests, count("count", number)?) }?;
        let peeked: Vec<_> = requests.iter().map(|&request| peek(request)).collect::<Result<_>>()?;
        let all = peeked.iter().all(Option::is_some);
        // SAFETY: the program hands over a place for an int, and for as many statuses as requests if it wants them.
        unsafe {
            store_all(array_of_statuses, peeked.iter().flatten().filter(|_| all));
            put("flag", flag, all.into())
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Request_get_status_any(
    number: c_int,
    array_of_requests: *const MPI_Request,
    index: *mut c_int,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    frame::outcome(None, || {
        // SAFETY: the program hands over that many requests.
        let requests = unsafe { array("array_of_requests", array_of_requests, count("count", number)?) }?;
        let (active, ended) = peek_active(requests)?;
        let first = ended.first().map(|&(position, completion)| (position, completion));
        let has_ended = first.is_some() || active == 0;
        // SAFETY: the program hands over places for two ints, and for a status if it wants one.
        unsafe {
            match first {
                Some((_, completion)) => status::store(status, &completion),
                None if has_ended => status::store_empty(status),
                None => {}
            }
            put("index", index, first.map_or(MPI_UNDEFINED, |(position, _)| position as c_int))?;
            put("flag", flag, has_ended.into())
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Request_get_status_some(
    incount: c_int,
    array_of_requests: *const MPI_Request,
    outcount: *mut c_int,
    array_of_indices: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> c_int {
    frame::outcome(None, || {
        // SAFETY: the program hands over that many requests.
        let requests = unsafe { array("array_of_requests", array_of_requests, count("incount", incount)?) }?;
        let (active, ended) = peek_active(requests)?;
        let number = if active == 0 { MPI_UNDEFINED } else { ended.len() as c_int };
        // SAFETY: the program hands over as many places as requests, and a place for an int.
        unsafe {
            put_all(
                "array_of_indices",
                array_of_indices,
                ended.iter().map(|&(position, _)| position as c_int),
            )?;
            store_all(array_of_statuses, ended.iter().map(|(_, completion)| completion));
            put("outcount", outcount, number)
        }
    })
}

/// How many requests are active, and where those are that have ended.
fn peek_active(requests: &[MPI_Request]) -> Result<(usize, Vec<(usize, Completion)>)> {
    let (mut active, mut ended) = (0, Vec::new());
    for (position, &request) in requests.iter().enumerate().filter(|&(_, &handle)| handle != MPI_REQUEST_NULL)
    {
        if !try_with(|objects| Ok(objects.requests.get(request)?.is_inactive()))? {
            active += 1;
            ended.extend(peek(request)?.map(|completion| (position, completion)));
        }
    }
    Ok((active, ended))
}

/// # Safety
/// `statuses` is null or has a place for each completion.
unsafe fn store_all<'a>(statuses: *mut MPI_Status, completions: impl Iterator<Item = &'a Completion>) {
    if !statuses.is_null() {
        for (index, completion) in completions.enumerate() {
            // SAFETY: the caller vouches for the place.
            unsafe { status::store(statuses.add(index), completion) };
        }
    }
}

/// How a request ended, if it has; one that is null or inactive has.
fn peek(request: MPI_Request) -> Result<Option<Completion>> {
    match request {
        MPI_REQUEST_NULL => Ok(Some(Completion::empty(0))),
        request => completion::peek(request),
    }
}

/// Frees the handle of a generalised request, if it is one: what the program does for it then, unless that comes with
/// its completion.
fn free_general(handle: MPI_Request) -> Result<Option<Option<Functions>>> {
    try_with(|objects| {
        let Request::General(general) = objects.requests.get_mut(handle)? else { return Ok(None) };
        let functions = general.functions();
        if !general.free() {
            return Ok(Some(None));
        }
        objects.requests.remove(handle)?;
        Ok(Some(Some(functions)))
    })
}

/// Starts a persistent request.
fn start(handle: MPI_Request) -> Result<()> {
    let partitioned = try_with(|objects| match objects.requests.get_mut(handle)? {
        Request::Partitioned(partitioned) => partitioned.start().map(|()| true),
        _ => Ok(false),
    })?;
    if partitioned {
        completion::post_partitions(handle)?;
        with(|objects| objects.requests.note_started(handle));
        return Ok(());
    }
    let plan = with(|objects| plan_of(objects, handle))?;
    let transfers = match &plan.steps[..] {
        [Step::Send(message)] if message.mode == SendMode::Buffered => start_buffered(&plan, message)?,
        _ => perform::launch(&plan),
    };
    with(|objects| {
        objects.requests.get_mut(handle)?.restart(transfers);
        Ok(())
    })
}

/// A persistent buffered send: what goes into the program's buffer is complete for the program.
fn start_buffered(plan: &Operation, message: &Outgoing) -> Result<Transfers> {
    if !buffered::hold(message, plan.comm)? {
        return Ok(perform::launch(plan));
    }
    let done = Some(Completion::empty(0));
    Ok([Transfer { done, ..Transfer::not_begun() }].into_iter().collect())
}

fn plan_of(objects: &Objects, handle: MPI_Request) -> Result<Operation> {
    let request = objects.requests.get(handle)?;
    match request.plan() {
        None => fail!(MPI_ERR_REQUEST, "the request is not persistent"),
        Some(_) if !request.is_inactive() => fail!(MPI_ERR_REQUEST, "the request has been started already"),
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
