//! Generalised requests: operations of the program itself, which it completes with `MPI_Grequest_complete`.

use core::ffi::{c_int, c_void};
use core::ptr;

use mpirage_call::Completion;

use crate::constants::{MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS};
use crate::ground::callbacks;
use crate::ground::error::{MpiError, Result};
use crate::types::{
    MPI_Grequest_cancel_function, MPI_Grequest_free_function, MPI_Grequest_query_function, MPI_Status,
};

/// A generalised request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct General {
    functions: Functions,
    complete: bool,
    /// `MPI_Request_free` came before the operation was complete: the handle goes when it is.
    freed: bool,
}

/// The program's functions for its request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Functions {
    query: MPI_Grequest_query_function,
    free: MPI_Grequest_free_function,
    cancel: MPI_Grequest_cancel_function,
    /// The address that each function gets.
    extra_state: usize,
}

impl General {
    pub(crate) fn new(functions: Functions) -> General {
        General { functions, complete: false, freed: false }
    }

    pub(crate) fn functions(&self) -> Functions {
        self.functions
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// The program has freed its handle: is it to be removed now?
    pub(crate) fn free(&mut self) -> bool {
        self.freed = true;
        self.complete
    }

    /// The operation is complete: is the request to be removed now?
    pub(crate) fn complete(&mut self) -> bool {
        self.complete = true;
        self.freed
    }
}

/// Nothing may be locked while one of these functions runs: they may call MPI.
impl Functions {
    pub(crate) fn new(
        query: MPI_Grequest_query_function,
        free: MPI_Grequest_free_function,
        cancel: MPI_Grequest_cancel_function,
        extra_state: *mut c_void,
    ) -> Functions {
        Functions { query, free, cancel, extra_state: extra_state.expose_provenance() }
    }

    /// How the operation ended, as the program says.
    pub(crate) fn query(&self) -> (Completion, Result<()>) {
        let mut status =
            MPI_Status { MPI_SOURCE: MPI_ANY_SOURCE, MPI_TAG: MPI_ANY_TAG, ..MPI_Status::default() };
        // SAFETY: the program gave the function and its argument for this.
        let code = unsafe { callbacks::query_request(self.query, self.state(), &mut status) };
        let completion = Completion {
            source: status.MPI_SOURCE,
            tag: status.MPI_TAG,
            bytes: status.bytes(),
            cancelled: status.is_cancelled(),
            ..Completion::empty(0)
        };
        (completion, outcome("query", code))
    }

    /// The program frees what belongs to the request.
    pub(crate) fn free(&self) -> Result<()> {
        // SAFETY: the program gave the function and its argument for this.
        outcome("free", unsafe { callbacks::free_request(self.free, self.state()) })
    }

    /// The program cancels the operation, if it can.
    pub(crate) fn cancel(&self, complete: bool) -> Result<()> {
        // SAFETY: the program gave the function and its argument for this.
        outcome("cancel", unsafe { callbacks::cancel_request(self.cancel, self.state(), complete.into()) })
    }

    fn state(&self) -> *mut c_void {
        ptr::with_exposed_provenance_mut(self.extra_state)
    }
}

fn outcome(which: &str, code: c_int) -> Result<()> {
    match code {
        MPI_SUCCESS => Ok(()),
        code => Err(MpiError::new(
            code,
            format!("the {which} function of a generalised request returned error {code}"),
        )),
    }
}
