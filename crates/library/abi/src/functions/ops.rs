//! Reduction operations (section 6.9 of the standard).

use crate::constants::{MPI_ERR_ARG, MPI_ERR_BUFFER, MPI_IN_PLACE, MPI_OP_NULL};
use crate::frame::outcome;
use crate::ground::arguments::{Number, not_null, put};
use crate::ground::error::{MpiError, Result, ensure};
use crate::objects::op::{Elements, Operation, UserFunction};
use crate::operations::region::Region;
use crate::rank;
use crate::types::{MPI_Count, MPI_Datatype, MPI_Op, MPI_User_function, MPI_User_function_c};
use core::ffi::{c_int, c_void};

pub(crate) unsafe extern "C-unwind" fn MPI_Op_create(
    user_fn: Option<MPI_User_function>,
    commute: c_int,
    op: *mut MPI_Op,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    unsafe { create(user_fn.map(UserFunction::Int), commute, op) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Op_create_c(
    user_fn: Option<MPI_User_function_c>,
    commute: c_int,
    op: *mut MPI_Op,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    unsafe { create(user_fn.map(UserFunction::Large), commute, op) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Op_free(op: *mut MPI_Op) -> c_int {
    outcome(None, || {
        not_null("op", op)?;
        // SAFETY: not null, and the program points to a handle.
        let handle = unsafe { *op };
        rank::with(|objects| objects.ops.remove(handle))?;
        // SAFETY: as above.
        unsafe { put("op", op, MPI_OP_NULL) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Op_commutative(op: MPI_Op, commute: *mut c_int) -> c_int {
    outcome(None, || {
        let operation = rank::with(|objects| objects.ops.get(op))?;
        // SAFETY: the program hands over a place for an int.
        unsafe { put("commute", commute, operation.is_commutative().into()) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Reduce_local(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> c_int {
    // SAFETY: the program hands over two buffers of `count` elements.
    unsafe { reduce_local(inbuf, inoutbuf, count, datatype, op) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Reduce_local_c(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> c_int {
    // SAFETY: the program hands over two buffers of `count` elements.
    unsafe { reduce_local(inbuf, inoutbuf, count, datatype, op) }
}

/// # Safety
/// Unless it is null, `op` can be written.
unsafe fn create(function: Option<UserFunction>, commute: c_int, op: *mut MPI_Op) -> c_int {
    outcome(None, || {
        let null = || MpiError::new(MPI_ERR_ARG, "user_fn is a null pointer");
        let function = function.ok_or_else(null)?;
        let operation = Operation::User { function, commutative: commute != 0 };
        // SAFETY: the caller vouches for it.
        unsafe { put("op", op, rank::with(|objects| objects.ops.insert(operation))) }
    })
}

/// # Safety
/// Both buffers hold `count` elements.
unsafe fn reduce_local<N: Number>(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: N,
    handle: MPI_Datatype,
    op: MPI_Op,
) -> c_int {
    outcome(None, || {
        let in_place = [inbuf, inoutbuf.cast_const()].contains(&MPI_IN_PLACE.cast_const());
        ensure(!in_place, MPI_ERR_BUFFER, || "MPI_IN_PLACE means nothing to MPI_Reduce_local".to_owned())?;
        let (input, inout, operation) = rank::try_with(|objects| {
            let input = Region::of_arguments(&objects.datatypes, "inbuf", inbuf, count, handle)?;
            let inout = Region::of_arguments(&objects.datatypes, "inoutbuf", inoutbuf, count, handle)?;
            Ok((input, inout, objects.ops.get(op)?))
        })?;
        operation.check(input.datatype())?;
        if input.bytes() == 0 {
            return Ok(());
        }
        let of = Elements { count: count.wide() as usize, handle, datatype: input.datatype() };
        ensure(inbuf != inoutbuf.cast_const(), MPI_ERR_BUFFER, || {
            "inbuf and inoutbuf are the same buffer".to_owned()
        })?;
        match operation {
            // SAFETY: the caller vouches for the buffers, the program for its function.
            Operation::User { function, .. } => unsafe {
                function.call(inbuf, inoutbuf, of, &rank::this().held_exception)
            },
            // SAFETY: the caller vouches for the buffers.
            Operation::Predefined(_) => unsafe { reduce_packed(operation, of, &input, &inout) },
        }
    })
}

/// # Safety
/// Both buffers hold such elements.
unsafe fn reduce_packed(
    operation: Operation,
    of: Elements<'_>,
    input: &Region,
    inout: &Region,
) -> Result<()> {
    let held = &rank::this().held_exception;
    // SAFETY: the caller vouches for the buffers. They have no byte in common, so one may be written while the other is read.
    unsafe {
        if !inout.touches(input.address(), input.bytes())
            && let (Some(operand), Some(result)) = (input.plain(), inout.plain_mut())
        {
            return operation.combine_packed(of, operand, result, held);
        }
    }
    let (mut operand, mut result) = (Vec::new(), Vec::new());
    // SAFETY: the caller vouches for the buffers; a predefined operation calls nothing.
    unsafe {
        input.pack(&mut operand);
        inout.pack(&mut result);
        operation.combine_packed(of, &operand, &mut result, held)?;
        inout.unpack(&result);
    }
    Ok(())
}
