//! Calls, replies and services as words of a mailbox.
//!
//! A record is a whole number of 8-byte words in native order, because both ends run on one
//! machine. A call has a head (code, flags, function, length), its stamp, the fixed part of its
//! fields, and then texts and lists, each padded to a word. Encoding into a buffer never allocates;
//! decoding borrows.

mod calls;
mod fields;
mod plain;
mod replies;
mod words;

pub use calls::{decode_call, decode_stamp, encode_call, encode_known_call, push_call};
pub use plain::{HeadKind, PlainCall, PlainOperation, decode_plain, decode_receive, head_kind};
pub use replies::{Answer, decode_answer, encode_reply, encode_service, is_reply};
pub use words::{Full, WireError};

pub(crate) use fields::{FieldReader, FieldWriter, STAMP_WORDS, Size, WireField};
pub(crate) use words::Sink;

#[cfg(test)]
mod tests;
