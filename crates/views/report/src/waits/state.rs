//! Wait states: why a rank that is in an MPI call does not return from it.

use mpirage_call::Collective;

/// The reason why a rank waits in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum State {
    /// A message that is not sent yet.
    LateSender,
    /// A receive that is not posted yet, without which the bytes may not move.
    LateReceiver,
    /// A rank that has not entered the barrier yet.
    Barrier,
    /// A rank that has not entered the collective yet.
    Collective,
    /// The root, or a rank between it and the waiting one, that has not entered yet.
    LateBroadcast,
    /// A rank that has not entered yet and whose contribution is needed.
    EarlyReduce,
    /// Another rank's part in one-sided communication.
    OneSided,
    /// Another rank that is not known.
    Other,
    /// Bytes that move.
    Transfer,
    /// Bytes that move more slowly because of other messages.
    Contention,
}

impl State {
    pub const COUNT: usize = 10;

    pub const ALL: [State; State::COUNT] = [
        State::LateSender,
        State::LateReceiver,
        State::Barrier,
        State::Collective,
        State::LateBroadcast,
        State::EarlyReduce,
        State::OneSided,
        State::Other,
        State::Transfer,
        State::Contention,
    ];

    /// Its name in the data of the page.
    pub fn name(self) -> &'static str {
        match self {
            State::LateSender => "late_sender",
            State::LateReceiver => "late_receiver",
            State::Barrier => "barrier",
            State::Collective => "collective",
            State::LateBroadcast => "late_broadcast",
            State::EarlyReduce => "early_reduce",
            State::OneSided => "one_sided",
            State::Other => "other",
            State::Transfer => "transfer",
            State::Contention => "contention",
        }
    }

    /// Its name in sentences.
    pub fn words(self) -> &'static str {
        match self {
            State::LateSender => "late senders",
            State::LateReceiver => "late receivers",
            State::Barrier => "barriers",
            State::Collective => "collectives",
            State::LateBroadcast => "late roots of broadcasts",
            State::EarlyReduce => "early roots of reductions",
            State::OneSided => "one-sided communication",
            State::Other => "unknown ranks",
            State::Transfer => "transfers",
            State::Contention => "contention",
        }
    }

    /// Whether the rank waits for another rank, not for the network.
    pub fn is_wait(self) -> bool {
        !matches!(self, State::Transfer | State::Contention)
    }

    /// The state of a rank in a collective while another rank has not entered. `held`: the other rank is to receive.
    pub fn in_collective(kind: Collective, held: bool) -> State {
        match kind.within() {
            Collective::Barrier => State::Barrier,
            _ if !kind.is_rooted() => State::Collective,
            _ if held => State::LateReceiver,
            Collective::Bcast | Collective::Scatter | Collective::Scatterv => State::LateBroadcast,
            _ => State::EarlyReduce,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_numbered_in_order() {
        for (at, state) in State::ALL.into_iter().enumerate() {
            assert_eq!(state as usize, at);
        }
    }

    #[test]
    fn rooted_collectives_have_a_direction() {
        for (kind, state) in [
            (Collective::Barrier, State::Barrier),
            (Collective::Allreduce, State::Collective),
            (Collective::Bcast, State::LateBroadcast),
            (Collective::Scatterv, State::LateBroadcast),
            (Collective::Reduce, State::EarlyReduce),
            (Collective::Gather, State::EarlyReduce),
        ] {
            assert_eq!(State::in_collective(kind, false), state, "{}", kind.name());
        }
        assert_eq!(State::in_collective(Collective::Bcast, true), State::LateReceiver);
    }
}
