//! The windows of connections: how many bytes a sender may have on their way.
//!
//! A connection begins with a small window, and each acknowledged byte makes room for one more. On a link of rate r and with a round
//! trip R a window w has left after w / r; if that is less than R, the sender waits for the rest of the round trip. So a message of
//! b bytes that begins with the window w takes longer than its flow by
//!
//! ```text
//! Σ over rounds i, while bytes are left after w 2^i more, of  max(0, R − w 2^i / r)
//! ```
//!
//! A connection that has been idle for a timeout halves its window, down to that of the beginning. Where R · r is less than the
//! initial window, as on most clusters, no sender waits, and nothing is kept.

use mpirage_units::{Duration, Time};
use rustc_hash::FxHashMap;

use super::queues::StreamKey;

/// Linux waits for acknowledgements a round trip and so long.
const PATIENCE: Duration = Duration::from_nanos(200_000_000);

/// The windows of connections that have sent long messages.
pub(super) struct Windows {
    /// The window of a new connection, in bytes; without one senders never wait.
    initial: Option<u64>,
    connections: FxHashMap<StreamKey, Window>,
}

#[derive(Clone, Copy)]
struct Window {
    bytes: u64,
    /// When it was last full.
    used: Time,
}

/// How a long message went over the links of its route.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passage {
    pub bytes: u64,
    pub begins: Time,
    pub ends: Time,
    /// From a byte to its acknowledgement.
    pub round_trip: Duration,
    /// Time the message takes on idle links.
    pub alone: Duration,
}

impl Passage {
    /// Bytes that are on their way at the rate at which so many bytes pass in a span.
    fn on_the_way(&self, span: Duration) -> f64 {
        self.bytes as f64 * self.round_trip.as_secs_f64() / span.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

impl Windows {
    pub(super) fn new(initial: Option<u64>) -> Windows {
        Windows { initial, connections: FxHashMap::default() }
    }

    /// How long the sender of a message waited for acknowledgements. The window grows by the message.
    pub(super) fn wait(&mut self, connection: StreamKey, passage: &Passage) -> Duration {
        let Some(initial) = self.initial else { return Duration::ZERO };
        if passage.on_the_way(passage.alone) <= initial as f64 {
            return Duration::ZERO;
        }
        let window =
            self.connections.entry(connection).or_insert(Window { bytes: initial, used: Time::ZERO });
        window.restart(initial, passage);
        let (waits, grown) = rounds(window.bytes, passage);
        *window = Window { bytes: grown, used: passage.ends + waits };
        waits
    }
}

impl Window {
    /// A window that has not been full for a timeout is smaller.
    fn restart(&mut self, initial: u64, passage: &Passage) {
        let timeout = (passage.round_trip + PATIENCE).as_picos();
        let halvings = (passage.begins.since(self.used).as_picos() / timeout).min(63);
        self.bytes = (self.bytes >> halvings).max(initial);
    }
}

/// How long a message waits for acknowledgements that begins with a window, and the window after it.
fn rounds(window: u64, passage: &Passage) -> (Duration, u64) {
    // A window that is less than half full does not grow.
    if 2 * passage.bytes <= window {
        return (Duration::ZERO, window);
    }
    let on_the_way = passage.on_the_way(passage.ends.since(passage.begins));
    let (mut waits, mut size, mut rest) = (0.0, window, passage.bytes);
    while rest > size && (size as f64) < on_the_way {
        waits += 1.0 - size as f64 / on_the_way;
        rest -= size;
        size *= 2;
    }
    (Duration::from_secs_f64(waits * passage.round_trip.as_secs_f64()), window + passage.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: StreamKey = (0, 1, [0; 2]);

    /// 20 Mbit/s and a round trip of 20 ms: 50,000 bytes are on their way.
    fn passage(bytes: u64, begins: u64) -> Passage {
        let alone = Duration::from_nanos(bytes * 400);
        let begins = Time::ZERO + Duration::from_nanos(begins * 1_000_000);
        Passage { bytes, begins, ends: begins + alone, round_trip: Duration::from_nanos(20_000_000), alone }
    }

    fn millis(wait: Duration) -> f64 {
        (wait.as_secs_f64() * 1e5).round() / 1e2
    }

    #[test]
    fn senders_wait_for_windows_that_the_link_empties() {
        let mut windows = Windows::new(Some(14_480));
        // 14,480 bytes leave in 5.792 ms, 28,960 in 11.584 ms.
        assert_eq!(millis(windows.wait(HERE, &passage(14_480, 0))), 0.0);
        let mut windows = Windows::new(Some(14_480));
        assert_eq!(millis(windows.wait(HERE, &passage(16_384, 0))), 14.21);
        assert_eq!(millis(windows.wait(HERE, &passage(16_384, 100))), 0.0);
        let mut windows = Windows::new(Some(14_480));
        assert_eq!(millis(windows.wait(HERE, &passage(65_536, 0))), 22.62);
    }

    #[test]
    fn an_idle_connection_begins_again() {
        let mut windows = Windows::new(Some(14_480));
        windows.wait(HERE, &passage(16_384, 0));
        assert_eq!(millis(windows.wait(HERE, &passage(16_384, 1_000))), 14.21);
    }

    #[test]
    fn slow_flows_and_short_routes_wait_for_nothing() {
        let mut windows = Windows::new(Some(14_480));
        let alone = passage(65_536, 0);
        let shared = Passage { ends: alone.begins + Duration::from_nanos(4 * 65_536 * 400), ..alone };
        assert_eq!(windows.wait(HERE, &shared), Duration::ZERO);
        let mut windows = Windows::new(Some(14_480));
        let near = Passage { round_trip: Duration::from_nanos(1_000_000), ..alone };
        assert_eq!(windows.wait(HERE, &near), Duration::ZERO);
        assert!(windows.connections.is_empty());
        assert_eq!(Windows::new(None).wait(HERE, &alone), Duration::ZERO);
    }
}
