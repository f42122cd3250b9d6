//! Messages that a matched probe has taken, and the buffer of buffered sends.

use crate::callbacks::bsend_overhead;
use crate::constants::{MPI_ERR_BUFFER, MPI_ERR_REQUEST, MPI_MESSAGE_NULL};
use crate::error::{MpiError, Result, fail};
use crate::handles::Handles;
use crate::objects::bridge::Bridge;
use crate::types::{MPI_Comm, MPI_Message};
use mpirage_call::ContextId;
use std::sync::Arc;

/// A message that is to be received by its handle.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    /// Its number at the simulator.
    pub number: u32,
    pub context: ContextId,
    pub comm: MPI_Comm,
    /// The inter-communicator, if the message comes from its other side.
    pub bridge: Option<Arc<Bridge>>,
}

/// All messages that have been taken and not received.
#[derive(Debug)]
pub(crate) struct Messages(Handles<Message>);

impl Messages {
    pub(crate) const fn new() -> Messages {
        Messages(Handles::new())
    }

    pub(crate) fn insert(&mut self, message: Message) -> MPI_Message {
        MPI_Message(self.0.insert(message))
    }

    pub(crate) fn get(&self, message: MPI_Message) -> Result<&Message> {
        self.0.get(message.0).ok_or_else(|| invalid(message))
    }

    pub(crate) fn remove(&mut self, message: MPI_Message) -> Result<Message> {
        self.0.remove(message.0).ok_or_else(|| invalid(message))
    }
}

fn invalid(message: MPI_Message) -> MpiError {
    MpiError::new(
        MPI_ERR_REQUEST,
        match message {
            MPI_MESSAGE_NULL => "the message is MPI_MESSAGE_NULL".to_owned(),
            MPI_Message(handle) => format!("{handle:#x} is not a message"),
        },
    )
}

/// A buffer that the program has attached for buffered sends. The library keeps buffered messages elsewhere. It checks the
/// buffer so that a program which would fail for lack of room fails here too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attached {
    pub address: usize,
    /// Its size; none if MPI is to find the memory itself.
    pub size: Option<usize>,
}

impl Attached {
    /// Is there room for a message at all?
    pub(crate) fn check(attached: Option<Attached>, bytes: usize) -> Result<()> {
        let needed = bytes.saturating_add(bsend_overhead());
        match attached {
            None => fail!(MPI_ERR_BUFFER, "no buffer is attached for buffered sends"),
            Some(Attached { size: Some(size), .. }) if size < needed => fail!(
                MPI_ERR_BUFFER,
                "the attached buffer has {size} bytes, but the message needs {needed} (MPI_BSEND_OVERHEAD included)"
            ),
            Some(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffered_send_needs_a_buffer_with_room() {
        assert_eq!(Attached::check(None, 0).unwrap_err().class, MPI_ERR_BUFFER);
        let attached = Some(Attached { address: 0x1000, size: Some(600) });
        assert!(Attached::check(attached, 88).is_ok());
        assert!(Attached::check(attached, 89).is_err());
        assert!(Attached::check(Some(Attached { address: 2, size: None }), 1 << 30).is_ok());
    }
}
