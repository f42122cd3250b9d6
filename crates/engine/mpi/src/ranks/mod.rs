//! Ranks and their lines of control.
//!
//! A *rank* is an address: messages are sent to it, requests belong to it. A *line* is a thread of control of a rank: it makes
//! calls, waits and gets replies. A rank starts with one line; [`Ranks::open_line`] adds others.

pub(crate) mod inbox;
pub(crate) mod job;
pub(crate) mod line;
pub(crate) mod receiving;
pub(crate) mod request;
mod sessions;
mod state;

pub(crate) use state::{Ranks, Wakeup};
