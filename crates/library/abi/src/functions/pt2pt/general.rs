//! Generalised requests: operations of the program that are waited for as if they were MPI's.

use core::ffi::{c_int, c_void};

use crate::constants::{MPI_ERR_ARG, MPI_ERR_REQUEST};
use crate::frame;
use crate::ground::arguments::put;
use crate::ground::error::{Result, fail};
use crate::objects::general::{Functions, General};
use crate::objects::request::Request;
use crate::rank::{self, try_with, with};
use crate::types::*;

pub(crate) unsafe extern "C-unwind" fn MPI_Grequest_start(
    query_fn: Option<MPI_Grequest_query_function>,
    free_fn: Option<MPI_Grequest_free_function>,
    cancel_fn: Option<MPI_Grequest_cancel_function>,
    extra_state: *mut c_void,
    request: *mut MPI_Request,
) -> c_int {
    frame::outcome(None, || {
        let (Some(query), Some(free), Some(cancel)) = (query_fn, free_fn, cancel_fn) else {
            fail!(MPI_ERR_ARG, "a function of the generalised request is a null pointer");
        };
        let general = General::new(Functions::new(query, free, cancel, extra_state));
        let handle = with(|objects| objects.requests.insert(Request::General(Box::new(general))));
        // SAFETY: the program hands over a place for a request.
        unsafe { put("request", request, handle) }
    })
}

/// Any thread may call this while another one waits for the request.
pub(crate) unsafe extern "C-unwind" fn MPI_Grequest_complete(request: MPI_Request) -> c_int {
    frame::outcome(None, || {
        let freed = complete(request)?;
        rank::this().program_events.note();
        freed.map_or(Ok(()), |functions| functions.free())
    })
}

/// Marks a request as complete; what the program does to free it, if its handle is gone already.
fn complete(request: MPI_Request) -> Result<Option<Functions>> {
    try_with(|objects| {
        let general = objects.requests.general_mut(request)?;
        if general.is_complete() {
            fail!(MPI_ERR_REQUEST, "the generalised request is complete already");
        }
        let functions = general.functions();
        if !general.complete() {
            return Ok(None);
        }
        objects.requests.remove(request)?;
        Ok(Some(functions))
    })
}
