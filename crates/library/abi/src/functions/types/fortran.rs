//! Datatypes chosen by what they can hold.

use crate::constants::*;
use crate::frame::outcome;
use crate::ground::arguments::put;
use crate::ground::error::{MpiError, Result, ensure};
use crate::objects::datatype::Parameters;
use crate::objects::predefined_types::{PREDEFINED, handle_of};
use crate::rank;
use crate::types::MPI_Datatype;
use core::ffi::c_int;
use mpirage_data::Basic;

/// Decimal digits and exponent of the reals, the smallest first.
const REALS: [(c_int, c_int, Basic, Basic); 3] = [
    (6, 37, Basic::Real4, Basic::Complex8),
    (15, 307, Basic::Real8, Basic::Complex16),
    (33, 4931, Basic::Real16, Basic::Complex32),
];

/// Decimal exponent of the integers, the smallest first.
const INTEGERS: [(c_int, Basic); 5] = [
    (2, Basic::Integer1),
    (4, Basic::Integer2),
    (9, Basic::Integer4),
    (18, Basic::Integer8),
    (38, Basic::Integer16),
];

pub(crate) unsafe extern "C-unwind" fn MPI_Type_match_size(
    typeclass: c_int,
    size: c_int,
    datatype: *mut MPI_Datatype,
) -> c_int {
    outcome(None, || {
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("datatype", datatype, handle_of(of_size(typeclass, size)?)) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_f90_real(
    p: c_int,
    r: c_int,
    newtype: *mut MPI_Datatype,
) -> c_int {
    outcome(None, || {
        let (real, _) = of_precision(p, r)?;
        let parameters = Parameters { combiner: MPI_COMBINER_F90_REAL, precision: Some(p), range: r };
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("newtype", newtype, parameterized(parameters, real)) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_f90_complex(
    p: c_int,
    r: c_int,
    newtype: *mut MPI_Datatype,
) -> c_int {
    outcome(None, || {
        let (_, complex) = of_precision(p, r)?;
        let parameters = Parameters { combiner: MPI_COMBINER_F90_COMPLEX, precision: Some(p), range: r };
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("newtype", newtype, parameterized(parameters, complex)) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_f90_integer(
    r: c_int,
    newtype: *mut MPI_Datatype,
) -> c_int {
    outcome(None, || {
        let found = INTEGERS.iter().find(|&&(range, _)| r <= range);
        let none = || MpiError::new(MPI_ERR_ARG, format!("no integer has a decimal exponent of {r}"));
        let &(_, integer) = found.ok_or_else(none)?;
        let parameters = Parameters { combiner: MPI_COMBINER_F90_INTEGER, precision: None, range: r };
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("newtype", newtype, parameterized(parameters, integer)) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_get_value_index(
    value_type: MPI_Datatype,
    index_type: MPI_Datatype,
    pair_type: *mut MPI_Datatype,
) -> c_int {
    outcome(None, || {
        rank::try_with(|objects| {
            objects.datatypes.get(value_type)?;
            objects.datatypes.get(index_type).map(drop)
        })?;
        let of_these = |basic: Basic| {
            basic.pair().is_some_and(|(value, index)| {
                (handle_of(value), handle_of(index)) == (value_type, index_type)
            })
        };
        let pair = PREDEFINED.iter().find(|&&(_, basic)| of_these(basic));
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("pair_type", pair_type, pair.map_or(MPI_DATATYPE_NULL, |&(handle, _)| handle)) }
    })
}

fn of_size(typeclass: c_int, size: c_int) -> Result<Basic> {
    let candidates: Vec<Basic> = match typeclass {
        MPI_TYPECLASS_INTEGER => INTEGERS.map(|(_, integer)| integer).to_vec(),
        MPI_TYPECLASS_REAL => REALS.map(|(_, _, real, _)| real).to_vec(),
        MPI_TYPECLASS_COMPLEX => REALS.map(|(_, _, _, complex)| complex).to_vec(),
        _ => return Err(MpiError::new(MPI_ERR_ARG, format!("{typeclass} is not a class of datatypes"))),
    };
    let found = candidates.into_iter().find(|basic| usize::try_from(size) == Ok(basic.size()));
    found.ok_or_else(|| MpiError::new(MPI_ERR_ARG, format!("no datatype of that class has {size} bytes")))
}

/// The smallest real and complex with this precision and range; what is undefined does not matter.
fn of_precision(p: c_int, r: c_int) -> Result<(Basic, Basic)> {
    let asked = p != MPI_UNDEFINED || r != MPI_UNDEFINED;
    ensure(asked, MPI_ERR_ARG, || "both p and r are MPI_UNDEFINED".to_owned())?;
    let found = REALS.iter().find(|&&(digits, exponent, ..)| p <= digits && r <= exponent);
    let none = || MpiError::new(MPI_ERR_ARG, format!("no real has {p} digits and an exponent of {r}"));
    found.map(|&(_, _, real, complex)| (real, complex)).ok_or_else(none)
}

fn parameterized(parameters: Parameters, basic: Basic) -> MPI_Datatype {
    rank::with(|objects| objects.datatypes.parameterized(parameters, basic))
}
