//! Byte streams: the messages of a connection, in the order in which they were written.
//!
//! ```text
//!   done                unheld                         written
//!    │ ◄── send buffer ──►│                               │
//!    ▼                    ▼                               ▼
//!   ─┬────────────────┬───┴──────────┬────────────────────┬─►  position in the stream
//!    │ front          │              │               last │
//! ```
//!
//! A message that is longer than a burst is slow: those written while it is in the stream wait until it has arrived. The sender of
//! a message is free once the buffer holds its last byte.

use mpirage_fair::FlowId;
use mpirage_kernel::{Token, Transfer};
use mpirage_units::Time;
use rustc_hash::FxHashMap;

use super::wires::Burst;

/// A message in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MessageId(pub u32);

/// A message that is on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct StreamMessage {
    pub transfer: Transfer,
    pub token: Token,
    /// If it waits: not before this date does its first byte reach its host.
    pub ready: Time,
    /// Not before this date does it leave its host after its burst.
    pub turn: Time,
    /// If it is long: when it began to use links.
    pub begins: Time,
    /// Its place in the stream: the position after its last byte, and its bytes.
    end: u64,
    bytes: u64,
    /// Bytes that leave at once.
    burst: u64,
    /// Where the part that now uses links ends.
    part_end: u64,
    /// The burst that is on its way, and the number of the link that it comes to.
    crossing: Burst,
    hop: u32,
    /// Its flow, if it uses links as one.
    flow: Option<FlowId>,
    stream: u32,
    next: u32,
    pace: Pace,
    sender: Sender,
    /// Is its last byte at its host?
    is_complete: bool,
    /// Does its receiver have it?
    has_arrived: bool,
}

/// How fast a message goes through its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// It is one burst.
    Fast,
    /// It is longer than a burst.
    Slow,
    /// It waits for a slow one before it.
    Waits,
}

impl StreamMessage {
    /// Does it wait for others of its stream?
    pub(super) fn waits(&self) -> bool {
        self.pace == Pace::Waits
    }

    /// Is it one burst?
    pub(super) fn is_short(&self) -> bool {
        self.pace == Pace::Fast
    }

    /// Its bytes in the stream.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes that leave at once.
    pub(super) fn burst(&self) -> u64 {
        self.burst
    }

    /// The flow that it uses links as.
    pub(super) fn flow(&self) -> Option<FlowId> {
        self.flow
    }

    /// The burst that is on its way.
    pub(super) fn crossing(&self) -> Burst {
        self.crossing
    }

    /// The number of the link that it comes to.
    pub(super) fn hop(&self) -> usize {
        self.hop as usize
    }
}

/// The state of a message's sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sender {
    /// It waits for room in the buffer.
    Waits,
    /// The date at which it becomes free is set.
    WillBeFree,
    /// It knew before that date that the message has arrived, and need not be told again.
    Knows,
    /// It is free.
    Free,
}

/// The streams that hold messages.
pub(super) struct Queues {
    numbers: FxHashMap<StreamKey, u32>,
    streams: Vec<Stream>,
    unused_streams: Vec<u32>,
    messages: Vec<StreamMessage>,
    unused_messages: Vec<u32>,
    /// No limit if there is none.
    send_buffer: Option<u64>,
}

/// Sender and receiver, and the interfaces that they use.
pub(super) type StreamKey = (u32, u32, [u8; 2]);

#[derive(Clone, Copy, Debug)]
struct Stream {
    key: StreamKey,
    front: u32,
    last: u32,
    /// The first message whose last byte the buffer does not hold.
    unheld: u32,
    /// Messages that are slow or wait.
    slow: u32,
    written: u64,
    done: u64,
}

/// Where a part of a message ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartEnd {
    /// After its first burst.
    OfBurst,
    /// Somewhere else inside.
    Inside,
    /// With its last byte.
    OfMessage,
}

/// The first message of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Front {
    /// Its last byte is at its host.
    Complete(MessageId),
    /// It has waited for its turn.
    Waits(MessageId),
}

const NONE: u32 = u32::MAX;
/// So many streams stay when they are empty: their connections are used again, as a rule.
const KEPT: usize = 1 << 16;

impl Queues {
    pub(super) fn new(send_buffer: Option<u64>) -> Queues {
        Queues {
            numbers: FxHashMap::default(),
            streams: Vec::new(),
            unused_streams: Vec::new(),
            messages: Vec::new(),
            unused_messages: Vec::new(),
            send_buffer,
        }
    }

    pub(super) fn message(&self, id: MessageId) -> &StreamMessage {
        &self.messages[id.0 as usize]
    }

    /// Is no message in the stream of a connection?
    pub(super) fn is_quiet(&self, transfer: &Transfer) -> bool {
        let number = self.numbers.get(&key_of(transfer));
        number.is_none_or(|&number| self.streams[number as usize].front == NONE)
    }

    /// Writes a message into the stream of its connection; so many bytes of it may leave at once.
    pub(super) fn write(&mut self, transfer: Transfer, token: Token, bytes: u64, burst: u64) -> MessageId {
        let number = self.stream_of(&transfer);
        let stream = &mut self.streams[number as usize];
        stream.written += bytes;
        let end = stream.written;
        let pace = match stream.slow {
            0 if bytes <= burst => Pace::Fast,
            0 => Pace::Slow,
            _ => Pace::Waits,
        };
        stream.slow += u32::from(pace != Pace::Fast);
        let message = StreamMessage {
            transfer,
            token,
            ready: Time::ZERO,
            turn: Time::ZERO,
            begins: Time::ZERO,
            end,
            bytes,
            burst: if pace == Pace::Waits { 0 } else { burst },
            part_end: end - bytes,
            crossing: Burst { bytes: 0, frame: 0, last: Time::ZERO },
            hop: 0,
            flow: None,
            stream: number,
            next: NONE,
            pace,
            sender: if self.send_buffer.is_some() { Sender::Waits } else { Sender::Free },
            is_complete: false,
            has_arrived: false,
        };
        let id = put(&mut self.messages, &mut self.unused_messages, message);
        let stream = &mut self.streams[number as usize];
        match std::mem::replace(&mut stream.last, id) {
            NONE => stream.front = id,
            before => self.messages[before as usize].next = id,
        }
        if stream.unheld == NONE {
            stream.unheld = id;
        }
        MessageId(id)
    }

    /// A long message goes on after its burst without a pause.
    pub(super) fn forget_burst(&mut self, id: MessageId) {
        self.messages[id.0 as usize].burst = 0;
    }

    /// Bytes of the next part of a message: its burst, what the buffer cannot hold, the rest.
    pub(super) fn next_part(&mut self, id: MessageId) -> u64 {
        let message = &mut self.messages[id.0 as usize];
        let begin = message.part_end;
        let burst_end = (message.end - message.bytes).saturating_add(message.burst);
        let held_from = message.end.saturating_sub(self.send_buffer.unwrap_or(u64::MAX));
        let ends = [burst_end, held_from].into_iter().filter(|&end| end > begin);
        message.part_end = ends.fold(message.end, u64::min);
        message.part_end - begin
    }

    /// The part that used links is over.
    pub(super) fn part_over(&mut self, id: MessageId) -> PartEnd {
        let message = &self.messages[id.0 as usize];
        let stream = &mut self.streams[message.stream as usize];
        // Bytes are acknowledged in their order.
        if stream.front == id.0 {
            stream.done = message.part_end;
        }
        match message.part_end {
            end if end == message.end => PartEnd::OfMessage,
            end if end - (message.end - message.bytes) == message.burst => PartEnd::OfBurst,
            _ => PartEnd::Inside,
        }
    }

    /// The front of a stream is complete: its bytes are acknowledged, also if they came before those of the message that was the front then.
    pub(super) fn acknowledge(&mut self, id: MessageId) {
        let message = &self.messages[id.0 as usize];
        self.streams[message.stream as usize].done = message.end;
    }

    /// Bytes of a message that have not used links.
    pub(super) fn rest(&self, id: MessageId) -> u64 {
        let message = &self.messages[id.0 as usize];
        message.end - message.part_end
    }

    /// The connection of a message.
    pub(super) fn connection(&self, id: MessageId) -> StreamKey {
        self.streams[self.message(id).stream as usize].key
    }

    /// Sets when a message begins to use links.
    pub(super) fn set_begin(&mut self, id: MessageId, begins: Time) {
        self.messages[id.0 as usize].begins = begins;
    }

    /// Have bytes of a message used links?
    pub(super) fn has_begun(&self, id: MessageId) -> bool {
        let message = &self.messages[id.0 as usize];
        message.part_end > message.end - message.bytes
    }

    /// A burst has crossed a link.
    pub(super) fn set_crossing(&mut self, id: MessageId, burst: Burst) {
        let message = &mut self.messages[id.0 as usize];
        message.crossing = burst;
        message.hop += 1;
    }

    /// A message uses links as a flow.
    pub(super) fn set_flow(&mut self, id: MessageId, flow: FlowId) {
        self.messages[id.0 as usize].flow = Some(flow);
    }

    /// Sets when the first byte of a message that waits could be at its host.
    pub(super) fn set_ready(&mut self, id: MessageId, ready: Time) {
        self.messages[id.0 as usize].ready = ready;
    }

    /// Sets when a message leaves its host after its burst.
    pub(super) fn set_turn(&mut self, id: MessageId, turn: Time) {
        self.messages[id.0 as usize].turn = turn;
    }

    /// Do senders of the stream of a message wait for room in the buffer?
    pub(super) fn has_unheld(&self, id: MessageId) -> bool {
        self.send_buffer.is_some() && self.streams[self.message(id).stream as usize].unheld != NONE
    }

    /// Takes the next message of the same stream whose last byte the buffer holds by now.
    pub(super) fn take_held(&mut self, id: MessageId) -> Option<MessageId> {
        let stream = &mut self.streams[self.messages[id.0 as usize].stream as usize];
        let first = self.messages.get(stream.unheld as usize)?;
        if first.end.saturating_sub(stream.done) > self.send_buffer.unwrap_or(u64::MAX) {
            return None;
        }
        let held = std::mem::replace(&mut stream.unheld, first.next);
        self.messages[held as usize].sender = Sender::WillBeFree;
        Some(MessageId(held))
    }

    /// The last byte of a message is at its host. Gives it if it is the front of its stream.
    pub(super) fn complete(&mut self, id: MessageId) -> Option<Front> {
        let message = &mut self.messages[id.0 as usize];
        message.is_complete = true;
        (self.streams[message.stream as usize].front == id.0).then_some(Front::Complete(id))
    }

    /// The front of a stream has left it. Gives the new front if something is to be done for it.
    pub(super) fn leave(&mut self, id: MessageId) -> Option<Front> {
        let StreamMessage { stream: number, next, pace, .. } = self.messages[id.0 as usize];
        let stream = &mut self.streams[number as usize];
        stream.front = next;
        stream.slow -= u32::from(pace != Pace::Fast);
        if next == NONE {
            stream.last = NONE;
            if number as usize >= KEPT {
                self.numbers.remove(&stream.key);
                self.unused_streams.push(number);
            }
            return None;
        }
        let front = &self.messages[next as usize];
        match front.pace {
            _ if front.is_complete => Some(Front::Complete(MessageId(next))),
            Pace::Waits => Some(Front::Waits(MessageId(next))),
            Pace::Fast | Pace::Slow => None,
        }
    }

    /// The date has come at which the sender is free. True if it does not know yet.
    pub(super) fn sender_is_free(&mut self, id: MessageId) -> bool {
        let message = &mut self.messages[id.0 as usize];
        let before = std::mem::replace(&mut message.sender, Sender::Free);
        self.release_if_over(id);
        before == Sender::WillBeFree
    }

    /// The receiver has a message, which has left its stream. True if its sender was to wait longer: it need not.
    pub(super) fn has_arrived(&mut self, id: MessageId) -> bool {
        let message = &mut self.messages[id.0 as usize];
        message.has_arrived = true;
        let waited = message.sender == Sender::WillBeFree;
        if waited {
            message.sender = Sender::Knows;
        }
        self.release_if_over(id);
        waited
    }

    /// Forgets a message of which nothing is to come.
    fn release_if_over(&mut self, id: MessageId) {
        let StreamMessage { sender, has_arrived, .. } = self.messages[id.0 as usize];
        if has_arrived && sender == Sender::Free {
            self.unused_messages.push(id.0);
        }
    }

    /// Places for streams and messages, used or not.
    #[cfg(test)]
    pub(super) fn places(&self) -> (usize, usize) {
        (self.streams.len(), self.messages.len())
    }

    /// Each pair of interfaces that a pair of ranks uses has a connection of its own.
    fn stream_of(&mut self, transfer: &Transfer) -> u32 {
        let key = key_of(transfer);
        let Queues { numbers, streams, unused_streams, .. } = self;
        *numbers.entry(key).or_insert_with(|| {
            let stream = Stream { key, front: NONE, last: NONE, unheld: NONE, slow: 0, written: 0, done: 0 };
            put(streams, unused_streams, stream)
        })
    }
}

fn key_of(transfer: &Transfer) -> StreamKey {
    (transfer.connection.source, transfer.connection.target, transfer.interfaces)
}

/// Puts an item into an unused place, or a new one.
fn put<T>(items: &mut Vec<T>, unused: &mut Vec<u32>, item: T) -> u32 {
    if let Some(place) = unused.pop() {
        items[place as usize] = item;
        return place;
    }
    items.push(item);
    items.len() as u32 - 1
}
