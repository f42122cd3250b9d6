//! Accesses to windows: checked arguments, from which calls are made.

use std::sync::Arc;

use mpirage_call::{AccessCall, AccessKind, Call, ContextId, Payload, RequestId};
use mpirage_data::Datatype;

use crate::checked::watch::{self, Watch};
use crate::connection::Connection;
use crate::operations::region::Region;
use crate::operations::transfer::{Landing, TransferBuffers};

/// An access with its arguments checked.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub kind: AccessKind,
    pub window: ContextId,
    pub target: u32,
    /// In units of the target.
    pub displacement: i64,
    /// The packed bytes that are accessed.
    pub bytes: u64,
    /// The data that the origin sends, one region after the other.
    pub gives: Vec<Region>,
    /// The region where the origin receives the result.
    pub gets: Option<Region>,
    /// The stretches of the target's memory: displacements and lengths.
    pub layout: Vec<(i64, usize)>,
    /// Operator and type of elements, of an accumulation.
    pub op: u8,
    pub basic: u8,
}

/// Stretches of `count` elements of a datatype.
pub(crate) fn layout_of(datatype: &Datatype, count: usize) -> Vec<(i64, usize)> {
    datatype.stretches(count)
}

impl Access {
    /// Starts it. Returns what must stay in memory until it is complete.
    pub(crate) fn post(&self, connection: &Connection, request: Option<RequestId>) -> TransferBuffers {
        let watch = connection.is_checked().then(|| self.watch(connection));
        let inline = connection.inline_bytes();
        let packed = self.packed(inline);
        let layout = self.packed_layout();
        // A watched buffer is filled when the access is complete.
        let (incoming, result) = self.make_room(watch.is_none());
        let call = AccessCall {
            kind: self.kind,
            window: self.window,
            target: self.target,
            displacement: self.displacement as u64,
            bytes: self.bytes,
            payload: self.payload(packed.as_deref(), inline),
            layout: place(&layout, inline),
            parts: self.layout.len() as u32,
            op: self.op,
            basic: self.basic,
            result,
            request,
        };
        connection.post(&Call::Access(call));
        let stays = |bytes: &Vec<u8>| bytes.len() > inline;
        TransferBuffers {
            outgoing: packed.filter(stays).map(Arc::new),
            layout: Some(layout).filter(stays),
            incoming: incoming.map(Box::new),
            watch,
            ..TransferBuffers::default()
        }
    }

    /// Declares its memory at the origin and watches it.
    fn watch(&self, connection: &Connection) -> Box<Watch> {
        let gets = self.gets.as_slice();
        watch::declare_touched(connection, &self.gives, false, true);
        watch::declare_touched(connection, gets, true, true);
        Watch::begin(connection.next_ticket(), self.gives.clone(), gets.to_vec(), false)
    }

    /// The origin's bytes if they are to be copied: because they do not lie contiguously, or because they are few.
    fn packed(&self, inline: usize) -> Option<Vec<u8>> {
        let contiguous = matches!(&self.gives[..], [only] if only.is_plain() && only.bytes() > inline);
        if contiguous || self.gives.iter().any(Region::is_shared) {
            return None;
        }
        let mut packed = Vec::new();
        for region in &self.gives {
            // SAFETY: the program gave this memory to MPI to read until the access is complete.
            unsafe { region.pack(&mut packed) };
        }
        Some(packed)
    }

    fn payload<'a>(&self, packed: Option<&'a [u8]>, inline: usize) -> Payload<'a> {
        match (packed, &self.gives[..]) {
            (Some([]), _) | (None, []) => Payload::Absent,
            (Some(packed), _) => place(packed, inline),
            (None, [first, ..]) if first.is_shared() => Payload::Absent,
            (None, [first, ..]) => Payload::At(first.address() as u64),
        }
    }

    /// The layout as the simulator reads it.
    pub(crate) fn packed_layout(&self) -> Vec<u8> {
        let words = self.layout.iter().flat_map(|&(offset, length)| [offset as u64, length as u64]);
        words.flat_map(u64::to_ne_bytes).collect()
    }

    /// Where the bytes arrive that the origin gets: where the program wants them if that is possible and `direct`, or first in
    /// memory of this library.
    fn make_room(&self, direct: bool) -> (Option<Landing>, u64) {
        match &self.gets {
            Some(region) if region.bytes() > 0 && !region.is_shared() => {
                if direct && region.is_plain() {
                    return (None, region.address() as u64);
                }
                let mut landing = Landing::of_collective(vec![region.clone()]);
                let address = landing.address();
                (Some(landing), address)
            }
            _ => (None, 0),
        }
    }
}

/// Bytes in the call if they are few, in memory if they are many.
pub(crate) fn place(bytes: &[u8], inline: usize) -> Payload<'_> {
    if bytes.len() <= inline { Payload::Inline(bytes) } else { Payload::At(bytes.as_ptr().addr() as u64) }
}
