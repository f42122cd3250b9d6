//! Predefined reduction operators on packed data.
//!
//! [`apply`] computes `inout[i] = in[i] op inout[i]`, the order MPI gives user functions too.
//! Data is packed: elements follow each other without padding. For pair types that means the value
//! and then at once the index, so an element of `MPI_DOUBLE_INT` is 12 bytes here, not the 16 of
//! memory.
//!
//! Integers wrap on overflow. `MPI_MAX` and `MPI_MIN` of floating point are C's
//! `inout > in ? inout : in`, so with a NaN on either side the incoming value stays, as in MPICH
//! and Open MPI.

mod element;
mod location;
mod long_double;

use thiserror::Error;

use crate::basic::{Basic, Class};
use element::{Complex, Floating, Integer, elementwise};
use long_double::LongDouble;

/// A predefined operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are those of MPI
pub enum Op {
    Max,
    Min,
    Sum,
    Prod,
    Land,
    Band,
    Lor,
    Bor,
    Lxor,
    Bxor,
    Minloc,
    Maxloc,
    Replace,
    NoOp,
}

/// A reduction that cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpError {
    /// The standard does not define this operator on this datatype.
    #[error("{op} is not defined on {basic}")]
    NotDefined {
        /// The operator.
        op: Op,
        /// The datatype.
        basic: Basic,
    },
    /// Defined, but of a floating-point format that this machine does not compute with.
    #[error("{op} on {basic} is not implemented")]
    NotImplemented {
        /// The operator.
        op: Op,
        /// The datatype.
        basic: Basic,
    },
    /// The two vectors differ in length, or are not whole elements.
    #[error("vectors of {inout} and {input} bytes are not equally many {basic}")]
    Length {
        /// Bytes of the vector combined into.
        inout: usize,
        /// Bytes of the vector combined.
        input: usize,
        /// The datatype.
        basic: Basic,
    },
}

impl Op {
    /// All operators.
    pub const ALL: [Op; 14] = [
        Op::Max,
        Op::Min,
        Op::Sum,
        Op::Prod,
        Op::Land,
        Op::Band,
        Op::Lor,
        Op::Bor,
        Op::Lxor,
        Op::Bxor,
        Op::Minloc,
        Op::Maxloc,
        Op::Replace,
        Op::NoOp,
    ];

    /// The name MPI gives it.
    pub const fn name(self) -> &'static str {
        match self {
            Op::Max => "MPI_MAX",
            Op::Min => "MPI_MIN",
            Op::Sum => "MPI_SUM",
            Op::Prod => "MPI_PROD",
            Op::Land => "MPI_LAND",
            Op::Band => "MPI_BAND",
            Op::Lor => "MPI_LOR",
            Op::Bor => "MPI_BOR",
            Op::Lxor => "MPI_LXOR",
            Op::Bxor => "MPI_BXOR",
            Op::Minloc => "MPI_MINLOC",
            Op::Maxloc => "MPI_MAXLOC",
            Op::Replace => "MPI_REPLACE",
            Op::NoOp => "MPI_NO_OP",
        }
    }

    /// Whether the order of operands may be changed. Only `MPI_REPLACE` and `MPI_NO_OP` mind.
    pub const fn is_commutative(self) -> bool {
        !matches!(self, Op::Replace | Op::NoOp)
    }

    /// Whether the standard defines it on `basic`.
    pub fn is_defined_on(self, basic: Basic) -> bool {
        use Class::{Byte, CInteger, Complex, Floating, FortranInteger, Logical, MultiLanguage, Pair};
        // The standard leaves MPI_CHAR out, and MPI_AINT and its like of logical operators, but
        // programs use them and both MPICH and Open MPI let them.
        let class = if basic == Basic::Char { CInteger } else { basic.class() };
        match self {
            Op::Max | Op::Min => matches!(class, CInteger | FortranInteger | Floating | MultiLanguage),
            Op::Sum | Op::Prod => {
                matches!(class, CInteger | FortranInteger | Floating | Complex | MultiLanguage)
            }
            Op::Land | Op::Lor | Op::Lxor => matches!(class, CInteger | Logical | MultiLanguage),
            Op::Band | Op::Bor | Op::Bxor => {
                matches!(class, CInteger | FortranInteger | Byte | MultiLanguage)
            }
            Op::Minloc | Op::Maxloc => class == Pair,
            Op::Replace | Op::NoOp => true,
        }
    }
}

impl std::fmt::Display for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// `inout[i] = input[i] op inout[i]` on packed elements of type `basic`.
///
/// `MPI_REPLACE` makes `inout` a copy of `input`, and `MPI_NO_OP` leaves it, as accumulation into
/// a window needs it with the window as `inout`.
pub fn apply(op: Op, basic: Basic, inout: &mut [u8], input: &[u8]) -> Result<(), OpError> {
    if !op.is_defined_on(basic) {
        return Err(OpError::NotDefined { op, basic });
    }
    if inout.len() != input.len() || !inout.len().is_multiple_of(basic.size()) {
        return Err(OpError::Length { inout: inout.len(), input: input.len(), basic });
    }
    match op {
        Op::Replace => inout.copy_from_slice(input),
        Op::NoOp => {}
        _ => compute(op, basic, inout, input)?,
    }
    Ok(())
}

/// Chooses the machine type that a basic is computed in.
fn compute(op: Op, basic: Basic, inout: &mut [u8], input: &[u8]) -> Result<(), OpError> {
    use Basic::*;
    match basic {
        Char | SignedChar | Int8 | Integer1 => integers::<i8>(op, inout, input),
        UnsignedChar | Uint8 | Byte => integers::<u8>(op, inout, input),
        Short | Int16 | Integer2 => integers::<i16>(op, inout, input),
        UnsignedShort | Uint16 => integers::<u16>(op, inout, input),
        Int | Int32 | Integer | Integer4 => integers::<i32>(op, inout, input),
        Unsigned | Uint32 => integers::<u32>(op, inout, input),
        Long | LongLong | Int64 | Integer8 | Aint | Count | Offset => integers::<i64>(op, inout, input),
        UnsignedLong | UnsignedLongLong | Uint64 => integers::<u64>(op, inout, input),
        Integer16 => integers::<i128>(op, inout, input),
        CBool | CxxBool | Logical1 => integers::<u8>(op, inout, input),
        Logical2 => integers::<u16>(op, inout, input),
        Logical | Logical4 => integers::<u32>(op, inout, input),
        Logical8 => integers::<u64>(op, inout, input),
        Logical16 => integers::<u128>(op, inout, input),
        Float | Real | Real4 => floats::<f32>(op, inout, input),
        Double | DoublePrecision | Real8 => floats::<f64>(op, inout, input),
        LongDouble => floats::<self::LongDouble>(op, inout, input),
        CFloatComplex | CxxFloatComplex | Complex | Complex8 => complexes::<f32>(op, inout, input),
        CDoubleComplex | CxxDoubleComplex | DoubleComplex | Complex16 => complexes::<f64>(op, inout, input),
        CLongDoubleComplex | CxxLongDoubleComplex => complexes::<self::LongDouble>(op, inout, input),
        FloatInt => location::combine::<f32, i32>(op, inout, input),
        DoubleInt => location::combine::<f64, i32>(op, inout, input),
        LongInt => location::combine::<i64, i32>(op, inout, input),
        TwoInt | TwoInteger => location::combine::<i32, i32>(op, inout, input),
        ShortInt => location::combine::<i16, i32>(op, inout, input),
        LongDoubleInt => location::combine::<self::LongDouble, i32>(op, inout, input),
        TwoReal => location::combine::<f32, f32>(op, inout, input),
        TwoDoublePrecision => location::combine::<f64, f64>(op, inout, input),
        Real2 | Real16 | Complex4 | Complex32 => return Err(OpError::NotImplemented { op, basic }),
        Packed | Wchar | Character => return Err(OpError::NotDefined { op, basic }),
    }
    Ok(())
}

fn integers<T: Integer>(op: Op, inout: &mut [u8], input: &[u8]) {
    let truth = |value: T| value != T::FALSE;
    match op {
        Op::Max => elementwise(inout, input, |a: T, b| if a > b { a } else { b }),
        Op::Min => elementwise(inout, input, |a: T, b| if a < b { a } else { b }),
        Op::Sum => elementwise(inout, input, T::plus),
        Op::Prod => elementwise(inout, input, T::times),
        Op::Band => elementwise(inout, input, |a: T, b| a & b),
        Op::Bor => elementwise(inout, input, |a: T, b| a | b),
        Op::Bxor => elementwise(inout, input, |a: T, b| a ^ b),
        Op::Land => elementwise(inout, input, |a, b| T::from(truth(a) & truth(b))),
        Op::Lor => elementwise(inout, input, |a, b| T::from(truth(a) | truth(b))),
        Op::Lxor => elementwise(inout, input, |a, b| T::from(truth(a) ^ truth(b))),
        Op::Minloc | Op::Maxloc | Op::Replace | Op::NoOp => unreachable!("{op} of plain integers"),
    }
}

fn floats<T: Floating>(op: Op, inout: &mut [u8], input: &[u8]) {
    match op {
        Op::Max => elementwise(inout, input, |a: T, b| if a > b { a } else { b }),
        Op::Min => elementwise(inout, input, |a: T, b| if a < b { a } else { b }),
        Op::Sum => elementwise(inout, input, |a: T, b| b + a),
        Op::Prod => elementwise(inout, input, |a: T, b| b * a),
        _ => unreachable!("{op} of floating point"),
    }
}

fn complexes<T: Floating>(op: Op, inout: &mut [u8], input: &[u8]) {
    match op {
        Op::Sum => elementwise(inout, input, |a: Complex<T>, b| b.plus(a)),
        Op::Prod => elementwise(inout, input, |a: Complex<T>, b| b.times(a)),
        _ => unreachable!("{op} of complex numbers"),
    }
}

#[cfg(test)]
mod tests;
