//! Partitioned messages (chapter 4 of the standard).

use core::ffi::{c_int, c_void};

use mpirage_call::Completion;

use crate::constants::{MPI_ERR_ARG, MPI_ERR_COUNT, MPI_ERR_RANK};
use crate::frame;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{Number, array, count, put, size};
use crate::ground::error::{MpiError, Result, fail};
use crate::ground::status;
use crate::objects::Objects;
use crate::objects::partitioned::{Destination, Outline, Partitioned, Receiving, Source, outline_tag};
use crate::objects::request::Request;
use crate::operations::completion;
use crate::operations::message::{Peer, sent_tag};
use crate::operations::region::Region;
use crate::rank::{self, post, try_with, with};
use crate::types::*;

both_forms! {
    (buf: ConstBuffer, partitions: c_int, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, info: MPI_Info, request: RequestPlace) {
        frame::outcome(comm, || {
            check_info(info)?;
            put("request", request, send(Buffer { buf, partitions, datatype }, count, dest, tag, comm)?)
        })
    }:
        MPI_Psend_init MPI_Psend_init_c;
    (buf: Buffer, partitions: c_int, count: Count, datatype: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm, info: MPI_Info, request: RequestPlace) {
        frame::outcome(comm, || {
            check_info(info)?;
            put("request", request, receive(Buffer { buf, partitions, datatype }, count, source, tag, comm)?)
        })
    }:
        MPI_Precv_init MPI_Precv_init_c;
}

pub(crate) unsafe extern "C-unwind" fn MPI_Pready(partition: c_int, request: MPI_Request) -> c_int {
    frame::outcome(comm_of(request), || ready(partition, request))
}

pub(crate) unsafe extern "C-unwind" fn MPI_Pready_range(
    partition_low: c_int,
    partition_high: c_int,
    request: MPI_Request,
) -> c_int {
    frame::outcome(comm_of(request), || {
        if partition_low > partition_high {
            fail!(
                MPI_ERR_ARG,
                "partition_low is {partition_low}, which is above partition_high, {partition_high}"
            );
        }
        (partition_low..=partition_high).try_for_each(|partition| ready(partition, request))
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Pready_list(
    length: c_int,
    array_of_partitions: *const c_int,
    request: MPI_Request,
) -> c_int {
    frame::outcome(comm_of(request), || {
        // SAFETY: the program hands over that many numbers.
        let list = unsafe { array("array_of_partitions", array_of_partitions, size("length", length)?) }?;
        list.iter().try_for_each(|&partition| ready(partition, request))
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Parrived(
    request: MPI_Request,
    partition: c_int,
    flag: *mut c_int,
) -> c_int {
    frame::outcome(comm_of(request), || {
        let arrived = completion::has_arrived(request, partition)?;
        // SAFETY: the program hands over a place for an int.
        unsafe { put("flag", flag, arrived.into()) }
    })
}

/// The arguments that say where the data are.
struct Buffer<T> {
    buf: T,
    partitions: c_int,
    datatype: MPI_Datatype,
}

impl<T> Buffer<T> {
    fn partitions(&self) -> Result<u32> {
        match u32::try_from(self.partitions) {
            Ok(partitions) if partitions > 0 => Ok(partitions),
            _ => fail!(MPI_ERR_ARG, "partitions is {}, but must be positive", self.partitions),
        }
    }

    /// All partitions of `elements` each.
    fn region(&self, objects: &Objects, address: *const c_void, elements: impl Number) -> Result<Region> {
        let too_many = || MpiError::new(MPI_ERR_COUNT, "there are more elements than any machine holds");
        let elements = count("count", elements)? as i64;
        let all = elements.checked_mul(self.partitions()?.into()).ok_or_else(too_many)?;
        Region::of_arguments(&objects.datatypes, "buf", address, all, self.datatype)
    }
}

fn send(
    buffer: Buffer<*const c_void>,
    count: impl Number,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Result<MPI_Request> {
    let (tag, partitions) = (outline_tag(sent_tag("tag", tag)?)?, buffer.partitions()?);
    let prepared = try_with(|objects| {
        let object = objects.comms.get(comm)?;
        let Peer::Rank(to) = Peer::destination(object, dest)? else { return Ok(None) };
        let destination = Destination { context: object.context, to };
        let region = buffer.region(objects, buffer.buf, count)?;
        let first_tag = objects.requests.partition_tags.take(partitions);
        let bytes = region.bytes() as u64 / u64::from(partitions);
        let messages = destination.messages(&region, partitions, first_tag)?;
        Ok(Some((destination, Outline::new(partitions, bytes, first_tag), messages)))
    })?;
    let messages = prepared.map(|(destination, outline, messages)| {
        post(&destination.outline(tag, &outline.to_bytes()));
        messages
    });
    Ok(keep(Partitioned::send(comm, partitions, messages.unwrap_or_default())))
}

fn receive(
    buffer: Buffer<*mut c_void>,
    count: impl Number,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Result<MPI_Request> {
    let (outline, partitions) = (outline_tag(sent_tag("tag", tag)?)?, buffer.partitions()?);
    let mut receiving = try_with(|objects| {
        let object = objects.comms.get(comm)?;
        let peer = match Peer::source(object, source)? {
            Peer::AnySource => {
                fail!(MPI_ERR_RANK, "source is MPI_ANY_SOURCE, which partitioned messages do not have")
            }
            Peer::ProcNull => None,
            Peer::Rank(from) => Some(Source { context: object.context, from }),
        };
        let end = Completion { source, tag, ..Completion::empty(0) };
        let end = peer.as_ref().map_or(status::from_proc_null(), |_| end);
        Ok(Receiving::new(peer, buffer.region(objects, buffer.buf, count)?, end))
    })?;
    let id = with(|objects| objects.requests.take_id());
    match receiving.await_outline(id, outline) {
        Some(receive) => post(&receive.call(id)),
        None => with(|objects| objects.requests.give_back(id)),
    }
    Ok(keep(Partitioned::receive(comm, partitions, receiving)))
}

fn keep(partitioned: Partitioned) -> MPI_Request {
    with(|objects| objects.requests.insert(Request::Partitioned(Box::new(partitioned))))
}

/// Sends a partition.
fn ready(partition: c_int, request: MPI_Request) -> Result<()> {
    let message = try_with(|objects| objects.requests.partitioned_mut(request)?.make_ready(partition))?;
    if let Some(message) = message {
        let id = with(|objects| objects.requests.take_id());
        let buffers = message.post(rank::this().connection(), id);
        try_with(|objects| {
            objects.requests.partitioned_mut(request)?.note_sent(partition, id, buffers);
            Ok(())
        })?;
    }
    rank::this().program_events.note();
    Ok(())
}

fn check_info(info: MPI_Info) -> Result<()> {
    try_with(|objects| objects.infos.hints(info).map(drop))
}

fn comm_of(request: MPI_Request) -> Option<MPI_Comm> {
    with(|objects| objects.requests.get(request).ok().map(Request::comm))
}
