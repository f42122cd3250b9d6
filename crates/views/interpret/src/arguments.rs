//! The arguments and results of a call, in a few figures that every format can show.

use mpirage_call::{
    CollectiveCall, CommCall, ContextId, Family, FileCall, Member, PointToPointCall, Reply, WindowCall,
};
use mpirage_record::Details;

use crate::comms::{CommRank, Comms};

/// The figures of a call; those that it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// The other rank, or the root, as a rank of the world. Of a receive from `MPI_ANY_SOURCE`, the sender.
    pub peer: Option<u32>,
    /// Bytes sent, or contributed.
    pub sent: Option<u64>,
    /// Bytes received: of receives and waits those that came, of collectives those that are due.
    pub received: Option<u64>,
    /// The tag. Of a receive with any, the one that came.
    pub tag: Option<i32>,
    /// The communicator.
    pub context: Option<ContextId>,
}

impl Arguments {
    /// The arguments of a call of `rank`.
    #[inline]
    pub fn of(rank: u32, details: &Details<'_>, comms: &Comms) -> Arguments {
        match details.call.family() {
            Family::PointToPoint(call) => Arguments::of_point_to_point(rank, call, details.reply, comms),
            Family::Comm(CommCall::Collective(call)) => Arguments::of_collective(rank, call, comms),
            Family::Comm(CommCall::MakeComm { parent, .. }) => Arguments::of_comm(parent),
            Family::Comm(CommCall::FreeComm { context }) => Arguments::of_comm(context),
            Family::Window(call) => Arguments::of_window(rank, call, comms),
            Family::File(call) => Arguments::of_file(call),
            // They concern no peer, message or communicator.
            Family::Run(_) | Family::Compute(_) | Family::Tool(_) | Family::Check(_) => Arguments::default(),
        }
    }

    fn of_comm(context: ContextId) -> Arguments {
        Arguments { context: Some(context), ..Arguments::default() }
    }

    #[inline]
    fn of_point_to_point(rank: u32, call: PointToPointCall<'_>, reply: &Reply, comms: &Comms) -> Arguments {
        let world = |context, peer| comms.world_of(context, rank, CommRank(peer));
        match call {
            PointToPointCall::Send { context, to, tag, bytes, .. } => Arguments {
                peer: world(context, to),
                sent: Some(bytes),
                tag: Some(tag),
                context: Some(context),
                received: None,
            },
            PointToPointCall::Recv { context, from, tag, request, .. } => {
                let came = match request {
                    None => reply.completions.first(),
                    Some(_) => None,
                };
                let source = came.and_then(|came| u32::try_from(came.source).ok()).or(from);
                Arguments {
                    peer: source.and_then(|peer| world(context, peer)),
                    received: came.map(|came| came.bytes),
                    tag: came.map(|came| came.tag).or(tag),
                    context: Some(context),
                    sent: None,
                }
            }
            PointToPointCall::Probe { context, from, tag, .. } => Arguments {
                peer: from.and_then(|peer| world(context, peer)),
                tag,
                ..Arguments::of_comm(context)
            },
            PointToPointCall::Wait { .. } => {
                let received = reply.completions.iter().filter(|came| came.source >= 0);
                Arguments { received: Some(received.map(|came| came.bytes).sum()), ..Arguments::default() }
            }
            PointToPointCall::Cancel { .. }
            | PointToPointCall::Free { .. }
            | PointToPointCall::FailedPoll { .. }
            | PointToPointCall::RepeatedPoll => Arguments::default(),
        }
    }

    fn of_window(rank: u32, call: WindowCall<'_>, comms: &Comms) -> Arguments {
        let world = |context, peer| comms.world_of(context, rank, CommRank(peer));
        match call {
            WindowCall::Access(access) => Arguments {
                peer: world(access.window, access.target),
                sent: access.kind.sends().then_some(access.bytes),
                received: access.kind.fetches().then_some(access.bytes),
                context: Some(access.window),
                tag: None,
            },
            WindowCall::AwaitAccesses { window, target }
            | WindowCall::Lock { window, target, .. }
            | WindowCall::Unlock { window, target } => Arguments {
                peer: target.and_then(|target| world(window, target)),
                ..Arguments::of_comm(window)
            },
            WindowCall::Expose { window, .. } | WindowCall::Withdraw { window, .. } => {
                Arguments::of_comm(window)
            }
            // The library's own question.
            WindowCall::LocateAccess { .. } => Arguments::default(),
        }
    }

    fn of_file(call: FileCall<'_>) -> Arguments {
        match call {
            FileCall::FileAccess(access) => Arguments {
                sent: access.write.then_some(access.bytes),
                received: (!access.write).then_some(access.bytes),
                ..Arguments::of_comm(access.file)
            },
            FileCall::FileOpen { file, .. }
            | FileCall::FileMetadata { file, .. }
            | FileCall::FilePointer { file, .. } => Arguments::of_comm(file),
            FileCall::FileDelete { .. } | FileCall::PosixIo { .. } => Arguments::default(),
        }
    }

    /// The arguments of a collective.
    pub fn of_collective(rank: u32, call: &CollectiveCall<'_>, comms: &Comms) -> Arguments {
        let seat = comms.rank_of(call.context, rank).unwrap_or(0);
        let (sent, received) = call.bytes(Member { rank: seat, size: comms.size(call.context) });
        let root = call.known_root().filter(|_| call.kind.is_rooted());
        Arguments {
            peer: root.and_then(|root| comms.world_of(call.context, rank, CommRank(root))),
            sent: Some(sent),
            received: Some(received),
            tag: None,
            context: Some(call.context),
        }
    }
}
