//! Reduction operations: the predefined ones, and functions of the program.

use crate::caller::Caller;
use crate::constants::*;
use crate::ground::callbacks;
use crate::ground::error::{MpiError, Result, ensure, fail};
use crate::ground::exceptions::HeldException;
use crate::ground::handles::Handles;
use crate::types::{MPI_Count, MPI_Datatype, MPI_Op, MPI_User_function, MPI_User_function_c};
use core::ffi::{c_int, c_void};
use mpirage_data::{Datatype, Op, Origin};

/// All operations that the program made.
#[derive(Debug)]
pub(crate) struct Ops(Handles<Operation>);

/// A reduction operation. Copied out of the library before it is applied, since a program's function may call MPI.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    Predefined(Op),
    User { function: UserFunction, commutative: bool },
}

/// A program's function, in one of the two forms it may have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UserFunction {
    Int(MPI_User_function),
    Large(MPI_User_function_c),
}

/// Elements with their datatype as the program knows it and as we do.
#[derive(Clone, Copy)]
pub(crate) struct Elements<'a> {
    pub count: usize,
    pub handle: MPI_Datatype,
    pub datatype: &'a Datatype,
}

const PREDEFINED: [(MPI_Op, Op); 14] = [
    (MPI_SUM, Op::Sum),
    (MPI_MIN, Op::Min),
    (MPI_MAX, Op::Max),
    (MPI_PROD, Op::Prod),
    (MPI_BAND, Op::Band),
    (MPI_BOR, Op::Bor),
    (MPI_BXOR, Op::Bxor),
    (MPI_LAND, Op::Land),
    (MPI_LOR, Op::Lor),
    (MPI_LXOR, Op::Lxor),
    (MPI_MINLOC, Op::Minloc),
    (MPI_MAXLOC, Op::Maxloc),
    (MPI_REPLACE, Op::Replace),
    (MPI_NO_OP, Op::NoOp),
];

impl Ops {
    pub const fn new() -> Ops {
        Ops(Handles::new())
    }

    /// From now on, remembers which calls make them.
    pub fn remember_makers(&mut self) {
        self.0.remember_makers();
    }

    /// The calls that made the operations that the program has not freed.
    pub fn unfreed(&self) -> impl Iterator<Item = Caller> {
        self.0.unfreed().map(|(maker, _)| maker)
    }

    pub fn get(&self, op: MPI_Op) -> Result<Operation> {
        predefined(op).or_else(|| self.0.get(op.0).copied()).ok_or_else(|| invalid(op))
    }

    pub fn insert(&mut self, operation: Operation) -> MPI_Op {
        MPI_Op(self.0.insert(operation))
    }

    /// The program gives up its handle.
    pub fn remove(&mut self, op: MPI_Op) -> Result<()> {
        match self.get(op)? {
            Operation::Predefined(op) => fail!(MPI_ERR_OP, "{op} is predefined"),
            Operation::User { .. } => self.0.remove(op.0).map(drop).ok_or_else(|| invalid(op)),
        }
    }
}

fn predefined(op: MPI_Op) -> Option<Operation> {
    PREDEFINED.iter().find(|(handle, _)| *handle == op).map(|&(_, op)| Operation::Predefined(op))
}

impl Operation {
    pub fn is_commutative(self) -> bool {
        match self {
            Operation::Predefined(op) => op.is_commutative(),
            Operation::User { commutative, .. } => commutative,
        }
    }

    /// Is it defined on these elements? A program's function is on all.
    pub fn check(self, datatype: &Datatype) -> Result<()> {
        let Operation::Predefined(op) = self else { return Ok(()) };
        match datatype.uniform_basic() {
            Some(basic) => {
                ensure(op.is_defined_on(basic), MPI_ERR_OP, || format!("{op} is not defined on {basic}"))
            }
            None => ensure(datatype.size() == 0, MPI_ERR_OP, || {
                format!("{op} is not defined on a datatype made of several others")
            }),
        }
    }

    /// `inout[i] = input[i] op inout[i]`, both packed.
    ///
    /// # Safety
    /// The library is not locked. A program's function does what MPI says it does.
    pub unsafe fn combine_packed(
        self,
        of: Elements<'_>,
        input: &[u8],
        inout: &mut [u8],
        held: &HeldException,
    ) -> Result<()> {
        self.check(of.datatype)?;
        match self {
            Operation::Predefined(op) => match of.datatype.uniform_basic() {
                Some(basic) => Ok(mpirage_data::op::apply(op, basic, inout, input)?),
                None => Ok(()),
            },
            // SAFETY: the caller vouches for the function; `as_in_memory` for what it is handed.
            Operation::User { function, .. } => unsafe {
                combine_as_in_memory(function, of, input, inout, held)
            },
        }
    }
}

impl UserFunction {
    /// Calls it. Its exception is held until the MPI call ends.
    ///
    /// # Safety
    /// Both addresses are those of buffers of such elements, and the function does what MPI says it does.
    pub unsafe fn call(
        self,
        input: *const c_void,
        inout: *mut c_void,
        of: Elements<'_>,
        held: &HeldException,
    ) -> Result<()> {
        match self {
            UserFunction::Int(function) => {
                let too_many =
                    || MpiError::new(MPI_ERR_COUNT, format!("{} elements are too many for int", of.count));
                let count = c_int::try_from(of.count).map_err(|_| too_many())?;
                // SAFETY: the caller vouches for the function and its buffers.
                held.hold_from(|| unsafe {
                    callbacks::user_function(function, input.cast_mut(), inout, count, of.handle)
                });
            }
            UserFunction::Large(function) => {
                let count = of.count as MPI_Count;
                // SAFETY: the caller vouches for the function and its buffers.
                held.hold_from(|| unsafe {
                    callbacks::user_function_c(function, input.cast_mut(), inout, count, of.handle)
                });
            }
        }
        Ok(())
    }
}

/// Lays packed elements out as their datatype has them in memory, which is how a program's function expects them.
///
/// # Safety
/// The function does what MPI says it does.
unsafe fn combine_as_in_memory(
    function: UserFunction,
    of: Elements<'_>,
    input: &[u8],
    inout: &mut [u8],
    held: &HeldException,
) -> Result<()> {
    let (low, high) = of.datatype.span(of.count)?;
    let origin = low.wrapping_neg() as usize;
    let laid_out = |packed: &[u8]| {
        let mut memory = vec![0_u128; ((high - low) as usize).div_ceil(size_of::<u128>())];
        of.datatype.unpack(of.count, packed, as_bytes(&mut memory), Origin(origin));
        memory
    };
    let (mut input, mut output) = (laid_out(input), laid_out(inout));
    let address = |memory: &mut [u128]| memory.as_mut_ptr().wrapping_byte_sub(low as usize).cast::<c_void>();
    // SAFETY: each buffer holds the span of the elements, aligned as strictly as C ever wants it.
    unsafe { function.call(address(&mut input), address(&mut output), of, held) }?;
    let mut packed = Vec::with_capacity(inout.len());
    of.datatype.pack(of.count, as_bytes(&mut output), Origin(origin), &mut packed);
    inout.copy_from_slice(&packed);
    Ok(())
}

fn as_bytes(words: &mut [u128]) -> &mut [u8] {
    // SAFETY: the same memory; bytes have no alignment and no invalid values.
    unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}

fn invalid(op: MPI_Op) -> MpiError {
    match op {
        MPI_OP_NULL => MpiError::new(MPI_ERR_OP, "the operation is MPI_OP_NULL"),
        MPI_Op(handle) => MpiError::new(MPI_ERR_OP, format!("{handle:#x} is not an operation")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_data::Basic;

    /// Subtracts, of elements 8 bytes apart, the first 4.
    unsafe extern "C-unwind" fn subtract(
        input: *mut c_void,
        inout: *mut c_void,
        count: *mut c_int,
        _: *mut MPI_Datatype,
    ) {
        // SAFETY: called below with buffers of that shape.
        unsafe {
            for i in 0..*count as usize {
                *inout.cast::<i32>().add(2 * i) -= *input.cast::<i32>().add(2 * i);
            }
        }
    }

    #[test]
    fn a_programs_function_sees_elements_as_in_memory() {
        let datatype = Datatype::basic(Basic::Int).resized(0, 8).unwrap();
        let of = Elements { count: 2, handle: MPI_INT, datatype: &datatype };
        let operation = Operation::User { function: UserFunction::Int(subtract), commutative: false };
        let mut inout: Vec<u8> = [50_i32, 60].iter().flat_map(|x| x.to_ne_bytes()).collect();
        let input: Vec<u8> = [1_i32, 2].iter().flat_map(|x| x.to_ne_bytes()).collect();
        // SAFETY: the function fits the datatype.
        unsafe { operation.combine_packed(of, &input, &mut inout, &HeldException::default()) }.unwrap();
        assert_eq!(inout, [49_i32, 58].iter().flat_map(|x| x.to_ne_bytes()).collect::<Vec<_>>());
    }

    #[test]
    fn a_sum_of_pairs_is_refused() {
        let error = Operation::Predefined(Op::Sum).check(&Basic::DoubleInt.into()).unwrap_err();
        assert_eq!(
            (error.class, error.text.as_str()),
            (MPI_ERR_OP, "MPI_SUM is not defined on MPI_DOUBLE_INT")
        );
    }
}
