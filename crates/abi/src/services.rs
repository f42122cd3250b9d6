//! What the simulator asks of a waiting rank: bytes of its memory, and functions of the program.

use std::ptr;

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
    }
}

/// Calls a function of the program, with nothing locked that it could want.
fn reduce(number: u64, elements: u64, incoming: &[u8], inout: &mut [u8]) {
    let reduction = with(|library| library.reductions.get(number).cloned());
    let reduction = reduction.expect("the simulator knows only numbers that it was given");
    if let Err(error) = connection::call_back(|| reduction.combine(elements, incoming, inout)) {
        connection::give_up(&error.text);
    }
}
