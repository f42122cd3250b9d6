//! Point-to-point transport: messages and receives on their way to each other.
//!
//! [`Transport`] owns messages, receives, matching queues and the order of messages. It starts transfers in [`crate::wire`] and
//! reports what follows from them as [`Event`]s, which the engine takes after each call into the transport.

mod long_queue;
pub(crate) mod matching;
pub(crate) mod message;
mod order;
mod payload;
mod state;
#[cfg(test)]
mod table;
mod transfer;
mod unnoticed;

pub(crate) use state::{Env, Event, Reception, Transport, queue_lengths};
pub(crate) use unnoticed::acting_rank;
