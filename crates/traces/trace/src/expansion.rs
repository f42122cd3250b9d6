//! Collectives as the messages they consist of, for formats that lack them.

use mpirage_call::{CollectiveCall, Input, Member, Method};
use mpirage_collectives::Performed;
use mpirage_collectives::{Choice, Schedule, Shape, schedule};

/// Writes down what a member does in a collective: as `method` performs it, or as the default selection does. Nothing if the call is
/// not one that a member can make.
pub(crate) fn expand(
    call: &CollectiveCall<'_>,
    member: Member,
    method: Option<Method>,
    steps: &mut Schedule,
) {
    steps.steps.clear();
    if !call.is_sound(member) {
        return;
    }
    let (sends, recvs) = (call.send_counts(member), call.recv_counts(member));
    let mut shape = Shape::new(member.size).rank(member.rank).root(call.root).peers(call.peers);
    shape = shape.bytes(call.shape_bytes(member.rank)).counts(&sends, &recvs);
    shape = shape.in_place(call.input == Input::InPlace);
    if let Some(reduction) = call.reduction {
        shape = shape.element(u64::from(reduction.element.max(1))).commutative(reduction.commutative);
    }
    let known = method.filter(|method| call.kind.knows(method.algorithm));
    let method = known.unwrap_or_else(|| Choice::default().method(call.kind, &shape));
    schedule(call.kind, method, &shape, steps);
}
