//! What the simulator asks of a waiting rank: bytes of its memory, and functions of the program.

use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mpirage_call::Service;

use crate::connection;
use crate::library::with;

/// Carries out a service; what it gives back goes to the front of `out`.
pub(crate) fn serve(service: &Service<'_>, out: &mut [u8]) {
    match *service {
        Service::Peek { address, bytes } => {
            let bytes = (bytes as usize).min(out.len());
            // SAFETY: the simulator got address and length from a call of this process that gave that memory to MPI.
            unsafe { ptr::copy_nonoverlapping(address as *const u8, out.as_mut_ptr(), bytes) }
        }
        Service::Poke { address, bytes } => {
            // SAFETY: as for `Peek`.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) }
        }
        Service::Reduce { op, elements, incoming, inout, .. } => {
            let out = &mut out[..inout.len()];
            out.copy_from_slice(inout);
            reduce(op, elements, incoming, out);
        }
        Service::Stage { offset, bytes } => {
            let mut staged = staged();
            staged.truncate(offset as usize);
            staged.extend_from_slice(bytes);
        }
        Service::ReduceStaged { op, elements, bytes, .. } => {
            let mut operands = std::mem::take(&mut *staged());
            let (incoming, inout) = operands.split_at_mut(bytes as usize);
            reduce(op, elements, incoming, inout);
            *staged() = operands;
        }
        Service::Fetch { offset, bytes } => {
            let (offset, bytes) = (offset as usize, bytes as usize);
            let mut staged = staged();
            out[..bytes].copy_from_slice(&staged[offset..offset + bytes]);
            if offset + bytes == staged.len() {
                *staged = Vec::new();
            }
        }
    }
}

/// Operands that are too large for one service; of one rank at a time, since its reduction is carried out in one go.
fn staged() -> MutexGuard<'static, Vec<u8>> {
    static STAGED: Mutex<Vec<u8>> = Mutex::new(Vec::new());
    STAGED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls a function of the program, with nothing locked that it could want.
fn reduce(number: u64, elements: u64, incoming: &[u8], inout: &mut [u8]) {
    let reduction = with(|library| library.reductions.get(number).cloned());
    let reduction = reduction.expect("the simulator knows only numbers that it was given");
    if let Err(error) = connection::call_back(|| reduction.combine(elements, incoming, inout)) {
        connection::give_up(&error.text);
    }
}
