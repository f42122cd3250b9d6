//! Every call and every message, as long as there are not too many: the timeline from near.
//!
//! Of each rank, what it did is kept as the page reads it: numbers of variable length, in order. Beyond the budget all
//! are let go, and the page shows tiles only.

use mpirage_record::{Message, Scope};

use crate::container::Container;
use crate::varint::{Row, push, zigzag};

/// Picoseconds of a nanosecond: what times are told in.
const NANO: u64 = 1_000;

/// A call as it is told.
pub(crate) struct Event {
    pub entered: u64,
    pub left: u64,
    /// How long, from its beginning on, it waited for another rank.
    pub waited: u64,
    pub function: u16,
    pub site: u32,
    pub peer: Option<u32>,
    pub bytes: u64,
    pub tag: i32,
    pub comm: u32,
}

impl Event {
    /// Something else that a rank did, to be accounted for only.
    pub fn no_call(entered: u64, left: u64) -> Event {
        let function = NO_CALL;
        Event { entered, left, waited: 0, function, site: 0, peer: None, bytes: 0, tag: 0, comm: 0 }
    }

    #[inline]
    pub fn is_call(&self) -> bool {
        self.function != NO_CALL
    }
}

/// The function of what is no call.
const NO_CALL: u16 = u16::MAX;

/// The calls of all ranks.
pub(crate) struct Events {
    budget: u64,
    count: u64,
    ranks: Vec<Told>,
}

/// The calls of one rank.
#[derive(Clone, Default)]
struct Told {
    bytes: Vec<u8>,
    count: u32,
    /// When the last began, in nanoseconds.
    last: u64,
}

impl Events {
    pub fn new(ranks: usize, budget: u64) -> Events {
        Events { budget, count: 0, ranks: vec![Told::default(); ranks] }
    }

    /// Takes down a call of a rank; they come in order.
    #[inline]
    pub fn push(&mut self, rank: u32, event: &Event) {
        self.count += 1;
        if self.count > self.budget {
            self.ranks = Vec::new();
            return;
        }
        let told = &mut self.ranks[rank as usize];
        let (start, end) = (event.entered / NANO, event.left / NANO);
        let mut row = Row::new();
        row.push(start.saturating_sub(told.last));
        row.push(end - start);
        row.push(((event.entered + event.waited) / NANO).saturating_sub(start));
        row.push(event.function.into());
        row.push(event.site.into());
        row.push(event.peer.map_or(0, |peer| zigzag(i64::from(peer) + 1)));
        row.push(event.bytes);
        row.push(zigzag(event.tag.into()));
        row.push(event.comm.into());
        told.bytes.extend_from_slice(row.bytes());
        told.count += 1;
        told.last = start.max(told.last);
    }

    /// Adds them to the data, if there are not too many.
    pub fn write(&mut self, out: &mut Container) {
        if self.count > self.budget {
            out.set("events", ());
            return;
        }
        out.set("events", serde_json::json!({"count": self.count, "waits": true}));
        out.section("events_count", self.ranks.iter().map(|told| told.count));
        write_columns(out, "events", self.ranks.iter_mut().map(|told| std::mem::take(&mut told.bytes)));
    }
}

/// Messages by sender.
pub(crate) struct Arrows {
    budget: u64,
    count: u64,
    ranks: Vec<Vec<Arrow>>,
}

#[derive(Clone, Copy)]
struct Arrow {
    /// In nanoseconds.
    sent: u64,
    took: u64,
    to: u32,
    tag: i32,
    bytes: u64,
    inner: bool,
}

impl Arrows {
    pub fn new(ranks: usize, budget: u64) -> Arrows {
        Arrows { budget, count: 0, ranks: vec![Vec::new(); ranks] }
    }

    #[inline]
    pub fn push(&mut self, message: &Message) {
        self.count += 1;
        if self.count > self.budget {
            self.ranks = Vec::new();
            return;
        }
        let sent = message.sent.as_picos() / NANO;
        let took = (message.delivered.as_picos() / NANO).saturating_sub(sent);
        let inner = matches!(message.scope, Scope::Collective(_));
        let &Message { from, to, tag, bytes, .. } = message;
        self.ranks[from as usize].push(Arrow { sent, took, to, tag, bytes, inner });
    }

    /// Adds them to the data, if there are not too many.
    pub fn write(&mut self, out: &mut Container) {
        if self.count > self.budget {
            out.set("messages", ());
            return;
        }
        out.set("messages", serde_json::json!({"count": self.count}));
        out.section("messages_count", self.ranks.iter().map(|arrows| arrows.len() as u32));
        write_columns(out, "messages", self.ranks.iter_mut().map(|arrows| told(std::mem::take(arrows))));
    }
}

/// The messages of a rank in order of their sending.
fn told(mut arrows: Vec<Arrow>) -> Vec<u8> {
    arrows.sort_by_key(|arrow| arrow.sent);
    let (mut out, mut last) = (Vec::new(), 0);
    for Arrow { sent, took, to, tag, bytes, inner } in arrows {
        push(&mut out, sent - last);
        push(&mut out, took);
        push(&mut out, to.into());
        push(&mut out, bytes);
        push(&mut out, zigzag(tag.into()));
        push(&mut out, inner.into());
        last = sent;
    }
    out
}

fn write_columns(out: &mut Container, name: &str, ranks: impl Iterator<Item = Vec<u8>>) {
    let (mut index, mut data) = (Vec::new(), Vec::new());
    for bytes in ranks {
        index.push(data.len() as u32);
        data.extend_from_slice(&bytes);
    }
    out.section(&format!("{name}_index"), index);
    out.bytes(&format!("{name}_data"), data);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(entered: u64) -> Event {
        let (left, peer) = (entered + 2_000, Some(3));
        Event { entered, left, waited: 1_000, function: 5, site: 1, peer, bytes: 300, tag: -1, comm: 0 }
    }

    #[test]
    fn a_call_is_nine_numbers() {
        let mut events = Events::new(1, 10);
        events.push(0, &event(5_500));
        events.push(0, &event(9_000));
        assert_eq!(events.ranks[0].bytes, [5, 2, 1, 5, 1, 8, 172, 2, 1, 0, 4, 2, 1, 5, 1, 8, 172, 2, 1, 0]);
    }

    #[test]
    fn too_many_are_none() {
        let mut events = Events::new(2, 3);
        for at in 0..9 {
            events.push(1, &event(at * 1_000));
        }
        let mut out = Container::default();
        events.write(&mut out);
        assert_eq!(out.get("events"), Some(&serde_json::Value::Null));
        assert!(events.ranks.is_empty());
    }

    #[test]
    fn arrows_are_in_order_of_sending() {
        let arrow = |sent| Arrow { sent, took: 1, to: 2, tag: 0, bytes: 8, inner: false };
        assert_eq!(told(vec![arrow(7), arrow(4)]), [4, 1, 2, 8, 0, 0, 3, 1, 2, 8, 0, 0]);
    }
}
