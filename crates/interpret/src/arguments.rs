//! The arguments and results of a call, in a few figures that every format can show.

use mpirage_call::{Call, CollectiveCall, ContextId};
use mpirage_collectives::Member;
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
        let world = |context, peer| comms.world_of(context, rank, CommRank(peer));
        match *details.call {
            Call::Send { context, to, tag, bytes, .. } => Arguments {
                peer: world(context, to),
                sent: Some(bytes),
                tag: Some(tag),
                context: Some(context),
                received: None,
            },
            Call::Recv { context, from, tag, request, .. } => {
                let came = match request {
                    None => details.reply.completions.first(),
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
            Call::Probe { context, from, tag, .. } => Arguments {
                peer: from.and_then(|peer| world(context, peer)),
                tag,
                context: Some(context),
                ..Arguments::default()
            },
            Call::Wait { .. } => {
                let received = details.reply.completions.iter().filter(|came| came.source >= 0);
                Arguments { received: Some(received.map(|came| came.bytes).sum()), ..Arguments::default() }
            }
            Call::Collective(ref call) => Arguments::of_collective(rank, call, comms),
            Call::MakeComm { parent, .. } => Arguments { context: Some(parent), ..Arguments::default() },
            Call::FreeComm { context } => Arguments { context: Some(context), ..Arguments::default() },
            Call::Access(ref access) => Arguments {
                peer: world(access.window, access.target),
                sent: access.kind.sends().then_some(access.bytes),
                received: access.kind.fetches().then_some(access.bytes),
                context: Some(access.window),
                tag: None,
            },
            Call::AwaitAccesses { window, target }
            | Call::Lock { window, target, .. }
            | Call::Unlock { window, target } => Arguments {
                peer: target.and_then(|target| world(window, target)),
                context: Some(window),
                ..Arguments::default()
            },
            Call::Expose { window, .. } | Call::Withdraw { window, .. } => {
                Arguments { context: Some(window), ..Arguments::default() }
            }
            Call::FileAccess(ref access) => Arguments {
                sent: access.write.then_some(access.bytes),
                received: (!access.write).then_some(access.bytes),
                context: Some(access.file),
                ..Arguments::default()
            },
            Call::FileOpen { file, .. }
            | Call::FileMetadata { file, .. }
            | Call::FilePointer { file, .. } => Arguments { context: Some(file), ..Arguments::default() },
            // They concern no peer, message or communicator.
            Call::Init
            | Call::Finalize
            | Call::Abort { .. }
            | Call::Misuse { .. }
            | Call::Now
            | Call::When
            | Call::Sleep { .. }
            | Call::FailedPoll { .. }
            | Call::Cancel { .. }
            | Call::Free { .. }
            | Call::Output
            | Call::Flush
            | Call::SampleBegin { .. }
            | Call::SampleEnd
            | Call::Compute { .. }
            | Call::TakeCompleted
            | Call::ExecutionUnit { .. }
            | Call::Migrate { .. }
            | Call::ReadFigure { .. }
            | Call::Control { .. }
            | Call::FileDelete { .. }
            | Call::Share { .. }
            | Call::Publish { .. }
            | Call::LookUp { .. }
            | Call::LocateAccess { .. }
            | Call::Spawn { .. }
            | Call::PosixIo { .. }
            | Call::Declare { .. }
            | Call::Observe { .. }
            | Call::CallPath { .. }
            | Call::Finding { .. }
            | Call::Session { .. }
            | Call::DeclareWindow { .. }
            | Call::Tally(_) => Arguments::default(),
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
