//! `MPI_LB` and `MPI_UB` of MPI-1: members of a structure that are no data but set its bounds.
//!
//! MPI-3 removed them, and the MPI 5 ABI has no handles for them. Programs built for MPICH or Open MPI may still use them; fronts translate
//! them to these numbers, which the ABI leaves free (`front/build/dialect.rs` has the same).

use super::datatype;
use crate::ground::error::Result;
use crate::types::MPI_Datatype;
use mpirage_data::Datatype;

const LOWER: MPI_Datatype = MPI_Datatype(0x2fe);
const UPPER: MPI_Datatype = MPI_Datatype(0x2ff);

/// `MPI_Type_create_struct` of members, some of which may be bounds.
pub(super) fn structure(lengths: &[i64], displacements: &[i64], types: &[MPI_Datatype]) -> Result<Datatype> {
    if !types.iter().any(is_bound) {
        let types = types.iter().map(|&of| datatype(of)).collect::<Result<Vec<_>>>()?;
        return Ok(Datatype::structure(lengths, displacements, &types)?);
    }
    let places = |bound: MPI_Datatype| {
        displacements.iter().zip(types).filter(move |(_, of)| **of == bound).map(|(&place, _)| place)
    };
    let data = || (0..types.len()).filter(|&member| !is_bound(&types[member]));
    let members = data().map(|member| datatype(types[member])).collect::<Result<Vec<_>>>()?;
    let of_data = |numbers: &[i64]| data().map(|member| numbers[member]).collect::<Vec<_>>();
    let inside = Datatype::structure(&of_data(lengths), &of_data(displacements), &members)?;
    let lb = places(LOWER).min().unwrap_or_else(|| inside.lb());
    let ub = places(UPPER).max().unwrap_or_else(|| inside.ub());
    Ok(inside.resized(lb, ub - lb)?)
}

fn is_bound(of: &MPI_Datatype) -> bool {
    [LOWER, UPPER].contains(of)
}
