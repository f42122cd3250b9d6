//! Reductions with functions of the program, as the simulator asks for them.
//!
//! The program may free an operator or a datatype while a reduction with it is under way. So the simulator is not given
//! handles but numbers of entries here, which stay: there are as many as different pairs were used.

use core::ffi::c_void;

use mpirage_data::Datatype;

use crate::ground::error::Result;
use crate::ground::exceptions::HeldException;
use crate::objects::op::{Elements, Operation};
use crate::types::{MPI_Datatype, MPI_Op};

/// All pairs of a function and a datatype that were ever used.
#[derive(Debug, Default)]
pub(crate) struct Reductions(Vec<UserReduction>);

/// A function of the program applied to a datatype.
#[derive(Clone, Debug)]
pub(crate) struct UserReduction {
    pub op: MPI_Op,
    pub operation: Operation,
    pub handle: MPI_Datatype,
    pub datatype: Datatype,
}

impl Reductions {
    pub(crate) fn get(&self, number: u64) -> Option<&UserReduction> {
        self.0.get(number as usize)
    }

    /// The number of this pair.
    pub(crate) fn number_of(&mut self, wanted: UserReduction) -> u64 {
        let known = self.0.iter().position(|known| known.is(&wanted));
        known.unwrap_or_else(|| {
            self.0.push(wanted);
            self.0.len() - 1
        }) as u64
    }
}

impl UserReduction {
    /// Handles are used again, so they alone do not tell.
    fn is(&self, other: &UserReduction) -> bool {
        self.op == other.op
            && self.handle == other.handle
            && self.datatype == other.datatype
            && address_of(self.operation) == address_of(other.operation)
    }

    /// `inout[i] = incoming[i] op inout[i]`, both packed.
    pub(crate) fn combine(
        &self,
        elements: u64,
        incoming: &[u8],
        inout: &mut [u8],
        held: &HeldException,
    ) -> Result<()> {
        let of = Elements { count: elements as usize, handle: self.handle, datatype: &self.datatype };
        // SAFETY: called without the library's lock; the program says that its function is a reduction.
        unsafe { self.operation.combine_packed(of, incoming, inout, held) }
    }
}

fn address_of(operation: Operation) -> *const c_void {
    use crate::objects::op::UserFunction::{Int, Large};
    match operation {
        Operation::Predefined(_) => core::ptr::null(),
        Operation::User { function: Int(function), .. } => function as *const c_void,
        Operation::User { function: Large(function), .. } => function as *const c_void,
    }
}
