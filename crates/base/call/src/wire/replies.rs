//! Replies and services as words.

use mpirage_units::Time;

use super::words::{Full, Reader, Sink, WireError, Writer, halves, pair};
use crate::{Completion, ContextId, Reply, Service};

/// Stands for no communicator and no message.
const NONE: u32 = u32::MAX;
/// Stands for a time that is not known.
const UNKNOWN: u64 = u64::MAX;

/// The contents of the mailbox of a waiting rank.
#[derive(Debug)]
pub enum Answer<'a> {
    /// The reply. The words behind it are bytes to store, `(address, length, bytes)` each.
    Done,
    /// A service. The rank performs it, and waits again.
    Serve(Service<'a>),
}

/// Writes a reply; gives the number of words it takes.
#[inline]
pub fn encode_reply(reply: &Reply, buffer: &mut [u64]) -> Result<usize, Full> {
    let mut w = Writer::new(buffer);
    let numbers = pair(reply.message.unwrap_or(NONE), reply.context.map_or(NONE, ContextId::get));
    let now = if reply.early { UNKNOWN } else { reply.now.as_picos() };
    w.all([u64::from(reply.number.is_some()) << 8, now, numbers])?;
    w.word(reply.completions.len() as u64)?;
    for c in &reply.completions {
        let flags = u32::from(c.cancelled) | u32::from(c.truncated) << 1 | u32::from(c.mismatched) << 2;
        w.all([pair(c.index, flags), pair(c.source as u32, c.tag as u32), c.bytes])?;
    }
    w.halves(&reply.members)?;
    if let Some(number) = reply.number {
        w.word(number)?;
    }
    Ok(w.finish())
}

/// Writes a service; gives the number of words it takes.
pub fn encode_service(service: &Service<'_>, buffer: &mut [u64]) -> Result<usize, Full> {
    let mut w = Writer::new(buffer);
    match *service {
        Service::Peek { address, bytes } => {
            w.word(1)?;
            w.word(address)?;
            w.word(bytes)?;
        }
        Service::Poke { address, bytes } => {
            w.word(2)?;
            w.word(address)?;
            w.bytes(bytes)?;
        }
        Service::Reduce { op, datatype, elements, incoming, inout } => {
            w.word(3)?;
            w.word(op)?;
            w.word(datatype)?;
            w.word(elements)?;
            w.bytes(incoming)?;
            w.bytes(inout)?;
        }
        Service::Stage { offset, bytes } => {
            w.word(4)?;
            w.word(offset)?;
            w.bytes(bytes)?;
        }
        Service::ReduceStaged { op, datatype, elements, bytes } => {
            w.all([5, op, datatype, elements, bytes])?;
        }
        Service::Fetch { offset, bytes } => w.all([6, offset, bytes])?,
    }
    Ok(w.finish())
}

/// Is the record at the head of `buffer` a reply?
#[inline]
pub fn is_reply(buffer: &[u64]) -> bool {
    buffer.first().is_some_and(|&header| header as u8 == 0)
}

/// Reads a reply into `reply`, or a service. Gives the number of words that it took too.
#[inline]
pub fn decode_answer<'b>(buffer: &'b [u64], reply: &mut Reply) -> Result<(Answer<'b>, usize), WireError> {
    let (mut r, length) = Reader::open(buffer)?;
    let header = r.word()?;
    let answer = match header as u8 {
        0 => {
            decode_reply(&mut r, reply)?;
            reply.number = if header & 0x100 != 0 { Some(r.word()?) } else { None };
            Answer::Done
        }
        1 => Answer::Serve(Service::Peek { address: r.word()?, bytes: r.word()? }),
        2 => Answer::Serve(Service::Poke { address: r.word()?, bytes: r.bytes()? }),
        3 => Answer::Serve(Service::Reduce {
            op: r.word()?,
            datatype: r.word()?,
            elements: r.word()?,
            incoming: r.bytes()?,
            inout: r.bytes()?,
        }),
        4 => Answer::Serve(Service::Stage { offset: r.word()?, bytes: r.bytes()? }),
        5 => {
            let &[op, datatype, elements, bytes] = r.chunk()?;
            Answer::Serve(Service::ReduceStaged { op, datatype, elements, bytes })
        }
        6 => Answer::Serve(Service::Fetch { offset: r.word()?, bytes: r.word()? }),
        _ => return Err(WireError),
    };
    Ok((answer, length))
}

#[inline]
fn decode_reply(r: &mut Reader<'_>, reply: &mut Reply) -> Result<(), WireError> {
    reply.clear();
    match r.word()? {
        UNKNOWN => reply.early = true,
        now => reply.now = Time::from_picos(now),
    }
    let (message, context) = r.pair()?;
    reply.message = (message != NONE).then_some(message);
    reply.context = (context != NONE).then_some(ContextId::new(context));
    for _ in 0..r.word()? {
        let &[first, second, bytes] = r.chunk()?;
        let ((index, flags), (source, tag)) = (halves(first), halves(second));
        let (cancelled, truncated, mismatched) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0);
        let (source, tag) = (source as i32, tag as i32);
        reply.completions.push(Completion { index, source, tag, bytes, cancelled, truncated, mismatched });
    }
    reply.members.extend_from_slice(r.halves()?);
    Ok(())
}
