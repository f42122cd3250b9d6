//! Messages that a matched probe has taken, and the buffer of buffered sends.

use crate::constants::{MPI_ERR_BUFFER, MPI_ERR_REQUEST, MPI_MESSAGE_NULL};
use crate::ground::callbacks::bsend_overhead;
use crate::ground::error::{MpiError, Result, fail};
use crate::ground::handles::Handles;
use crate::objects::bridge::Bridge;
use crate::types::{MPI_Comm, MPI_Message, MPI_Request, MPI_Session};
use mpirage_call::ContextId;
use std::sync::Arc;

/// A message that is to be received by its handle.
#[derive(Clone, Debug)]
pub(crate) struct MatchedMessage {
    /// Its number at the simulator.
    pub number: u32,
    pub context: ContextId,
    pub comm: MPI_Comm,
    /// The inter-communicator, if the message comes from its other side.
    pub bridge: Option<Arc<Bridge>>,
}

/// All messages that have been taken and not received.
#[derive(Debug)]
pub(crate) struct Messages(Handles<MatchedMessage>);

impl Messages {
    pub(crate) const fn new() -> Messages {
        Messages(Handles::new())
    }

    pub(crate) fn insert(&mut self, message: MatchedMessage) -> MPI_Message {
        MPI_Message(self.0.insert(message))
    }

    pub(crate) fn get(&self, message: MPI_Message) -> Result<&MatchedMessage> {
        self.0.get(message.0).ok_or_else(|| invalid(message))
    }

    pub(crate) fn remove(&mut self, message: MPI_Message) -> Result<MatchedMessage> {
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

/// A buffer that the program has attached for buffered sends. The library keeps buffered messages elsewhere. It counts what would be in the
/// buffer, so that a program which would fail for lack of room fails here too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attached {
    pub address: usize,
    /// Its size; none if MPI is to find the memory itself.
    pub size: Option<usize>,
}

impl Attached {
    /// Is there room for a message beside others that take up `used` bytes?
    pub(crate) fn check(&self, needed: usize, used: usize) -> Result<()> {
        match self.size {
            Some(size) if size.saturating_sub(used) < needed => fail!(
                MPI_ERR_BUFFER,
                "the attached buffer has {size} bytes, of which {used} are in use, but the message needs {needed} (MPI_BSEND_OVERHEAD included)"
            ),
            _ => Ok(()),
        }
    }
}

/// The bytes that a message takes up in a buffer.
pub(crate) fn buffered_bytes(bytes: usize) -> usize {
    bytes.saturating_add(bsend_overhead())
}

/// The owner of a buffer for buffered sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BufferOwner {
    Process,
    Comm(MPI_Comm),
    Session(MPI_Session),
}

/// Messages in a buffer that have not been sent completely.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub owner: BufferOwner,
    /// Completes when they have left the buffer.
    pub request: MPI_Request,
    /// Bytes that they occupy in the buffer.
    pub bytes: usize,
    /// True if the program has the request too (`MPI_Buffer_iflush`). Then only the program frees it.
    pub flushed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffered_send_needs_a_buffer_with_room() {
        let attached = Attached { address: 0x1000, size: Some(600) };
        assert!(attached.check(buffered_bytes(88), 0).is_ok());
        assert_eq!(attached.check(buffered_bytes(89), 0).unwrap_err().class, MPI_ERR_BUFFER);
        assert!(attached.check(100, 500).is_ok());
        assert!(attached.check(100, 501).is_err());
        assert!(attached.check(1, 700).is_err());
        assert!(Attached { address: 2, size: None }.check(1 << 30, 1 << 40).is_ok());
    }
}
