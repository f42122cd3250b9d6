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
//! Only the front of a stream uses links. The sender of a message is free once the buffer holds its last byte.

use mpirage_kernel::{Connection, Token, Transfer};
use mpirage_units::Time;
use rustc_hash::FxHashMap;

/// A message in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MessageId(pub u32);

/// A message that is on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub transfer: Transfer,
    pub token: Token,
    /// Not before this date does its first byte reach the links.
    pub ready: Time,
    /// Not before this date does it leave its host after its first burst.
    pub turn: Time,
    /// Its place in the stream: the position after its last byte, and its bytes.
    end: u64,
    bytes: u64,
    /// Bytes that leave at once.
    burst: u64,
    /// Where the part that now uses links ends.
    part_end: u64,
    stream: u32,
    next: u32,
    sender: Sender,
    has_arrived: bool,
}

/// How a message begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    /// Not before this date does its first byte reach the links.
    pub ready: Time,
    /// Bytes that leave at once.
    pub burst: u64,
    /// When the rest joins the queue of its host.
    pub makes_room: Time,
}

/// What the sender of a message knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sender {
    /// It waits for room in the buffer.
    Waits,
    /// The date is set at which it is free.
    WillBeFree,
    /// It knew before that date that the message has arrived, and need not be told again.
    Knows,
    /// It is free.
    Free,
}

/// The streams that hold messages.
pub(super) struct Queues {
    numbers: FxHashMap<(u32, u32), u32>,
    streams: Vec<Stream>,
    unused_streams: Vec<u32>,
    messages: Vec<Message>,
    unused_messages: Vec<u32>,
    /// No limit if there is none.
    send_buffer: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Stream {
    key: (u32, u32),
    front: u32,
    last: u32,
    /// The first message whose last byte the buffer does not hold.
    unheld: u32,
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

const NONE: u32 = u32::MAX;

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

    pub(super) fn message(&self, id: MessageId) -> &Message {
        &self.messages[id.0 as usize]
    }

    /// Is a message the first of its stream?
    pub(super) fn is_front(&self, id: MessageId) -> bool {
        self.streams[self.message(id).stream as usize].front == id.0
    }

    /// Writes a message into the stream of its connection.
    pub(super) fn write(&mut self, transfer: Transfer, token: Token, bytes: u64, start: Start) -> MessageId {
        let Start { ready, burst, .. } = start;
        let number = self.stream_of(&transfer.connection);
        let stream = &mut self.streams[number as usize];
        stream.written += bytes;
        let end = stream.written;
        let message = Message {
            transfer,
            token,
            ready,
            turn: ready,
            end,
            bytes,
            burst,
            part_end: end - bytes,
            stream: number,
            next: NONE,
            sender: if self.send_buffer.is_some() { Sender::Waits } else { Sender::Free },
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

    /// Bytes of the next part of the front of a stream: its first burst, what the buffer cannot hold, the rest.
    pub(super) fn next_part(&mut self, id: MessageId) -> u64 {
        let message = &mut self.messages[id.0 as usize];
        let begin = message.part_end;
        let burst_end = message.end - message.bytes + message.burst;
        let held_from = message.end.saturating_sub(self.send_buffer.unwrap_or(u64::MAX));
        let ends = [burst_end, held_from, message.end];
        message.part_end =
            ends.into_iter().filter(|&end| end > begin).min().unwrap_or(message.end).min(message.end);
        message.part_end - begin
    }

    /// The part that used links is over.
    pub(super) fn part_over(&mut self, id: MessageId) -> PartEnd {
        let message = &self.messages[id.0 as usize];
        self.streams[message.stream as usize].done = message.part_end;
        match message.part_end {
            end if end == message.end => PartEnd::OfMessage,
            end if end == message.end - message.bytes + message.burst => PartEnd::OfBurst,
            _ => PartEnd::Inside,
        }
    }

    /// Bytes of a message that have not used links.
    pub(super) fn rest(&self, id: MessageId) -> u64 {
        let message = &self.messages[id.0 as usize];
        message.end - message.part_end
    }

    /// Sets when a message leaves its host after its first burst.
    pub(super) fn set_turn(&mut self, id: MessageId, turn: Time) {
        self.messages[id.0 as usize].turn = turn;
    }

    /// Takes the next message of the same stream whose last byte the buffer holds by now.
    pub(super) fn take_held(&mut self, id: MessageId) -> Option<MessageId> {
        let stream = &mut self.streams[self.messages[id.0 as usize].stream as usize];
        let first = self.messages.get(stream.unheld as usize)?;
        if first.end - stream.done > self.send_buffer.unwrap_or(u64::MAX) {
            return None;
        }
        let held = std::mem::replace(&mut stream.unheld, first.next);
        self.messages[held as usize].sender = Sender::WillBeFree;
        Some(MessageId(held))
    }

    /// The front of a stream has left it. Gives the new front.
    pub(super) fn leave(&mut self, id: MessageId) -> Option<MessageId> {
        let Message { stream: number, next, .. } = self.messages[id.0 as usize];
        let stream = &mut self.streams[number as usize];
        stream.front = next;
        if next == NONE {
            self.numbers.remove(&stream.key);
            self.unused_streams.push(number);
            return None;
        }
        Some(MessageId(next))
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
        let Message { sender, has_arrived, .. } = self.messages[id.0 as usize];
        if has_arrived && sender == Sender::Free {
            self.unused_messages.push(id.0);
        }
    }

    /// Places for streams and messages, used or not.
    #[cfg(test)]
    pub(super) fn places(&self) -> (usize, usize) {
        (self.streams.len(), self.messages.len())
    }

    fn stream_of(&mut self, connection: &Connection) -> u32 {
        let key = (connection.source, connection.target);
        let Queues { numbers, streams, unused_streams, .. } = self;
        *numbers.entry(key).or_insert_with(|| {
            let stream = Stream { key, front: NONE, last: NONE, unheld: NONE, written: 0, done: 0 };
            put(streams, unused_streams, stream)
        })
    }
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
