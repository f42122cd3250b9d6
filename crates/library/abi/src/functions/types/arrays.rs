//! Datatypes that are parts of arrays.

use super::derive;
use crate::constants::*;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{Number, array, numbers, size};
use crate::ground::error::{MpiError, Result, fail};
use crate::types::{MPI_Count, MPI_Datatype};
use core::ffi::c_int;
use mpirage_data::{DarrayDimension, Distribution, Order};

both_forms! {
    (ndims: c_int, array_of_sizes: Counts, array_of_subsizes: Counts, array_of_starts: Counts, order: c_int,
     oldtype: MPI_Datatype, newtype: TypePlace) {
        derive(INTERFACE, oldtype, newtype, |old| {
            let ndims = dimensions(ndims)?;
            let sizes = numbers("array_of_sizes", array_of_sizes, ndims)?;
            let subsizes = numbers("array_of_subsizes", array_of_subsizes, ndims)?;
            let starts = numbers("array_of_starts", array_of_starts, ndims)?;
            Ok(old.subarray(&sizes, &subsizes, &starts, self::order(order)?)?)
        })
    }:
        MPI_Type_create_subarray MPI_Type_create_subarray_c;
    (size: c_int, rank: c_int, ndims: c_int, array_of_gsizes: Counts, array_of_distribs: Ints,
     array_of_dargs: Ints, array_of_psizes: Ints, order: c_int, oldtype: MPI_Datatype, newtype: TypePlace) {
        let grid = Grid { distribs: array_of_distribs, dargs: array_of_dargs, psizes: array_of_psizes };
        derive(INTERFACE, oldtype, newtype, |old| {
            let dimensions = grid.dimensions(ndims, array_of_gsizes)?;
            Ok(old.darray(size.wide(), rank.wide(), &dimensions, self::order(order)?)?)
        })
    }:
        MPI_Type_create_darray MPI_Type_create_darray_c;
}

/// The arrays of a distributed array that are the same in both forms.
struct Grid {
    distribs: *const c_int,
    dargs: *const c_int,
    psizes: *const c_int,
}

impl Grid {
    /// # Safety
    /// Unless null, the arrays have `ndims` entries.
    unsafe fn dimensions<N: Number>(&self, ndims: c_int, gsizes: *const N) -> Result<Vec<DarrayDimension>> {
        let ndims = dimensions(ndims)?;
        // SAFETY: the caller vouches for it.
        let (gsizes, distribs, dargs, psizes) = unsafe {
            (
                numbers("array_of_gsizes", gsizes, ndims)?,
                array("array_of_distribs", self.distribs, ndims)?,
                array("array_of_dargs", self.dargs, ndims)?,
                array("array_of_psizes", self.psizes, ndims)?,
            )
        };
        let dimension = |d: usize| {
            Ok(DarrayDimension {
                gsize: gsizes[d],
                distribution: distribution(distribs[d])?,
                darg: (dargs[d] != MPI_DISTRIBUTE_DFLT_DARG).then_some(dargs[d].wide()),
                psize: psizes[d].wide(),
            })
        };
        (0..ndims).map(dimension).collect()
    }
}

fn dimensions(ndims: c_int) -> Result<usize> {
    match size("ndims", ndims)? {
        0 => fail!(MPI_ERR_ARG, "ndims is 0"),
        ndims => Ok(ndims),
    }
}

fn order(order: c_int) -> Result<Order> {
    match order {
        MPI_ORDER_C => Ok(Order::C),
        MPI_ORDER_FORTRAN => Ok(Order::Fortran),
        _ => fail!(MPI_ERR_ARG, "order is {order}, neither MPI_ORDER_C nor MPI_ORDER_FORTRAN"),
    }
}

fn distribution(distribution: c_int) -> Result<Distribution> {
    match distribution {
        MPI_DISTRIBUTE_BLOCK => Ok(Distribution::Block),
        MPI_DISTRIBUTE_CYCLIC => Ok(Distribution::Cyclic),
        MPI_DISTRIBUTE_NONE => Ok(Distribution::None),
        _ => Err(MpiError::new(MPI_ERR_ARG, format!("{distribution} is not a way to distribute an array"))),
    }
}
