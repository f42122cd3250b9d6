//! Numbers that the simulator keeps of a rank, for the tool interface of MPI.

/// One such number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Figure {
    /// Messages of the rank that have been delivered, those of collectives included.
    MessagesSent,
    /// Their bytes.
    BytesSent,
    /// Messages to the rank that have been delivered, those of collectives included.
    MessagesReceived,
    /// Their bytes.
    BytesReceived,
    /// Messages that have come and wait for a receive.
    UnexpectedMessages,
    /// Receives that wait for a message.
    PostedReceives,
    /// Picoseconds that the rank has computed, or begun to.
    ComputationPicos,
}

impl Figure {
    const ALL: [Figure; 7] = [
        Figure::MessagesSent,
        Figure::BytesSent,
        Figure::MessagesReceived,
        Figure::BytesReceived,
        Figure::UnexpectedMessages,
        Figure::PostedReceives,
        Figure::ComputationPicos,
    ];

    /// Its number in a call.
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The one with this number, if there is one.
    pub fn from_code(code: u32) -> Option<Figure> {
        Figure::ALL.get(code as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::Figure;

    #[test]
    fn codes_lead_back() {
        for figure in Figure::ALL {
            assert_eq!(Figure::from_code(figure.code()), Some(figure));
        }
        assert_eq!(Figure::from_code(7), None);
    }
}
