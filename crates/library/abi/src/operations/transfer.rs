//! Transfers: steps of operations under way, and the memory of this library that they use until they complete.

use std::sync::Arc;

use mpirage_call::{Completion, RequestId};
use smallvec::SmallVec;

use crate::checked::watch::Watch;
use crate::files::access::FileAccess;
use crate::ground::error::Result;
use crate::ground::status;
use crate::objects::bridge::Bridge;
use crate::operations::region::Region;

/// The transfers of an operation. Most have one, which needs no memory of its own.
pub(crate) type Transfers = SmallVec<[Transfer; 1]>;

/// A step under way.
#[derive(Debug)]
pub(crate) struct Transfer {
    /// Its number at the simulator; none if it needs no call.
    pub id: Option<RequestId>,
    /// The memory that it keeps until it is complete.
    pub buffers: TransferBuffers,
    /// How it ended.
    pub done: Option<Completion>,
}

/// Memory of this library that a transfer uses.
#[derive(Debug, Default)]
pub(crate) struct TransferBuffers {
    /// Packed bytes that are sent from here.
    #[allow(dead_code, reason = "it is kept for its address, which the simulator has")]
    pub outgoing: Option<Arc<Vec<u8>>>,
    /// Where an access reaches the target's memory, if that is long.
    pub layout: Option<Vec<u8>>,
    /// Packed bytes that arrive here, to be unpacked.
    pub incoming: Option<Box<Landing>>,
    /// Bytes that fit, for the error message if more arrive.
    pub room: u64,
    /// The access to a file that happens when the transfer is complete.
    pub file: Option<Box<FileAccess>>,
    /// The inter-communicator, if the message comes from its other side.
    pub bridge: Option<Arc<Bridge>>,
    /// Its buffers in a checked run.
    pub watch: Option<Box<Watch>>,
}

/// Packed bytes and where they go from here.
#[derive(Debug)]
pub(crate) struct Landing {
    packed: Vec<u8>,
    /// Filled one after the other.
    regions: Vec<Region>,
    /// Does the completion say how many bytes have arrived? Of a collective, all of them have.
    counted: bool,
}

impl Transfer {
    /// One that the simulator does not know yet.
    pub(crate) fn not_begun() -> Transfer {
        Transfer { id: None, buffers: TransferBuffers::default(), done: None }
    }
}

impl TransferBuffers {
    /// Does the simulator know addresses of this memory?
    pub(crate) fn keeps_memory(&self) -> bool {
        self.outgoing.is_some() || self.layout.is_some() || self.incoming.is_some()
    }

    /// The completion with its source as the program numbers it.
    pub(crate) fn seen_from_here(&self, completion: Completion) -> Completion {
        self.bridge.as_ref().map_or(completion, |bridge| bridge.seen_from_here(completion))
    }

    /// Takes out what has arrived in memory of this library, to be put where it belongs before the request is completed.
    pub(crate) fn take_landed(&mut self) -> Option<TransferBuffers> {
        let (incoming, watch) = (self.incoming.take(), self.watch.take());
        let landed = TransferBuffers { incoming, watch, ..TransferBuffers::default() };
        (landed.incoming.is_some() || landed.watch.is_some()).then_some(landed)
    }

    /// Puts it there.
    pub(crate) fn land(self, completion: &Completion) {
        if let Some(landing) = self.incoming {
            landing.finish(completion);
        }
    }

    /// Puts what arrived where it belongs.
    pub(crate) fn finish(self, completion: &Completion) -> Result<()> {
        if let Some(landing) = self.incoming {
            landing.finish(completion);
        }
        status::check_room(completion, self.room)
    }
}

impl Landing {
    /// Room for a message.
    pub(crate) fn of_message(region: Region) -> Landing {
        Landing { packed: vec![0; region.bytes()], regions: vec![region], counted: true }
    }

    /// Room for the result of a collective.
    pub(crate) fn of_collective(regions: Vec<Region>) -> Landing {
        let bytes = regions.iter().map(Region::bytes).sum();
        Landing { packed: vec![0; bytes], regions, counted: false }
    }

    /// Room for bytes that this library reads itself.
    pub(crate) fn of_bytes(bytes: usize) -> Landing {
        Landing::of_packed(vec![0; bytes])
    }

    /// The same in memory that is there already.
    pub(crate) fn of_packed(packed: Vec<u8>) -> Landing {
        Landing { packed, regions: Vec::new(), counted: false }
    }

    /// The bytes that have arrived.
    pub(crate) fn packed(&self) -> &[u8] {
        &self.packed
    }

    /// Where the packed bytes are to be stored.
    pub(crate) fn address(&mut self) -> u64 {
        self.packed.as_mut_ptr().addr() as u64
    }

    fn finish(self, completion: &Completion) {
        let arrived = if self.counted { completion.bytes as usize } else { usize::MAX };
        let mut rest = &self.packed[..arrived.min(self.packed.len())];
        for region in &self.regions {
            let (now, later) = rest.split_at(region.bytes().min(rest.len()));
            // SAFETY: the program gave this memory to MPI for the operation that is just completing.
            unsafe { region.unpack(now) };
            rest = later;
        }
    }
}
