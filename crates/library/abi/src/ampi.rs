//! The functions of AMPI: points at which ranks may move, and marks of iterations. `mpi.h` and `smpi/sampi.h` declare them.

use core::ffi::c_int;

use mpirage_call::{Call, function_names, iteration_mark, standard_function_names, unpack_text};

use crate::caller::Caller;
use crate::constants::{MPI_INFO_NULL, MPI_SUCCESS};
use crate::frame::misuse;
use crate::ground::heap;
use crate::rank;
use crate::types::{MPI_Comm, MPI_Info};

/// A key of the hints of AMPI, and its values that mean that ranks may move.
const BALANCE: &[u8] = b"ampi_load_balance";
const BALANCES: [&[u8]; 2] = [b"sync", b"async"];
/// A key that asks for a checkpoint, and the values that ask for none.
const CHECKPOINT: &[u8] = b"ampi_checkpoint";
const NO_CHECKPOINT: [&[u8]; 2] = [b"false", b"none"];

/// `AMPI_Migrate`: the rank may move to another core here, unless its hints say something else.
#[unsafe(no_mangle)]
pub extern "C" fn AMPI_Migrate(hints: MPI_Info) -> c_int {
    // Programs for other releases of AMPI hand over a null pointer.
    if hints == MPI_INFO_NULL || hints == MPI_Info(0) || asks_to_balance(hints) {
        mpirage_migrate(0)
    } else {
        MPI_SUCCESS
    }
}

/// Do hints allow ranks to move?
fn asks_to_balance(hints: MPI_Info) -> bool {
    let found = rank::try_with(|objects| {
        let info = objects.infos.get(hints)?;
        Ok([BALANCE, CHECKPOINT].map(|key| info.get(key).map(<[u8]>::to_vec)))
    });
    let [balance, checkpoint] = match found {
        Ok(found) => found,
        Err(error) => misuse(&format!("AMPI_Migrate: {}", error.text)),
    };
    if let Some(other) = checkpoint.filter(|value| !NO_CHECKPOINT.contains(&value.as_slice())) {
        let value = other.escape_ascii();
        misuse(&format!(
            "AMPI_Migrate: checkpoints are not simulated: remove the hint ampi_checkpoint={value}"
        ));
    }
    match balance.as_deref() {
        None | Some(b"none") => false,
        Some(value) if BALANCES.contains(&value) => true,
        Some(other) => {
            let value = other.escape_ascii();
            misuse(&format!("AMPI_Migrate: ampi_load_balance={value}: the values are sync, async and none"))
        }
    }
}

/// The rank may move to another core here. Its state has `bytes` bytes; zero stands for what it has allocated.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_migrate(bytes: u64) -> c_int {
    let rank = rank::this();
    let connection = rank.connection();
    if connection.is_simulated() {
        let before = Caller::last();
        Caller { function: function_names().len() as u32 - 1, ..before }.store();
        let state_bytes = if bytes > 0 { bytes } else { heap::live() };
        let moved = connection.ask(&Call::Migrate { state_bytes });
        // The name of the host on which the rank is now, if it has moved.
        if let Some(length) = moved.number {
            connection.move_to(unpack_text(&moved.members, length as usize));
        }
        before.store();
    }
    MPI_SUCCESS
}

/// An iteration of the program begins.
#[unsafe(no_mangle)]
pub extern "C" fn AMPI_Iteration_in(_comm: MPI_Comm) -> c_int {
    mark_iteration(true)
}

/// An iteration of the program ends.
#[unsafe(no_mangle)]
pub extern "C" fn AMPI_Iteration_out(_comm: MPI_Comm) -> c_int {
    mark_iteration(false)
}

fn mark_iteration(begins: bool) -> c_int {
    let connection = rank::this().connection();
    if connection.is_simulated() {
        let before = Caller::last();
        let control = standard_function_names().iter().position(|&name| name == "MPI_Pcontrol");
        Caller { function: control.unwrap_or_default() as u32, ..before }.store();
        connection.post(&iteration_mark(begins));
        before.store();
    }
    MPI_SUCCESS
}
