//! The file format OTF2 (Open Trace Format 2) of Score-P, Vampir and Scalasca: records as bytes, in both directions.
//!
//! ```text
//! run.otf2        the anchor: chunk sizes, number of locations             Anchor
//! run.def         global definitions: strings, ranks, communicators        Definition
//! run/0.def       of a location: how its numbers map to global ones        IdMap
//! run/0.evt       the events of a location, in order of time               Event
//! ```
//!
//! All files but the anchor consist of chunks of a fixed size, which the anchor states ([`ChunkWriter`]):
//!
//! ```text
//! chunk      3, byte order, first event (8 bytes), last event (8 bytes), records, 0 … 0
//! time       5, ticks (8 bytes)                 in front of an event, unless it has the same time as the event before
//! record     kind, length, fields               255 as the length: the next 8 bytes are the length
//! fields     number of bytes, then these bytes; 0 for zero, 255 for "undefined"
//! last chunk … records, 2, 1                    it ends where its records end
//! ```
//!
//! This crate does no input or output except through [`std::io::Write`], and it knows no simulator. `mpirage-timeline` writes archives
//! with it, `mpirage-trace` reads them. The layout was learnt from the sources of OTF2 3.0.2 and from files that libotf2 writes.

mod anchor;
mod bytes;
mod chunk;
mod definition;
mod event;
mod operation;

pub use anchor::{Anchor, Compression, Substrate};
pub use bytes::{ByteOrder, Fields, FormatError, UNDEFINED};
pub use chunk::{CHUNK_HEADER, ChunkWriter, Marker, largest_record};
pub use definition::{
    Definition, GroupType, IdMap, LocationGroupType, LocationType, Mapping, Paradigm, Role, RootCode,
};
pub use event::{Event, MpiMessage, OperationEnd, TextAttribute, has_length, is_known};
pub use operation::{CREATE_HANDLE, Sizes, code_of, collective_of};
