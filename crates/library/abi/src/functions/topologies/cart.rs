//! Cartesian grids.

use super::{make, rank_in, size_of, topology_of, wrong_kind};
use crate::constants::*;
use crate::frame::outcome;
use crate::ground::arguments::{array, put, put_all, size};
use crate::ground::error::{MpiError, Result, ensure, fail};
use crate::objects::topology::Topology;
use crate::types::MPI_Comm;
use core::ffi::c_int;
use mpirage_data::{Cart, dims_create};

pub(crate) unsafe extern "C-unwind" fn MPI_Dims_create(
    nnodes: c_int,
    ndims: c_int,
    dims: *mut c_int,
) -> c_int {
    outcome(None, || {
        let ndims = dimensions(ndims)?;
        // SAFETY: the program hands over an array of `ndims` entries.
        let mut chosen = unsafe { array("dims", dims, ndims) }?.to_vec();
        dims_create(nnodes, &mut chosen)?;
        // SAFETY: as above.
        unsafe { put_all("dims", dims, chosen.into_iter()) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Cart_create(
    comm_old: MPI_Comm,
    ndims: c_int,
    dims: *const c_int,
    periods: *const c_int,
    _reorder: c_int,
    comm_cart: *mut MPI_Comm,
) -> c_int {
    outcome(comm_old, || {
        // SAFETY: the program hands over arrays of `ndims` entries.
        let cart = unsafe { grid(ndims, dims, periods) }?;
        // SAFETY: the program hands over a place for the handle, which is null unless the grid fits.
        unsafe { put("comm_cart", comm_cart, MPI_COMM_NULL) }?;
        check_size(comm_old, &cart)?;
        let members = cart.size();
        let comm = make::of_first(comm_old, members, Topology::Cart(cart))?;
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("comm_cart", comm_cart, comm) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Cart_sub(
    comm: MPI_Comm,
    remain_dims: *const c_int,
    newcomm: *mut MPI_Comm,
) -> c_int {
    outcome(comm, || {
        let (cart, rank) = cart_of(comm)?;
        // SAFETY: the program hands over an array with an entry for each dimension.
        let remain = unsafe { array("remain_dims", remain_dims, cart.dims().len()) }?;
        let remain: Vec<bool> = remain.iter().map(|&remains| remains != 0).collect();
        let place = cart.sub_grid(rank as i32, &remain)?;
        let comm = make::of_slice(comm, place.color, place.rank, Topology::Cart(cart.sub(&remain)?))?;
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("newcomm", newcomm, comm) }
    })
}

/// Ranks are not reordered, so each keeps its number; ranks outside the grid get `MPI_UNDEFINED`.
pub(crate) unsafe extern "C-unwind" fn MPI_Cart_map(
    comm: MPI_Comm,
    ndims: c_int,
    dims: *const c_int,
    periods: *const c_int,
    newrank: *mut c_int,
) -> c_int {
    outcome(comm, || {
        // SAFETY: the program hands over arrays of `ndims` entries.
        let places = unsafe { places(comm, ndims, dims, periods) }?;
        let rank = rank_in(comm)?;
        let mapped = if rank < places { rank as c_int } else { MPI_UNDEFINED };
        // SAFETY: the program hands over a place for an int.
        unsafe { put("newrank", newrank, mapped) }
    })
}

/// How many ranks a grid has that is only asked about. One with a dimension of zero has none, as in MPICH; it cannot be created.
///
/// # Safety
/// `dims` and `periods` are arrays of `ndims` entries.
unsafe fn places(comm: MPI_Comm, ndims: c_int, dims: *const c_int, periods: *const c_int) -> Result<u32> {
    // SAFETY: the caller vouches for it.
    if unsafe { array("dims", dims, size("ndims", ndims)?)? }.contains(&0) {
        return Ok(0);
    }
    // SAFETY: the caller vouches for it.
    let cart = unsafe { grid(ndims, dims, periods) }?;
    check_size(comm, &cart)?;
    Ok(cart.size())
}

pub(crate) unsafe extern "C-unwind" fn MPI_Cartdim_get(comm: MPI_Comm, ndims: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int.
    outcome(comm, || unsafe { put("ndims", ndims, cart_of(comm)?.0.dims().len() as c_int) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Cart_get(
    comm: MPI_Comm,
    maxdims: c_int,
    dims: *mut c_int,
    periods: *mut c_int,
    coords: *mut c_int,
) -> c_int {
    outcome(comm, || {
        let (cart, rank) = cart_of(comm)?;
        check_room(maxdims, cart.dims().len())?;
        let coordinates = cart.coordinates(rank as i32)?;
        // SAFETY: the program hands over arrays of `maxdims` entries, of which there are enough.
        unsafe {
            put_all("dims", dims, cart.dims().iter().map(|&side| side as c_int))?;
            put_all("periods", periods, cart.periodic().iter().map(|&ring| ring.into()))?;
            put_all("coords", coords, coordinates.iter().map(|&coordinate| coordinate as c_int))
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Cart_rank(
    comm: MPI_Comm,
    coords: *const c_int,
    rank: *mut c_int,
) -> c_int {
    outcome(comm, || {
        let (cart, _) = cart_of(comm)?;
        // SAFETY: the program hands over an array with an entry for each dimension.
        let coordinates = unsafe { array("coords", coords, cart.dims().len()) }?;
        // SAFETY: the program hands over a place for an int.
        unsafe { put("rank", rank, cart.rank(coordinates)? as c_int) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Cart_coords(
    comm: MPI_Comm,
    rank: c_int,
    maxdims: c_int,
    coords: *mut c_int,
) -> c_int {
    outcome(comm, || {
        let (cart, _) = cart_of(comm)?;
        let coordinates = cart.coordinates(rank)?;
        check_room(maxdims, coordinates.len())?;
        // SAFETY: the program hands over an array of `maxdims` entries, of which there are enough.
        unsafe { put_all("coords", coords, coordinates.iter().map(|&coordinate| coordinate as c_int)) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Cart_shift(
    comm: MPI_Comm,
    direction: c_int,
    disp: c_int,
    rank_source: *mut c_int,
    rank_dest: *mut c_int,
) -> c_int {
    outcome(comm, || {
        let (cart, rank) = cart_of(comm)?;
        let shift = cart.shift(rank as i32, direction, disp)?;
        let or_nobody = |rank: Option<u32>| rank.map_or(MPI_PROC_NULL, |rank| rank as c_int);
        // SAFETY: the program hands over places for two ints.
        unsafe {
            put("rank_source", rank_source, or_nobody(shift.source))?;
            put("rank_dest", rank_dest, or_nobody(shift.destination))
        }
    })
}

/// The grid of a communicator, and this process's rank in it.
fn cart_of(comm: MPI_Comm) -> Result<(Cart, u32)> {
    let (topology, rank) = topology_of(comm)?;
    match &*topology {
        Topology::Cart(cart) => Ok((cart.clone(), rank)),
        _ => Err(wrong_kind("a Cartesian topology")),
    }
}

/// The grid that arguments describe, which must not have more places than the communicator has processes.
///
/// # Safety
/// Unless null, the arrays have `ndims` entries.
unsafe fn grid(ndims: c_int, dims: *const c_int, periods: *const c_int) -> Result<Cart> {
    let ndims = size("ndims", ndims)?;
    // SAFETY: the caller vouches for it.
    let (dims, periods) = unsafe { (array("dims", dims, ndims)?, array("periods", periods, ndims)?) };
    Ok(Cart::new(dims, &periods.iter().map(|&ring| ring != 0).collect::<Vec<_>>())?)
}

/// Are there as many processes as the grid has places?
fn check_size(comm: MPI_Comm, cart: &Cart) -> Result<()> {
    let processes = size_of(comm)?;
    ensure(cart.size() <= processes, MPI_ERR_ARG, || {
        format!("a grid of {} places is larger than a communicator of {processes}", cart.size())
    })
}

fn dimensions(ndims: c_int) -> Result<usize> {
    size("ndims", ndims).map_err(|error| MpiError::new(MPI_ERR_DIMS, error.text.as_str()))
}

fn check_room(maxdims: c_int, needed: usize) -> Result<()> {
    if size("maxdims", maxdims)? < needed {
        fail!(MPI_ERR_ARG, "maxdims is {maxdims}, but there are {needed} dimensions");
    }
    Ok(())
}
