//! Messages in the stream of a connection.
//!
//! A transport carries bytes; where one message ends and the next begins only the two hosts know. A message goes into the
//! send buffer as there is room, and is complete at the other side when its last byte has arrived in order.

use std::collections::VecDeque;

use mpirage_kernel::{Cargo, Token};
use mpirage_units::{Duration, Time};

/// A message that has not arrived.
#[derive(Clone, Copy, Debug)]
struct Boundary {
    token: Token,
    cargo: Cargo,
    /// The bytes of the stream up to its end.
    end: u64,
    /// How long interfaces and software keep it.
    delay: Duration,
}

/// One lane of one direction of a connection.
#[derive(Debug)]
pub(crate) struct Stream {
    messages: VecDeque<Boundary>,
    /// How many of them are in the send buffer to their last byte.
    buffered: usize,
    /// The ends of the first message, and of the first that is not in the send buffer; the largest number if there is none. They
    /// are asked for with every frame, so that frames within a message need not look at the message.
    first_end: u64,
    unbuffered_end: u64,
    /// Bytes that have been written into the send buffer.
    written: u64,
    /// Bytes of all messages.
    total: u64,
    /// When the last message was handed to its receiver.
    handed_over: Time,
}

impl Default for Stream {
    fn default() -> Stream {
        Stream {
            messages: VecDeque::new(),
            buffered: 0,
            first_end: u64::MAX,
            unbuffered_end: u64::MAX,
            written: 0,
            total: 0,
            handed_over: Time::ZERO,
        }
    }
}

impl Stream {
    /// A message of so many bytes, headers included, is to be sent. `delay` is the time between its last byte and its receiver.
    pub(crate) fn push(&mut self, token: Token, cargo: Cargo, bytes: u64, delay: Duration) {
        self.total += bytes;
        self.messages.push_back(Boundary { token, cargo, end: self.total, delay });
        self.first_end = self.first_end.min(self.total);
        self.unbuffered_end = self.unbuffered_end.min(self.total);
    }

    /// Bytes that have not been written.
    pub(crate) fn unwritten(&self) -> u64 {
        self.total - self.written
    }

    /// Of these, those of the first message that is not in the send buffer to its last byte.
    pub(crate) fn unwritten_of_first(&self) -> u64 {
        let written = self.messages.partition_point(|message| message.end <= self.written);
        self.messages.get(written).map_or(0, |message| message.end - self.written)
    }

    /// So many more bytes are in the send buffer.
    pub(crate) fn write(&mut self, bytes: u64) {
        self.written += bytes;
    }

    /// The next message with data that is in the send buffer to its last byte, since last asked.
    pub(crate) fn next_buffered(&mut self) -> Option<Token> {
        while self.unbuffered_end <= self.written {
            let Boundary { cargo, token, .. } = *self.messages.get(self.buffered)?;
            self.buffered += 1;
            self.unbuffered_end = self.end_of(self.buffered);
            if cargo == Cargo::Data {
                return Some(token);
            }
        }
        None
    }

    /// The next message that is complete when so many bytes of the stream have arrived, and its delay.
    pub(crate) fn next_complete(&mut self, arrived: u64) -> Option<(Token, Duration)> {
        if self.first_end > arrived {
            return None;
        }
        let first = self.messages.pop_front()?;
        self.first_end = self.end_of(0);
        self.buffered -= 1;
        Some((first.token, first.delay))
    }

    fn end_of(&self, message: usize) -> u64 {
        self.messages.get(message).map_or(u64::MAX, |message| message.end)
    }

    /// The first message that has not arrived.
    pub(crate) fn first(&self) -> Option<Token> {
        self.messages.front().map(|first| first.token)
    }

    /// When the receiver gets a message that it could have at `ready`: not before an earlier one.
    pub(crate) fn hand_over(&mut self, ready: Time) -> Time {
        self.handed_over = self.handed_over.max(ready);
        self.handed_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATE: Duration = Duration::from_nanos(7);

    #[test]
    fn messages_end_where_their_bytes_do() {
        let mut stream = Stream::default();
        stream.push(Token(1), Cargo::Data, 100, LATE);
        stream.push(Token(2), Cargo::Control, 50, Duration::ZERO);
        stream.push(Token(3), Cargo::Data, 10, Duration::ZERO);
        assert_eq!(stream.unwritten(), 160);
        stream.write(99);
        assert_eq!(stream.next_buffered(), None);
        stream.write(61);
        assert_eq!([stream.next_buffered(), stream.next_buffered()], [Some(Token(1)), Some(Token(3))]);
        assert_eq!(stream.next_complete(99), None);
        assert_eq!(
            [stream.next_complete(155), stream.next_complete(155)],
            [Some((Token(1), LATE)), Some((Token(2), Duration::ZERO))]
        );
        assert_eq!(stream.next_complete(155), None);
        assert_eq!(stream.next_complete(160), Some((Token(3), Duration::ZERO)));
    }

    #[test]
    fn messages_are_handed_over_in_order() {
        let mut stream = Stream::default();
        let [first, second] = [50, 20].map(Time::from_picos);
        assert_eq!([stream.hand_over(first), stream.hand_over(second)], [first, first]);
    }
}
