//! Calls, replies and services as bytes.
//!
//! A record is a whole number of 8-byte words in native order, because both ends run on one
//! machine: a header word (kind, flags, function, length), the stamp, fields, and then a tail of
//! bytes padded to a word. Encoding never allocates; decoding borrows.

mod calls;
mod fields;
mod plain;
mod replies;
mod words;

pub use calls::{decode_call, decode_stamp, encode_call, encode_known_call, push_call};
pub use plain::{PlainCall, PlainWay, Sort, decode_plain, decode_receive, sort_of};
pub use replies::{Answer, decode_answer, encode_reply, encode_service, is_reply};
pub use words::{Full, WireError};

pub(crate) use fields::{FieldReader, FieldWriter, STAMP_WORDS, Size, WireField};
pub(crate) use words::Sink;

#[cfg(test)]
mod tests;
