//! Sends and receives in a group: NCCL's all-to-all.
//!
//! All messages are under way at once, those to near ranks first. Messages up to 16 KiB use the protocol LL, longer ones Simple
//! (`NCCL_P2P_LL_THRESHOLD` in `src/enqueue.cc`).

use mpirage_call::WireProtocol;
use mpirage_call::{Collective, WireProtocol::Simple};
use mpirage_units::Duration;

use super::model::{Hop, Model, Way, base, hop};
use super::rhythm::{micros, wire};
use crate::shape::Shape;
use crate::step::Schedule;

/// The longest message that uses LL.
const LL_THRESHOLD: u64 = 16 << 10;

pub(super) fn alltoall(shape: &Shape, out: &mut Schedule) {
    let model = Model::of(Collective::Alltoall, shape);
    let others = || (1..shape.size).map(|distance| (shape.after(distance), shape.before(distance)));
    for (_, from) in others().filter(|&(_, from)| goes(shape, shape.received_from(from))) {
        out.irecv(from, protocol_of(shape.received_from(from)).wire_bytes(shape.received_from(from)));
    }
    let to = || others().map(|(to, _)| to).filter(|&to| goes(shape, shape.sent_to(to)));
    out.delay(micros(before_first(&model, to().map(|to| shape.sent_to(to)).max())));
    let mut sent = 0;
    for to in to() {
        let bytes = shape.sent_to(to);
        out.isend_padded(to, shape.block_for(to), protocol_of(bytes).wire_bytes(bytes) - bytes);
        sent += bytes;
    }
    out.delay(Duration::from_secs_f64(sent as f64 / model.copy_rate()));
    out.wait_all();
}

/// With counts, a message of no bytes is none.
fn goes(shape: &Shape, bytes: u64) -> bool {
    bytes > 0 || shape.send_counts.is_empty()
}

fn protocol_of(bytes: u64) -> WireProtocol {
    if bytes <= LL_THRESHOLD { WireProtocol::Ll } else { Simple }
}

/// The start of the kernel, and what a hop of its slowest protocol takes longer than the link.
fn before_first(model: &Model, longest: Option<u64>) -> f64 {
    let protocol = protocol_of(longest.unwrap_or(0));
    let kind = if model.nodes > 1 { Hop::Network } else { Hop::Inside };
    base(Way::Ring, protocol) + hop(Way::Ring, protocol, kind) - wire(kind)
}
