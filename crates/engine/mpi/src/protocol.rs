//! How an MPI implementation behaves on the wire, as a value.
//!
//! When does a send return, when do its bytes start to move, when does the receiver learn of it, and
//! what does each side pay? Everything the MPI layer decides about point-to-point messages it decides
//! from here.

use mpirage_call::{Call, FailedPollCost, RankId, SendMode};
use mpirage_collectives::Step;
use mpirage_platform::HostId;
use mpirage_units::{Duration, Time, draw};

use crate::noise::Noise;

/// The behaviour of one MPI implementation.
#[derive(Clone, Debug, PartialEq)]
pub struct Protocol {
    /// Standard sends of fewer bytes are eager: they return at once.
    pub eager_limit: u64,
    /// Eager messages of fewer bytes start to move when they are sent; the others when they are matched.
    pub push_limit: u64,
    /// When the receiver can match a message.
    pub envelope: Envelope,
    /// When the sender of an eager message is free.
    pub eager: EagerSend,
    /// The messages of the protocol itself that a rendezvous sends across the network.
    pub handshake: Handshake,
    /// When the sender of a rendezvous is free.
    pub rendezvous: Rendezvous,
    /// Seconds per byte until a message has been copied out of the sender's memory, which then is free.
    pub copy_out_seconds_per_byte: f64,
    /// Seconds per byte of the copy that a message costs that had arrived before its receive was there.
    pub late_seconds_per_byte: f64,
    /// The cost of calls at their beginning, before they take effect.
    pub startup: Option<Startup>,
    /// The cost of messages on the processors of ranks, which do one thing at a time.
    pub processor: Option<ProcessorCosts>,
    /// When sends pay for their overheads.
    pub send_cost: SendCost,
    /// The cost of a blocking send for the sender, if it does not wait for the receiver.
    pub send_overhead: Overhead,
    /// The cost of a non-blocking send for the sender.
    pub isend_overhead: Overhead,
    /// The cost of a completed receive for the receiver.
    pub recv_overhead: Overhead,
    /// The cost of a test or probe.
    pub poll: PollCost,
    /// The cost of reading the clock.
    pub clock_cost: Duration,
    /// Seconds per byte of combining two operands of a reduction.
    pub reduce_seconds_per_byte: f64,
    /// Seconds per byte of copying within a rank during a collective.
    pub copy_seconds_per_byte: f64,
    /// Seconds for each block that lies apart from others, during a collective that packs and unpacks them: its part of the datatype, and its copies.
    pub copy_seconds_per_block: f64,
    /// When the library goes on with non-blocking collectives and with rendezvous.
    pub progress: LibraryProgress,
    /// The component that carries out accesses to windows at their target.
    pub one_sided: AccessProgress,
    /// The cost at its target of an access that combines or compares elements, besides its bytes; such accesses are serialized.
    pub atomic_gap: Duration,
    /// How late ranks wake up that have slept.
    pub wake_up: WakeUp,
    /// Random differences between runs.
    pub noise: Noise,
}

/// How late a rank wakes up that has slept: a random time, up to a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WakeUp {
    /// The limit.
    pub latest: Duration,
    /// The seed of the random numbers.
    pub seed: u64,
}

impl WakeUp {
    /// How late a rank is that was to wake up at `date`.
    pub(crate) fn lateness(&self, rank: RankId, date: Time) -> Duration {
        if self.latest.is_zero() {
            return Duration::ZERO;
        }
        let share = draw(self.seed, [rank.get().into(), date.as_picos()]);
        Duration::from_picos((self.latest.as_picos() as f64 * share) as u64)
    }
}

/// When sends pay for their overheads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendCost {
    /// First: then the message leaves.
    First,
    /// While the message is on its way: the network's latency holds the cost.
    Meanwhile,
}

/// When the sender of an eager message is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EagerSend {
    /// At once: the library keeps a copy.
    AtOnce,
    /// When the network holds the message's last byte, as with a socket whose buffer has a limit.
    Buffered,
}

/// The messages of the protocol itself that belong to a rendezvous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// None: sender and receiver know of each other at once.
    None,
    /// The sender requests, the receiver grants; then the bytes leave (Open MPI's ob1).
    Grant,
    /// Besides, the receiver answers when the bytes have come, and the sender confirms: the sender is free at the answer,
    /// the receiver at the confirmation (UCX over TCP).
    Confirm,
    /// The sender requests; the receiver reads the bytes and tells the sender when it has them (RDMA read).
    Read,
}

/// When a library acts on what has arrived: goes on with a non-blocking collective, or with a rendezvous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryProgress {
    /// At once, as with a progress thread or with an interface that performs collectives and rendezvous.
    Background,
    /// When the rank is in a call of MPI, as in most libraries by default: a rank that computes holds up the others. The library
    /// looks for what has arrived when it waits or is asked, not when it begins to send or receive.
    InCalls,
}

/// The component that carries out accesses to windows at their target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessProgress {
    /// The target's interface, at once (RDMA): the target has no part in it.
    Interface,
    /// The target's library, when the target is in a call of MPI (active messages): a rank that computes holds up the others.
    InCalls,
}

/// When the receiver can match a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Envelope {
    /// As soon as it is sent.
    AtSend,
    /// When it arrives, and not before earlier messages of the same sender.
    OnArrival,
    /// When it arrives; the network keeps the messages of a sender in order.
    InOrder,
}

/// The letters of LogGOPS that are about processors and their network interfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessorCosts {
    /// o: the cost of a message on either side.
    pub overhead: Duration,
    /// O: seconds for each byte but the first.
    pub overhead_per_byte: f64,
    /// g: from the start of one message to that of the next, at an interface.
    pub gap: Duration,
    /// G: seconds for each byte but the first.
    pub gap_per_byte: f64,
}

/// When the bytes of large and synchronous messages leave, and when their sender is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rendezvous {
    /// The bytes leave when a receive matches; the sender is free when they have arrived.
    Delivered,
    /// The bytes leave when a receive matches; the sender is free when they do.
    Departed,
    /// The bytes leave when a receive matches; the sender is free when they have been copied out of its memory.
    Copied,
    /// The bytes leave at once; the sender is free when a receive matches.
    Matched,
}

/// The cost of calls at their beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct Startup {
    /// Costs by host; a single entry applies to all hosts.
    pub hosts: Vec<StartupCost>,
    /// The additional cost of a message that is buffered on its way to another host.
    pub buffer: Duration,
    /// When receives pay it.
    pub receives: ReceiveStartup,
}

/// The cost of a call about a message at its beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartupCost {
    /// If the other rank is on the same host.
    pub within: Duration,
    /// If it is on another.
    pub across: Duration,
}

/// When receives pay for their beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveStartup {
    /// A blocking receive before it is posted, a wait before it begins, once for each receive; a non-blocking receive never.
    First,
    /// Every receive when it has been posted; a wait never.
    Meanwhile,
}

impl Startup {
    /// The cost of a call by a rank on `me` about a message from or to `other`; if `other` is unknown, as for another host.
    pub(crate) fn of(&self, me: HostId, other: Option<HostId>) -> Duration {
        let at = if self.hosts.len() == 1 { 0 } else { me.0 as usize };
        let StartupCost { within, across } = self.hosts.get(at).copied().unwrap_or_default();
        if other == Some(me) { within } else { across }
    }

    /// The cost of a send.
    pub(crate) fn of_send(&self, me: HostId, other: HostId, mode: TransferMode) -> Duration {
        let buffered = !mode.waits_for_receiver() && other != me;
        self.of(me, Some(other)) + if buffered { self.buffer } else { Duration::ZERO }
    }
}

/// How one message travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferMode {
    /// The sender is free at once and the bytes leave at once.
    Push,
    /// The sender is free at once; the bytes leave when a receive matches.
    Pull,
    /// The sender waits; the bytes leave when a receive matches.
    Rendezvous,
    /// The bytes leave at once; the sender waits until a receive matches.
    Held,
    /// The bytes leave at once; the sender waits until the network holds the last of them.
    Buffered,
}

impl TransferMode {
    /// Is the sender not free at once?
    pub fn sender_waits(self) -> bool {
        self.waits_for_receiver() || self == TransferMode::Buffered
    }

    /// Does the sender wait for the receiver?
    pub fn waits_for_receiver(self) -> bool {
        matches!(self, TransferMode::Rendezvous | TransferMode::Held)
    }

    /// Do the bytes leave at once?
    pub(crate) fn leaves_at_once(self) -> bool {
        matches!(self, TransferMode::Push | TransferMode::Held | TransferMode::Buffered)
    }
}

impl Protocol {
    /// The cost of combining two operands.
    pub(crate) fn reduction(&self, bytes: u64) -> Duration {
        per_byte(bytes, self.reduce_seconds_per_byte)
    }

    /// The cost of copying within a rank, in so many blocks that lie apart.
    pub(crate) fn copy(&self, bytes: u64, blocks: u32) -> Duration {
        let packing = f64::from(blocks) * self.copy_seconds_per_block;
        Duration::from_secs_f64(bytes as f64 * self.copy_seconds_per_byte + packing)
    }

    /// How a message travels.
    #[inline]
    pub fn transfer_mode(&self, mode: SendMode, bytes: u64) -> TransferMode {
        match mode {
            SendMode::Synchronous => self.waiting_mode(),
            SendMode::Standard | SendMode::Ready if bytes >= self.eager_limit => self.waiting_mode(),
            _ if bytes >= self.push_limit => TransferMode::Pull,
            SendMode::Buffered => TransferMode::Push,
            _ if self.eager == EagerSend::Buffered => TransferMode::Buffered,
            _ => TransferMode::Push,
        }
    }

    /// Standard sends of fewer bytes return at once, whatever the receiver and the network do.
    pub fn unanswered_limit(&self) -> u64 {
        if self.eager == EagerSend::Buffered { 0 } else { self.eager_limit }
    }

    /// Buffered messages of fewer bytes do not stay in the program's buffer: they leave at once. Longer ones are sent from there as if by a standard
    /// send. By the equations of `smp`, in which the copy alone counts, all of them leave at once.
    pub fn buffered_limit(&self) -> u64 {
        if self.rendezvous == Rendezvous::Copied { u64::MAX } else { self.eager_limit }
    }

    /// Does the receiver of a message answer when its bytes have come?
    pub(crate) fn is_confirmed(&self, mode: TransferMode) -> bool {
        self.handshake == Handshake::Confirm && mode == TransferMode::Rendezvous
    }

    fn waiting_mode(&self) -> TransferMode {
        if self.rendezvous == Rendezvous::Matched { TransferMode::Held } else { TransferMode::Rendezvous }
    }

    /// Does anything cost something before it takes effect?
    #[inline]
    pub(crate) fn has_beginnings(&self) -> bool {
        let overheads = !(self.send_overhead.is_none() && self.isend_overhead.is_none());
        self.startup.is_some() || overheads && self.send_cost == SendCost::First
    }

    /// The cost of a call before its message leaves.
    pub(crate) fn overhead_of_call(&self, call: &Call<'_>) -> Duration {
        match *call {
            Call::Send { mode, bytes, request, .. } => self.overhead_first(mode, bytes, request.is_none()),
            _ => Duration::ZERO,
        }
    }

    /// The cost of a step of a schedule before its message leaves.
    pub(crate) fn overhead_of_step(&self, step: Step) -> Duration {
        match step {
            Step::Send { bytes, .. } => self.overhead_first(SendMode::Standard, bytes, true),
            Step::Isend { bytes, .. } => self.overhead_first(SendMode::Standard, bytes, false),
            Step::Ssend { bytes, .. } => self.overhead_first(SendMode::Synchronous, bytes, true),
            Step::Issend { bytes, .. } => self.overhead_first(SendMode::Synchronous, bytes, false),
            _ => Duration::ZERO,
        }
    }

    /// A blocking send that waits for its receiver pays nothing, unless it is synchronous.
    #[inline]
    pub(crate) fn overhead_first(&self, mode: SendMode, bytes: u64, blocking: bool) -> Duration {
        if self.send_cost != SendCost::First {
            return Duration::ZERO;
        }
        let may_wait = blocking && mode != SendMode::Synchronous;
        let waits = may_wait && self.transfer_mode(mode, bytes).sender_waits();
        if waits { Duration::ZERO } else { self.send_overhead_of(bytes, blocking) }
    }

    /// The cost of a send while its message is on its way.
    #[inline]
    pub(crate) fn overhead_meanwhile(&self, bytes: u64, blocking: bool) -> Duration {
        match self.send_cost {
            SendCost::First => Duration::ZERO,
            SendCost::Meanwhile => self.send_overhead_of(bytes, blocking),
        }
    }

    #[inline]
    fn send_overhead_of(&self, bytes: u64, blocking: bool) -> Duration {
        let overhead = if blocking { &self.send_overhead } else { &self.isend_overhead };
        overhead.of(bytes)
    }

    /// How long it takes to copy a message out of the sender's memory.
    #[inline]
    pub(crate) fn copy_out(&self, bytes: u64) -> Duration {
        per_byte(bytes, self.copy_out_seconds_per_byte)
    }

    /// How long it takes to copy a message that had arrived before its receive.
    pub(crate) fn late_copy(&self, bytes: u64) -> Duration {
        per_byte(bytes, self.late_seconds_per_byte)
    }
}

/// The time for so many bytes; nothing without a multiplication, for most models have none.
#[inline]
pub(crate) fn per_byte(bytes: u64, seconds_per_byte: f64) -> Duration {
    if seconds_per_byte == 0.0 {
        return Duration::ZERO;
    }
    Duration::from_secs_f64(bytes as f64 * seconds_per_byte)
}

/// A cost that is linear in each class of sizes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overhead {
    /// `(messages of at least so many bytes, seconds, seconds per byte)`, in increasing order.
    pub sections: Vec<(u64, f64, f64)>,
}

impl Overhead {
    /// Does no message cost anything?
    #[inline]
    pub fn is_none(&self) -> bool {
        self.sections.is_empty()
    }

    /// The same for messages below a size; longer ones cost nothing.
    pub fn below(mut self, limit: u64) -> Overhead {
        if !self.is_none() {
            self.sections.retain(|section| section.0 < limit);
            self.sections.push((limit, 0.0, 0.0));
        }
        self
    }

    /// The cost of a message of `bytes` bytes.
    pub fn of(&self, bytes: u64) -> Duration {
        if self.sections.is_empty() {
            return Duration::ZERO;
        }
        let after = self.sections.partition_point(|section| section.0 <= bytes);
        match after.checked_sub(1).map(|i| self.sections[i]) {
            Some((_, constant, per_byte)) => Duration::from_secs_f64(constant + per_byte * bytes as f64),
            None => Duration::ZERO,
        }
    }
}

/// The cost of a poll, so that a program that polls makes time pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PollCost {
    /// Every poll costs something before it looks: one step, and after k failures in a row k + 1. As in SimGrid, tests of
    /// several requests look at each by itself, and failures of all ranks count together.
    First {
        /// The step of tests.
        test: Duration,
        /// The step of probes.
        probe: Duration,
    },
    /// Each failure costs a share of the time polled so far, but at least a minimum: few steps and a bounded error.
    Proportional {
        /// The least.
        least: Duration,
        /// The share.
        share: f64,
    },
}

impl PollCost {
    /// The cost of a failure, after having polled for `elapsed`.
    pub fn of(&self, elapsed: Duration) -> Duration {
        match *self {
            PollCost::First { test, .. } => test,
            PollCost::Proportional { least, share } => FailedPollCost { least, share }.of(elapsed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overhead_takes_the_section_of_the_size() {
        let overhead = Overhead { sections: vec![(0, 1e-6, 0.0), (1000, 2e-6, 1e-9)] };
        assert_eq!(overhead.of(999), Duration::from_nanos(1000));
        assert_eq!(overhead.of(1000), Duration::from_nanos(3000));
        assert_eq!(Overhead::default().of(5), Duration::ZERO);
    }

    #[test]
    fn polls_cost_more_and_more() {
        let share = PollCost::Proportional { least: Duration::from_nanos(500), share: 0.01 };
        assert_eq!(share.of(Duration::ZERO), Duration::from_nanos(500));
        assert_eq!(share.of(Duration::from_secs_f64(1.0)), Duration::from_secs_f64(0.01));
    }
}
