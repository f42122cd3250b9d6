//! Collectives among the neighbours of a topology.
//!
//! One message along every edge, also if it is empty, goes to the rank itself, or is not the only one between two ranks.
//! Messages between two ranks match in order. The libraries differ in what they post first:
//!
//! | | receives, then sends | sends, then receives |
//! |---|---|---|
//! | Open MPI 4.1, 5.0 | `basic` (blocking), `libnbc` (not) | |
//! | MPICH 4.0 to 4.3 | | `sched_linear`, `tsp_linear` (blocking and not) |

use mpirage_call::{Algorithm, Peers};

use crate::data::Data;
use crate::entry::{Table, entry};
use crate::shape::Shape;
use crate::step::Schedule;

pub(crate) const ALGORITHMS: Table =
    &[entry(Algorithm::SendsFirst, sends_first), entry(Algorithm::Linear, linear)];

fn linear(shape: &Shape, out: &mut Schedule) {
    receive_all(shape, out);
    send_all(shape, out);
    out.wait_all();
}

fn sends_first(shape: &Shape, out: &mut Schedule) {
    send_all(shape, out);
    receive_all(shape, out);
    out.wait_all();
}

fn receive_all(shape: &Shape, out: &mut Schedule) {
    let Peers::Neighbors { sources, .. } = shape.peers else { return };
    for (&from, &bytes) in sources.iter().zip(shape.recv_counts) {
        out.irecv(from, bytes);
    }
}

fn send_all(shape: &Shape, out: &mut Schedule) {
    let Peers::Neighbors { destinations, .. } = shape.peers else { return };
    for ((edge, &to), &bytes) in (0..).zip(destinations).zip(shape.send_counts) {
        out.isend(to, Data::block(edge, bytes));
    }
}
