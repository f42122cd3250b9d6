//! Packets into bytes in order, and what the receiver has to say about them.

use std::collections::VecDeque;
use std::sync::Arc;

use mpirage_units::Time;

use super::header::{RdmaHeader, RdmaKind};
use super::settings::{PacketOrder, RdmaSettings};
use crate::endpoint::Segment;

/// A packet, as its receiver sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived {
    pub number: u64,
    pub bytes: u32,
    /// Is it the last of its message?
    pub last: bool,
}

/// The receiving half of a queue pair.
#[derive(Debug)]
pub(super) struct Receiver {
    settings: Arc<RdmaSettings>,
    /// The number of the packet that comes next.
    expected: u64,
    /// Bytes that have arrived in order, and how many of them the application knows.
    bytes: u64,
    known: u64,
    /// Packets after the expected one, where they are kept; none where one is missing.
    early: VecDeque<Option<Arrived>>,
    /// Packets since the last acknowledgement.
    since: u32,
    answer: Option<RdmaKind>,
    /// Has it asked for the expected packet?
    asked: bool,
    notifies: bool,
    notified: Option<Time>,
    answers: u64,
}

impl Receiver {
    pub(super) fn new(settings: &Arc<RdmaSettings>) -> Receiver {
        Receiver {
            settings: settings.clone(),
            expected: 0,
            bytes: 0,
            known: 0,
            early: VecDeque::new(),
            since: 0,
            answer: None,
            asked: false,
            notifies: false,
            notified: None,
            answers: 0,
        }
    }

    /// A packet has arrived.
    pub(super) fn receive(&mut self, packet: Arrived) {
        if packet.number == self.expected {
            self.accept(packet);
            while let Some(Some(next)) = self.early.front().copied() {
                self.accept(next);
            }
        } else if packet.number < self.expected {
            self.answer.get_or_insert(RdmaKind::Acknowledgement);
        } else {
            self.receive_early(packet);
        }
    }

    fn accept(&mut self, packet: Arrived) {
        self.expected += 1;
        self.early.pop_front();
        self.bytes += u64::from(packet.bytes);
        self.asked = false;
        self.since += 1;
        if packet.last || self.since >= self.settings.acknowledged_at_once() {
            self.answer = Some(RdmaKind::Acknowledgement);
        }
    }

    fn receive_early(&mut self, packet: Arrived) {
        match self.settings.order {
            PacketOrder::Any => {
                let at = (packet.number - self.expected) as usize;
                if self.early.len() <= at {
                    self.early.resize(at + 1, None);
                }
                self.early[at] = Some(packet);
            }
            PacketOrder::Strict => {
                if !std::mem::replace(&mut self.asked, true) {
                    self.answer = Some(RdmaKind::SequenceError);
                }
            }
        }
    }

    /// A packet came with a mark of congestion.
    pub(super) fn on_mark(&mut self, now: Time) {
        let Some(congestion) = &self.settings.congestion else { return };
        if self.notified.is_none_or(|last| now >= last + congestion.notification_interval) {
            self.notified = Some(now);
            self.notifies = true;
        }
    }

    /// The next packet it sends back. A notification goes before an acknowledgement.
    pub(super) fn transmit(&mut self) -> Option<Segment<RdmaHeader>> {
        let headers = &self.settings.headers;
        let (kind, more) = if std::mem::take(&mut self.notifies) {
            (RdmaKind::Congestion, headers.congestion)
        } else {
            let answer = self.answer.take()?;
            self.since = 0;
            (answer, headers.acknowledgement)
        };
        self.answers += 1;
        let header = RdmaHeader { kind, number: self.expected };
        Some(Segment { header, payload: 0, header_bytes: headers.packet + more, markable: false })
    }

    /// Acknowledgements and notifications that it has sent.
    pub(super) fn answers(&self) -> u64 {
        self.answers
    }

    /// The bytes that have arrived in order, if the application does not know.
    pub(super) fn delivered(&mut self) -> Option<u64> {
        let news = self.bytes > self.known;
        self.known = self.bytes;
        news.then_some(self.bytes)
    }
}
