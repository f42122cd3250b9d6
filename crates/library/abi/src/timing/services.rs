//! Requests of the simulator to a waiting rank: to read or write its memory, and to call functions of the program.

use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mpirage_call::Service;

/// A reduction with a function of the program: `inout[i] = incoming[i] op inout[i]`.
pub(crate) struct UserReduce<'a> {
    /// The number of the pair of function and datatype.
    pub number: u64,
    pub elements: u64,
    pub incoming: &'a [u8],
    pub inout: &'a mut [u8],
}

/// Carries out a service, reductions by `reduce`. The result goes to the front of `out`.
pub(crate) fn serve(service: &Service<'_>, out: &mut [u8], reduce: impl FnOnce(UserReduce<'_>)) {
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
            reduce(UserReduce { number: op, elements, incoming, inout: out });
        }
        Service::Stage { offset, bytes } => {
            let mut staged = staged();
            staged.truncate(offset as usize);
            staged.extend_from_slice(bytes);
        }
        Service::ReduceStaged { op, elements, bytes, .. } => {
            let mut operands = std::mem::take(&mut *staged());
            let (incoming, inout) = operands.split_at_mut(bytes as usize);
            reduce(UserReduce { number: op, elements, incoming, inout });
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
