//! How a datatype was made: its envelope and its contents.

use crate::constants::*;
use crate::frame::outcome;
use crate::ground::arguments::{Number, put, put_all, size};
use crate::ground::error::{MpiError, Result, ensure, fail};
use crate::objects::datatype::{DatatypeKind, DatatypeObject, Parameters};
use crate::rank;
use crate::types::{MPI_Aint, MPI_Count, MPI_Datatype};
use core::ffi::c_int;
use mpirage_data::{Codes, Combiner, Contents, Interface};

pub(crate) unsafe extern "C-unwind" fn MPI_Type_get_envelope(
    datatype: MPI_Datatype,
    num_integers: *mut c_int,
    num_addresses: *mut c_int,
    num_datatypes: *mut c_int,
    combiner: *mut c_int,
) -> c_int {
    outcome(None, || {
        let (made_by, lists) = describe(datatype, Some(Interface::Classic))?;
        // SAFETY: the program hands over places for the answers.
        unsafe {
            put("num_integers", num_integers, length(&lists.integers)?)?;
            put("num_addresses", num_addresses, length(&lists.addresses)?)?;
            put("num_datatypes", num_datatypes, length(&lists.datatypes)?)?;
            put("combiner", combiner, made_by)
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_get_envelope_c(
    datatype: MPI_Datatype,
    num_integers: *mut MPI_Count,
    num_addresses: *mut MPI_Count,
    num_large_counts: *mut MPI_Count,
    num_datatypes: *mut MPI_Count,
    combiner: *mut c_int,
) -> c_int {
    outcome(None, || {
        let (made_by, lists) = describe(datatype, None)?;
        // SAFETY: the program hands over places for the answers.
        unsafe {
            put("num_integers", num_integers, length(&lists.integers)?)?;
            put("num_addresses", num_addresses, length(&lists.addresses)?)?;
            put("num_large_counts", num_large_counts, length(&lists.counts)?)?;
            put("num_datatypes", num_datatypes, length(&lists.datatypes)?)?;
            put("combiner", combiner, made_by)
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_get_contents(
    datatype: MPI_Datatype,
    max_integers: c_int,
    max_addresses: c_int,
    max_datatypes: c_int,
    array_of_integers: *mut c_int,
    array_of_addresses: *mut MPI_Aint,
    array_of_datatypes: *mut MPI_Datatype,
) -> c_int {
    outcome(None, || {
        let (made_by, lists) = describe(datatype, Some(Interface::Classic))?;
        refuse_named(made_by)?;
        // SAFETY: the program hands over arrays of these lengths.
        unsafe {
            fill("array_of_integers", array_of_integers, max_integers, &lists.integers)?;
            fill("array_of_addresses", array_of_addresses, max_addresses, &lists.addresses)?;
            fill_datatypes(array_of_datatypes, max_datatypes, &lists)
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_get_contents_c(
    datatype: MPI_Datatype,
    max_integers: MPI_Count,
    max_addresses: MPI_Count,
    max_large_counts: MPI_Count,
    max_datatypes: MPI_Count,
    array_of_integers: *mut c_int,
    array_of_addresses: *mut MPI_Aint,
    array_of_large_counts: *mut MPI_Count,
    array_of_datatypes: *mut MPI_Datatype,
) -> c_int {
    outcome(None, || {
        let (made_by, lists) = describe(datatype, None)?;
        refuse_named(made_by)?;
        // SAFETY: the program hands over arrays of these lengths.
        unsafe {
            fill("array_of_integers", array_of_integers, max_integers, &lists.integers)?;
            fill("array_of_addresses", array_of_addresses, max_addresses, &lists.addresses)?;
            fill("array_of_large_counts", array_of_large_counts, max_large_counts, &lists.counts)?;
            fill_datatypes(array_of_datatypes, max_datatypes, &lists)
        }
    })
}

const CODES: Codes = Codes {
    order_c: MPI_ORDER_C as i64,
    order_fortran: MPI_ORDER_FORTRAN as i64,
    block: MPI_DISTRIBUTE_BLOCK as i64,
    cyclic: MPI_DISTRIBUTE_CYCLIC as i64,
    none: MPI_DISTRIBUTE_NONE as i64,
    default_darg: MPI_DISTRIBUTE_DFLT_DARG as i64,
};

/// The combiner and the arguments, sorted as in the form that made the datatype, unless the caller asks for the other.
fn describe(handle: MPI_Datatype, interface: Option<Interface>) -> Result<(c_int, Contents)> {
    rank::with(|objects| {
        let object = objects.datatypes.get(handle)?;
        if let DatatypeKind::Parameterized(parameters) = object.kind {
            return Ok((parameters.combiner, parameters_of(parameters)));
        }
        let DatatypeObject { datatype, interface: made_with, .. } = object;
        let constructor = datatype.constructor();
        let lists = constructor.contents(interface.unwrap_or(*made_with), &CODES);
        Ok((code(constructor.combiner()), lists))
    })
}

fn parameters_of(Parameters { precision, range, .. }: Parameters) -> Contents {
    let integers = precision.into_iter().chain([range]).map(i64::from).collect();
    Contents { integers, ..Contents::default() }
}

fn code(combiner: Combiner) -> c_int {
    match combiner {
        Combiner::Named => MPI_COMBINER_NAMED,
        Combiner::Dup => MPI_COMBINER_DUP,
        Combiner::Contiguous => MPI_COMBINER_CONTIGUOUS,
        Combiner::Vector => MPI_COMBINER_VECTOR,
        Combiner::Hvector => MPI_COMBINER_HVECTOR,
        Combiner::Indexed => MPI_COMBINER_INDEXED,
        Combiner::Hindexed => MPI_COMBINER_HINDEXED,
        Combiner::IndexedBlock => MPI_COMBINER_INDEXED_BLOCK,
        Combiner::HindexedBlock => MPI_COMBINER_HINDEXED_BLOCK,
        Combiner::Struct => MPI_COMBINER_STRUCT,
        Combiner::Subarray => MPI_COMBINER_SUBARRAY,
        Combiner::Darray => MPI_COMBINER_DARRAY,
        Combiner::Resized => MPI_COMBINER_RESIZED,
    }
}

fn refuse_named(combiner: c_int) -> Result<()> {
    ensure(combiner != MPI_COMBINER_NAMED, MPI_ERR_TYPE, || {
        "a predefined datatype has no contents; its combiner is MPI_COMBINER_NAMED".to_owned()
    })
}

fn length<T, N: Number>(list: &[T]) -> Result<N> {
    N::narrow(list.len() as i64).ok_or_else(|| too_large(list.len() as i64))
}

/// # Safety
/// Unless it is null, the array has `room` entries.
unsafe fn fill<T: Number, N: Number>(what: &str, place: *mut T, room: N, values: &[i64]) -> Result<()> {
    check_room(what, room, values.len())?;
    let narrow = |&value: &i64| T::narrow(value).ok_or_else(|| too_large(value));
    let values = values.iter().map(narrow).collect::<Result<Vec<T>>>()?;
    // SAFETY: the caller vouches for it.
    unsafe { put_all(what, place, values.into_iter()) }
}

/// # Safety
/// Unless it is null, the array has `room` entries.
unsafe fn fill_datatypes<N: Number>(place: *mut MPI_Datatype, room: N, lists: &Contents) -> Result<()> {
    check_room("array_of_datatypes", room, lists.datatypes.len())?;
    let handles: Vec<MPI_Datatype> = rank::with(|objects| {
        lists.datatypes.iter().map(|part| objects.datatypes.handle_of_part(part)).collect()
    });
    // SAFETY: the caller vouches for it.
    unsafe { put_all("array_of_datatypes", place, handles.into_iter()) }
}

fn check_room<N: Number>(what: &str, room: N, needed: usize) -> Result<()> {
    let room = size(what, room)?;
    if room < needed {
        fail!(MPI_ERR_ARG, "{what} has room for {room} of {needed} entries");
    }
    Ok(())
}

fn too_large(value: i64) -> MpiError {
    MpiError::new(MPI_ERR_VALUE_TOO_LARGE, format!("{value} does not fit; ask with the _c function"))
}
