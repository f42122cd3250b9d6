//! A link sender's knowledge of the free buffer space at the other end, per lane.

use std::collections::VecDeque;

use mpirage_units::{Duration, Time};

use super::parameters::FlowControl;

/// Bytes of a credit.
const BLOCK: u32 = 64;

/// May a lane of a link send?
#[derive(Debug)]
pub(super) enum Gate {
    Credits(Credits),
    Pause(Pause),
}

/// Credits of a lane.
#[derive(Debug)]
pub(super) struct Credits {
    capacity: u32,
    available: u32,
    /// Credits on their way back, by the time at which they are here.
    returning: VecDeque<(Time, u32)>,
}

/// Pause orders for a lane, and the input buffer that they protect.
#[derive(Debug)]
pub(super) struct Pause {
    xoff: u64,
    xon: u64,
    most: u64,
    /// Bytes in the buffer at the other end.
    held: u64,
    /// The last order that the other end has given.
    ordered: bool,
    /// The last order that has come.
    paused: bool,
    /// Orders on their way.
    orders: VecDeque<(Time, bool)>,
}

impl Gate {
    /// An open gate for a link.
    pub(super) fn new(control: &FlowControl, bandwidth: f64, latency: Duration) -> Gate {
        let room = |bytes: u32, round_trips: f64| {
            u64::from(bytes) + (round_trips * 2.0 * latency.as_secs_f64() * bandwidth).ceil() as u64
        };
        match *control {
            FlowControl::Credits { buffer, round_trips } => {
                let capacity =
                    (room(buffer, round_trips) / u64::from(BLOCK)).clamp(1, u32::MAX.into()) as u32;
                Gate::Credits(Credits { capacity, available: capacity, returning: VecDeque::new() })
            }
            FlowControl::Pause { xoff, xon, headroom, round_trips } => Gate::Pause(Pause {
                xoff: xoff.into(),
                xon: xon.min(xoff).into(),
                most: u64::from(xoff) + room(headroom, round_trips),
                held: 0,
                ordered: false,
                paused: false,
                orders: VecDeque::new(),
            }),
        }
    }

    /// May a frame of so many bytes leave at `now`?
    pub(super) fn is_open(&mut self, now: Time, bytes: u32) -> bool {
        match self {
            Gate::Credits(credits) => credits.is_open(now, bytes),
            Gate::Pause(pause) => pause.is_open(now),
        }
    }

    /// When it may open, if that is known.
    pub(super) fn opens(&self) -> Option<Time> {
        match self {
            Gate::Credits(credits) => credits.returning.front().map(|(at, _)| *at),
            Gate::Pause(pause) => pause.orders.iter().find(|(_, order)| !order).map(|(at, _)| *at),
        }
    }

    /// A frame leaves.
    pub(super) fn take(&mut self, bytes: u32) {
        if let Gate::Credits(credits) = self {
            credits.available -= credits.blocks(bytes);
        }
    }

    /// A frame arrives in the buffer. False if there is no room for it. The second value says whether it orders a pause.
    pub(super) fn hold(&mut self, now: Time, latency: Duration, bytes: u32) -> (bool, bool) {
        let Gate::Pause(pause) = self else { return (true, false) };
        let held = pause.held + u64::from(bytes);
        let fits = held <= pause.most;
        // Where nothing is held, nothing will leave that could end the pause.
        let orders = held > pause.xoff && !pause.ordered && (fits || pause.held > 0);
        if orders {
            pause.order(now + latency, true);
        }
        if fits {
            pause.held = held;
        }
        (fits, orders)
    }

    /// A frame begins to leave the buffer at `now`, and has left it at `ends`. Gives when the gate may open by this.
    pub(super) fn release(&mut self, now: Time, ends: Time, latency: Duration, bytes: u32) -> Option<Time> {
        match self {
            Gate::Credits(credits) => {
                credits.give(ends + latency, bytes);
                Some(ends + latency)
            }
            Gate::Pause(pause) => {
                pause.held -= u64::from(bytes);
                let resumes = pause.held <= pause.xon && pause.ordered;
                resumes.then(|| {
                    pause.order(now + latency, false);
                    now + latency
                })
            }
        }
    }

    /// A frame arrives at its host, which takes it at once, so that its room is known to be free at `at`.
    pub(super) fn give_back(&mut self, at: Time, bytes: u32) {
        if let Gate::Credits(credits) = self {
            credits.give(at, bytes);
        }
    }

    /// Is nothing held, on its way back or ordered, at `now`?
    pub(super) fn is_idle(&mut self, now: Time) -> bool {
        match self {
            Gate::Credits(credits) => {
                credits.advance(now);
                credits.available == credits.capacity
            }
            Gate::Pause(pause) => pause.is_open(now) && pause.held == 0,
        }
    }
}

impl Credits {
    /// The credits of a frame. One that is larger than the buffer takes all.
    fn blocks(&self, bytes: u32) -> u32 {
        bytes.div_ceil(BLOCK).min(self.capacity)
    }

    fn is_open(&mut self, now: Time, bytes: u32) -> bool {
        let blocks = self.blocks(bytes);
        if self.available < blocks {
            self.advance(now);
        }
        self.available >= blocks
    }

    fn advance(&mut self, now: Time) {
        while let Some(&(_, blocks)) = self.returning.front().filter(|(at, _)| *at <= now) {
            self.returning.pop_front();
            self.available += blocks;
        }
    }

    /// Outputs of different speed give credits back out of order, by a few frames at the most.
    fn give(&mut self, at: Time, bytes: u32) {
        let later = self.returning.iter().rev().take_while(|(other, _)| *other > at).count();
        self.returning.insert(self.returning.len() - later, (at, self.blocks(bytes)));
    }
}

impl Pause {
    fn order(&mut self, at: Time, pause: bool) {
        self.ordered = pause;
        self.orders.push_back((at, pause));
    }

    fn is_open(&mut self, now: Time) -> bool {
        while let Some(&(_, order)) = self.orders.front().filter(|(at, _)| *at <= now) {
            self.orders.pop_front();
            self.paused = order;
        }
        !self.paused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATENCY: Duration = Duration::from_picos(100);

    fn at(picos: u64) -> Time {
        Time::from_picos(picos)
    }

    #[test]
    fn credits_come_back_by_time_whatever_their_order() {
        let mut gate = Gate::new(&FlowControl::Credits { buffer: 256, round_trips: 0.0 }, 1e9, LATENCY);
        assert!(gate.is_open(at(0), 256));
        gate.take(130);
        gate.take(64);
        assert!(!gate.is_open(at(0), 1) && gate.opens().is_none());
        gate.release(at(0), at(500), LATENCY, 130);
        gate.release(at(0), at(200), LATENCY, 64);
        assert_eq!(gate.opens(), Some(at(300)));
        assert!(gate.is_open(at(300), 64) && !gate.is_open(at(599), 65) && gate.is_open(at(600), 65));
        assert!(gate.is_idle(at(600)));
    }

    #[test]
    fn a_frame_larger_than_the_buffer_needs_all_of_it() {
        let mut gate = Gate::new(&FlowControl::Credits { buffer: 128, round_trips: 0.0 }, 1e9, LATENCY);
        assert!(gate.is_open(at(0), 5000));
        gate.take(5000);
        assert!(!gate.is_open(at(0), 1));
    }

    #[test]
    fn a_lane_pauses_above_xoff_and_goes_on_at_xon() {
        let control = FlowControl::Pause { xoff: 1000, xon: 500, headroom: 600, round_trips: 0.0 };
        let mut gate = Gate::new(&control, 1e9, LATENCY);
        assert_eq!(gate.hold(at(0), LATENCY, 1000), (true, false));
        assert_eq!(gate.hold(at(10), LATENCY, 600), (true, true));
        assert_eq!(gate.hold(at(20), LATENCY, 1), (false, false), "beyond the headroom");
        assert!(gate.is_open(at(109), 1) && !gate.is_open(at(110), 1));
        assert_eq!(gate.release(at(200), at(300), LATENCY, 1000), None);
        assert_eq!(gate.release(at(300), at(400), LATENCY, 600), Some(at(400)));
        assert_eq!(gate.opens(), Some(at(400)));
        assert!(!gate.is_open(at(399), 1) && gate.is_open(at(400), 1) && gate.is_idle(at(400)));
    }
}
