//! Reports of a checked run's rank beside its calls: the types of their data, and whether the program left the buffers of
//! operations under way alone.

use core::hash::Hasher;
use std::hash::DefaultHasher;

use mpirage_call::{Call, Completion, FindingClass, Signature};
use mpirage_data::TypeSignature;

use crate::caller::{Caller, name_of};
use crate::connection::Connection;
use crate::operations::region::Region;

/// Overlapping buffers are compared stretch by stretch up to this many stretches; finer ones are not.
const MOST_STRETCHES: usize = 4096;

/// The buffers of an operation under way.
#[derive(Debug)]
pub(crate) struct Watch {
    ticket: u64,
    caller: Caller,
    /// The memory that the operation reads.
    reads: Vec<Watched>,
    /// The memory that it writes when it completes.
    writes: Vec<Watched>,
    /// Does it receive one message, whose type is known when it has arrived?
    receives: bool,
}

#[derive(Debug)]
struct Watched {
    region: Region,
    /// Its contents when the operation began; none if they may change.
    contents: Option<u64>,
}

/// A buffer of an operation under way, as others are compared with it.
#[derive(Clone, Debug)]
pub(crate) struct ActiveBuffer {
    pub ticket: u64,
    caller: Caller,
    region: Region,
    is_written: bool,
}

/// Inspects the memory that a blocking call reads and writes.
pub(crate) type NoteBuffers = fn(&[Region], &[Region]);

/// A mistake of the program that the MPI library has found.
#[derive(Debug)]
pub(crate) struct Finding {
    pub class: FindingClass,
    pub caller: Caller,
    pub text: String,
}

impl Finding {
    /// Tells the simulator.
    pub(crate) fn post(&self, connection: &Connection) {
        let Finding { class, caller, text } = self;
        let (function, site) = (caller.function, caller.call_site as u64);
        connection.post(&Call::Finding { class: class.code(), function, site, text });
    }
}

/// Declares what the next call sends and receives. Gives the number of the declaration.
pub(crate) fn declare(
    connection: &Connection,
    send: &[TypeSignature],
    recv: &[TypeSignature],
    text: &str,
) -> u64 {
    let ticket = connection.next_ticket();
    // A declaration belongs to the next call of its rank, which may be another thread's.
    if connection.has_threads() {
        return ticket;
    }
    connection.post(&Call::Declare { ticket, send: &words(send), recv: &words(recv), text });
    ticket
}

/// Declares a message to send.
pub(crate) fn declare_send(connection: &Connection, region: &Region) -> u64 {
    let text = format!("{}\n", region.in_words());
    declare(connection, &[region.signature_of(region.bytes())], &[], &text)
}

/// Declares a receive.
pub(crate) fn declare_receive(connection: &Connection, region: &Region) -> u64 {
    declare(connection, &[], &[], &format!("\n{}", region.in_words()))
}

/// Declares memory of this rank that its next call reads or writes; `pending` if that is an access to a window.
pub(crate) fn declare_touched(connection: &Connection, regions: &[Region], written: bool, pending: bool) {
    let stretches: Vec<u64> = regions
        .iter()
        .flat_map(Region::stretches)
        .take(MOST_STRETCHES)
        .flat_map(|(address, length)| [address as u64, length as u64])
        .collect();
    if !stretches.is_empty() && !connection.has_threads() {
        connection.post(&Call::Touch { written, pending, stretches: &stretches });
    }
}

fn words(signatures: &[TypeSignature]) -> Vec<u64> {
    let declared = |one: &TypeSignature| Signature {
        elements: one.elements(),
        hash: one.hash(),
        untyped: one.is_untyped(),
    };
    signatures.iter().flat_map(|one| declared(one).words()).collect()
}

impl Watch {
    /// Watches the buffers of an operation that begins now.
    pub(crate) fn begin(ticket: u64, reads: Vec<Region>, writes: Vec<Region>, receives: bool) -> Box<Watch> {
        let watched = |regions: Vec<Region>| regions.into_iter().filter_map(Watched::begin).collect();
        let caller = Caller::last();
        Box::new(Watch { ticket, caller, reads: watched(reads), writes: watched(writes), receives })
    }

    /// A receive that is waited for at once: only its type is of interest.
    pub(crate) fn of_blocking(ticket: u64, region: &Region) -> Box<Watch> {
        let caller = Caller::last();
        let writes = vec![Watched { region: region.clone(), contents: None }];
        Box::new(Watch { ticket, caller, reads: Vec::new(), writes, receives: true })
    }

    pub(crate) fn ticket(&self) -> u64 {
        self.ticket
    }

    /// Says which type has arrived.
    pub(crate) fn observe(&self, connection: &Connection, completion: &Completion) {
        if let (true, Some(watched)) = (self.receives, self.writes.first()) {
            // A message that is too long has an error of its own.
            let whole = !completion.cancelled && !completion.truncated;
            let arrived = watched.region.signature_of(completion.bytes as usize);
            let signature = if whole { words(&[arrived]) } else { Vec::new() };
            connection.post(&Call::Observe { ticket: self.ticket, signature: &signature });
        }
    }

    /// A finding if the program has changed a buffer meanwhile. Received data has not been put into its place yet.
    pub(crate) fn changes(&self) -> Option<Finding> {
        let changed =
            |watched: &&Watched| watched.contents.is_some_and(|before| before != contents(&watched.region));
        let (region, verb) = match (self.reads.iter().find(changed), self.writes.iter().find(changed)) {
            (Some(watched), _) => (&watched.region, "sends from"),
            (None, Some(watched)) => (&watched.region, "receives into"),
            (None, None) => return None,
        };
        let text = format!(
            "the program changed the buffer that {} {verb} ({}) before the operation was complete",
            name_of(self.caller.function),
            region.in_words()
        );
        Some(Finding { class: FindingClass::BufferChanged, caller: self.caller, text })
    }

    /// Its buffers, for comparison with others.
    pub(crate) fn active(&self) -> impl Iterator<Item = ActiveBuffer> {
        let buffer = |is_written| {
            move |watched: &Watched| ActiveBuffer {
                ticket: self.ticket,
                caller: self.caller,
                region: watched.region.clone(),
                is_written,
            }
        };
        self.reads.iter().map(buffer(false)).chain(self.writes.iter().map(buffer(true)))
    }
}

impl Watched {
    fn begin(region: Region) -> Option<Watched> {
        let watched = region.bytes() > 0 && !region.is_shared();
        watched.then(|| Watched { contents: Some(contents(&region)), region })
    }
}

/// A hash of the contents of a region.
fn contents(region: &Region) -> u64 {
    let mut packed = Vec::with_capacity(region.bytes());
    // SAFETY: the program gave this memory to MPI until the operation is complete.
    unsafe { region.pack(&mut packed) };
    let mut hasher = DefaultHasher::new();
    hasher.write(&packed);
    hasher.finish()
}

impl ActiveBuffer {
    /// A buffer of a call that waits for its end.
    pub(crate) fn of_blocking(region: &Region, is_written: bool) -> ActiveBuffer {
        ActiveBuffer { ticket: 0, caller: Caller::last(), region: region.clone(), is_written }
    }

    /// Does its operation write it?
    pub(crate) fn is_written(&self) -> bool {
        self.is_written
    }

    /// A finding if this buffer conflicts with a buffer of another operation.
    pub(crate) fn conflict(&self, earlier: &ActiveBuffer) -> Option<Finding> {
        let apart = self.ticket == earlier.ticket || !(self.is_written || earlier.is_written);
        if apart || !overlap(&self.region, &earlier.region) {
            return None;
        }
        let verb = |buffer: &ActiveBuffer| if buffer.is_written { "writes" } else { "reads" };
        let text = format!(
            "{} {} memory that {}, which is not complete, {}",
            name_of(self.caller.function),
            verb(self),
            name_of(earlier.caller.function),
            verb(earlier)
        );
        Some(Finding { class: FindingClass::BufferOverlap, caller: self.caller, text })
    }
}

fn overlap(one: &Region, other: &Region) -> bool {
    let whole = |region: &Region| {
        let stretches = region.stretches();
        let first = stretches.iter().map(|&(start, _)| start).min();
        let behind = stretches.iter().map(|&(start, length)| start + length).max();
        (first.unwrap_or(0), behind.unwrap_or(0), stretches)
    };
    let ((a, a_end, ours), (b, b_end, theirs)) = (whole(one), whole(other));
    if a >= b_end || b >= a_end || ours.len() > MOST_STRETCHES || theirs.len() > MOST_STRETCHES {
        return false;
    }
    let mut theirs = theirs;
    theirs.sort_unstable();
    ours.iter().any(|&(start, length)| {
        let behind = theirs.partition_point(|&(their_start, _)| their_start < start + length);
        theirs[..behind].iter().rev().any(|&(their_start, their_length)| their_start + their_length > start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_data::{Basic, Datatype};

    #[test]
    fn interleaved_columns_do_not_overlap() {
        let column = Datatype::basic(Basic::Int).vector(3, 1, 2).unwrap();
        let at = |address| Region::new(address, 1, &column).unwrap();
        assert!(!overlap(&at(0x1000), &at(0x1004)));
        assert!(overlap(&at(0x1000), &at(0x1002)));
        assert!(overlap(&at(0x1000), &at(0x1010)));
        assert!(!overlap(&at(0x1000), &at(0x1014)));
    }

    #[test]
    fn a_change_is_seen_and_named() {
        let mut data = vec![1_i32, 2, 3];
        let region = Region::new(data.as_mut_ptr().addr(), 3, &Basic::Int.into()).unwrap();
        let watch = Watch::begin(1, vec![region], Vec::new(), false);
        assert!(watch.changes().is_none());
        data[1] = 7;
        assert!(watch.changes().unwrap().text.contains("(3 MPI_INT)"));
    }
}
