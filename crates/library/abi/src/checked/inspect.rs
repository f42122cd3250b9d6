//! Inspects the rank of a checked run: the buffers of its operations, and the objects that it leaves behind.

use mpirage_call::{Completion, FindingClass};
use mpirage_data::Datatype;

use crate::caller::{Caller, last_name, name_of};
use crate::checked::watch::{self, ActiveBuffer, Finding, Watch};
use crate::constants::{MPI_THREAD_SERIALIZED, MPI_THREAD_SINGLE};
use crate::operations::region::Region;
use crate::operations::transfer::TransferBuffers;
use crate::rank;

/// In a checked run, compares the buffers of an operation that begins with those of operations under way.
pub(crate) fn note_buffers(buffers: &TransferBuffers) {
    let Some(watch) = &buffers.watch else { return };
    let conflicts = rank::with(|objects| objects.active_buffers.add(watch));
    conflicts.iter().for_each(|finding| finding.post(rank::this().connection()));
}

/// In a checked run, compares the buffers of a call that waits for its end with those of operations under way, and declares them to
/// the simulator if the rank has windows.
#[cold]
pub(crate) fn note_blocking(reads: &[Region], writes: &[Region]) {
    let connection = rank::this().connection();
    for (regions, is_written) in [(reads, false), (writes, true)] {
        let used = regions.iter().filter(|region| region.bytes() > 0 && !region.is_shared());
        let buffers = used.map(|region| ActiveBuffer::of_blocking(region, is_written));
        let found = rank::with(|objects| {
            buffers.filter_map(|buffer| objects.active_buffers.meet(&buffer)).collect::<Vec<Finding>>()
        });
        found.iter().for_each(|finding| finding.post(connection));
        if rank::with(|objects| !objects.windows.is_empty()) {
            watch::declare_touched(connection, regions, is_written, false);
        }
    }
}

/// In a checked run, inspects the buffers of an operation that has ended, before what it received is put into its place.
#[inline(always)]
pub(crate) fn ended(buffers: &TransferBuffers, completion: &Completion) {
    if let Some(watch) = &buffers.watch {
        inspect_watched(watch, completion);
    }
}

#[cold]
fn inspect_watched(watch: &Watch, completion: &Completion) {
    let connection = rank::this().connection();
    let conflicted = rank::with(|objects| objects.active_buffers.remove(watch.ticket()));
    watch.observe(connection, completion);
    // If buffers overlap, one of the operations has changed the buffer of the other.
    if let (Some(finding), false) = (watch.changes(), conflicted) {
        finding.post(connection);
    }
}

/// Reports objects that the program has not freed, at its end.
pub(crate) fn leaks() {
    let connection = rank::this().connection();
    if !connection.is_checked() {
        return;
    }
    let leaked = rank::with(|objects| objects.unfreed());
    for (class, what, caller) in leaked {
        let text = format!("{what}, made by {}, was not freed", name_of(caller.function));
        Finding { class, caller, text }.post(connection);
    }
}

/// Reports a mistake and goes on.
pub(crate) fn report(class: FindingClass, text: String) {
    let connection = rank::this().connection();
    if connection.is_checked() {
        Finding { class, caller: Caller::last(), text }.post(connection);
    }
}

/// Reports an access to a window whose origin has other types than its target.
pub(crate) fn types(origin: &Region, target: &Datatype, count: usize) {
    if !rank::this().connection().is_checked() {
        return;
    }
    let at_target = target.signature(count);
    if !origin.signature_of(origin.bytes()).agrees_with(&at_target) {
        let elements = at_target.elements();
        let what = target.uniform_basic().map_or("others".to_owned(), |basic| basic.to_string());
        let text = format!("the origin has {}, but the target {elements} {what}", origin.in_words());
        report(FindingClass::DatatypeMismatch, text);
    }
}

/// Reports a thread that must not call MPI at the level that was granted.
#[cold]
pub(crate) fn thread_level() {
    let rank = rank::this();
    let Some(&(main, level)) = rank.main.get() else { return };
    if level < MPI_THREAD_SERIALIZED && main != std::thread::current().id() {
        let name = if level == MPI_THREAD_SINGLE { "MPI_THREAD_SINGLE" } else { "MPI_THREAD_FUNNELED" };
        let text = format!("{} is called by another thread than the main one at {name}", last_name());
        report(FindingClass::ThreadLevel, text);
    }
}
