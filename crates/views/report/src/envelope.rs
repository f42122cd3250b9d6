//! The envelope of a call: communicator, tag, bytes and the other rank.

use mpirage_call::wire::{PlainCall, PlainOperation};
use mpirage_call::{Call, Completion};
use mpirage_interpret::arguments::Arguments;
use mpirage_interpret::comms::{CommRank, Comms};
use mpirage_record::Details;

use crate::names::Contexts;

/// The envelope of a call. What a call does not have is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Envelope {
    /// The page's number of the communicator.
    pub comm: u32,
    pub tag: i32,
    pub bytes: u64,
    /// The other rank, or the root, in `MPI_COMM_WORLD`.
    pub peer: Option<u32>,
}

impl Envelope {
    /// The envelope of any call.
    pub fn of(arguments: &Arguments, contexts: &Contexts) -> Envelope {
        Envelope {
            comm: arguments.context.map_or(0, |context| contexts.index(context)),
            tag: arguments.tag.unwrap_or(0),
            bytes: arguments.sent.or(arguments.received).unwrap_or(0),
            peer: arguments.peer,
        }
    }

    /// The same, faster, for sends, receives and waits, which are nearly all calls. None for other calls.
    #[inline(always)]
    pub fn of_exchange(
        rank: u32,
        details: &Details<'_>,
        comms: &Comms,
        contexts: &Contexts,
    ) -> Option<Envelope> {
        let (context, peer, tag, bytes) = match *details.call {
            Call::Send { context, to, tag, bytes, .. } => (context, Some(to), tag, bytes),
            Call::Recv { context, from, tag, request: Some(_), .. } => (context, from, tag.unwrap_or(0), 0),
            Call::Recv { context, from, tag, request: None, .. } => match details.reply.completions.first() {
                Some(came) => (context, u32::try_from(came.source).ok().or(from), came.tag, came.bytes),
                None => (context, from, tag.unwrap_or(0), 0),
            },
            Call::Wait { .. } => {
                return Some(Envelope { bytes: received(&details.reply.completions), ..Envelope::default() });
            }
            _ => return None,
        };
        let peer = peer.and_then(|peer| comms.world_of(context, rank, CommRank(peer)));
        Some(Envelope { comm: contexts.index(context), tag, bytes, peer })
    }

    /// The same for a nonblocking send or receive.
    #[inline(always)]
    pub fn of_plain(rank: u32, call: &PlainCall<'_>, comms: &Comms, contexts: &Contexts) -> Envelope {
        let (peer, tag, bytes) = match call.operation {
            PlainOperation::Send { to, tag, .. } => (Some(to), tag, call.bytes),
            // The bytes belong to the call that completes the request.
            PlainOperation::Recv { from, tag, .. } => (from, tag.unwrap_or(0), 0),
        };
        let peer = peer.and_then(|peer| comms.world_of(call.context, rank, CommRank(peer)));
        Envelope { comm: contexts.index(call.context), tag, bytes, peer }
    }
}

/// The bytes of completed receives. Without a branch, because sends and receives may alternate.
#[inline]
fn received(completions: &[Completion]) -> u64 {
    completions.iter().map(|came| if came.source >= 0 { came.bytes } else { 0 }).sum()
}

#[cfg(test)]
mod tests {
    use mpirage_call::{Completing, ContextId, Payload, Reply, RequestId, SELF, SendMode, WORLD};

    use super::*;

    #[test]
    fn the_fast_way_gives_the_same_envelope() {
        let (mut comms, mut contexts) = (Comms::new(4), Contexts::new(4));
        comms.add(ContextId::new(7), &[3, 1]);
        contexts.add(ContextId::new(7), 2);
        let came = |source, tag, bytes| Completion { source, tag, bytes, ..Completion::empty(0) };
        let empty = Reply::default();
        let two =
            Reply { completions: vec![came(1, 5, 70), came(-1, -1, 9), came(0, 6, 4)], ..Reply::default() };
        let send = Reply { completions: vec![came(-1, -1, 0)], ..Reply::default() };
        let mut calls = vec![
            Call::Wait { how: Completing::All, poll: false, requests: RequestId::slice(&[1, 2]) },
            Call::Wait { how: Completing::Any, poll: true, requests: RequestId::slice(&[1]) },
        ];
        for context in [WORLD, SELF, ContextId::new(7), ContextId::new(9)] {
            for request in [None, Some(3)] {
                let (mode, payload) = (SendMode::Standard, Payload::Absent);
                calls.push(Call::Send {
                    mode,
                    context,
                    to: 1,
                    tag: 8,
                    bytes: 33,
                    payload,
                    request: request.map(RequestId::new),
                    answer: false,
                });
                for (from, tag) in [(Some(0), Some(2)), (None, None)] {
                    calls.push(Call::Recv {
                        context,
                        from,
                        tag,
                        bytes: 99,
                        address: 0,
                        request: request.map(RequestId::new),
                        matched: None,
                    });
                }
            }
        }
        for call in &calls {
            for reply in [&empty, &two, &send] {
                let details = Details { call, reply };
                let any = Envelope::of(&Arguments::of(1, &details, &comms), &contexts);
                assert_eq!(
                    Envelope::of_exchange(1, &details, &comms, &contexts),
                    Some(any),
                    "{call:?} {reply:?}"
                );
            }
        }
        let other = Details { call: &Call::FreeComm { context: ContextId::new(7) }, reply: &empty };
        assert_eq!(Envelope::of_exchange(1, &other, &comms, &contexts), None);
        assert_eq!(
            Envelope::of(&Arguments::of(1, &other, &comms), &contexts),
            Envelope { comm: 3, ..Envelope::default() }
        );
    }
}
