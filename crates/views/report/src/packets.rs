//! Queues, drops and retransmissions of a packet-level network over time.

use mpirage_kernel::{ConnectionHistory, NetworkHistory, QueueHistory, QueueSample};
use mpirage_platform::Platform;
use serde_json::{Value, json};

use crate::container::Container;
use crate::network::rounded;
use crate::time::seconds;

/// Bins of time.
const BINS: usize = 512;
/// Links that are kept because their queues were full, and because frames were missing.
const WORST: usize = 32;

/// The page's data about the packets of a run.
#[derive(Clone)]
pub(crate) struct Packets {
    about: Value,
    /// Most bytes that waited, of each kept link and bin.
    waiting: Vec<f32>,
    /// Frames dropped or lost, of each kept link and bin.
    missing: Vec<f32>,
    /// Frames dropped or lost on any link, in each bin.
    all_missing: Vec<f32>,
    /// Retransmissions of all connections, in each bin.
    again: Vec<f32>,
}

impl Packets {
    /// The history of a run that ended after so many picoseconds.
    pub fn new(platform: &Platform, history: &NetworkHistory, end: u64) -> Packets {
        let clock = Clock::of(history, end);
        let worst = worst(&history.queues);
        let [mut waiting, mut missing, mut all_missing] = [Vec::new(), Vec::new(), vec![0.0; BINS]];
        for queue in &worst {
            waiting.extend(clock.waiting(&queue.samples));
            missing.extend(clock.missing(&queue.samples));
        }
        for queue in &history.queues {
            all_missing.iter_mut().zip(clock.missing(&queue.samples)).for_each(|(sum, bin)| *sum += bin);
        }
        Packets {
            about: about(platform, &worst, history, &clock),
            waiting,
            missing,
            all_missing,
            again: clock.retransmissions(&history.connections),
        }
    }

    pub fn write(&self, out: &mut Container) {
        out.put("packets", self.about.clone());
        let column = |numbers: &Vec<f32>| numbers.clone().into_iter().map(|it| rounded(it.into()));
        out.section("queue_waiting", column(&self.waiting));
        out.section("queue_missing", column(&self.missing));
        out.section("missing", column(&self.all_missing));
        out.section("retransmissions", column(&self.again));
    }
}

/// The links with the fullest queues and those with the most frames dropped or lost, the fullest first.
fn worst(queues: &[QueueHistory]) -> Vec<&QueueHistory> {
    let mut by_waiting: Vec<&QueueHistory> =
        queues.iter().filter(|queue| queue.totals.most_waiting > 0 || missing(queue) > 0).collect();
    let mut by_missing = by_waiting.clone();
    by_missing.sort_by_key(|queue| (std::cmp::Reverse(missing(queue)), queue.totals.link));
    let least = by_missing.get(WORST).map_or(0, |queue| missing(queue));
    by_waiting.sort_by_key(|queue| (std::cmp::Reverse(queue.totals.most_waiting), queue.totals.link));
    let kept = by_waiting.iter().enumerate().filter(|(at, queue)| *at < WORST || missing(queue) > least);
    kept.map(|(_, queue)| *queue).collect()
}

fn missing(queue: &QueueHistory) -> u64 {
    queue.totals.dropped + queue.totals.lost
}

fn about(platform: &Platform, worst: &[&QueueHistory], history: &NetworkHistory, clock: &Clock) -> Value {
    let column = |count: fn(&QueueHistory) -> u64| -> Vec<u64> { worst.iter().map(|it| count(it)).collect() };
    let link = |queue: &&QueueHistory| platform.link(queue.totals.link);
    let sum = |count: fn(&ConnectionHistory) -> u64| -> u64 { history.connections.iter().map(count).sum() };
    json!({
        "bins": BINS,
        "bin_seconds": seconds(clock.width),
        "links": history.queues.len(),
        "connections": history.connections.len() / 2,
        "segments": sum(|connection| connection.totals.segments),
        "retransmissions": sum(|connection| connection.totals.retransmissions),
        "timeouts": sum(|connection| connection.totals.timeouts),
        "missing": history.queues.iter().map(missing).sum::<u64>(),
        "queues": {
            "names": worst.iter().map(|queue| link(queue).name()).collect::<Vec<_>>(),
            "bandwidth": worst.iter().map(|queue| link(queue).bandwidth).collect::<Vec<_>>(),
            "frames": column(|queue| queue.totals.frames),
            "bytes": column(|queue| queue.totals.bytes),
            "dropped": column(|queue| queue.totals.dropped),
            "lost": column(|queue| queue.totals.lost),
            "marked": column(|queue| queue.totals.marked),
            "most_waiting": column(|queue| queue.totals.most_waiting),
        },
    })
}

/// Picoseconds into bins.
struct Clock {
    width: u64,
}

impl Clock {
    fn of(history: &NetworkHistory, end: u64) -> Clock {
        let queues = history.queues.iter().filter_map(|queue| queue.samples.last()).map(|last| last.at);
        let ends =
            history.connections.iter().filter_map(|connection| connection.samples.last()).map(|it| it.at);
        let last = queues.chain(ends).map(|at| at.as_picos()).max().unwrap_or(0).max(end);
        Clock { width: (last + 1).div_ceil(BINS as u64) }
    }

    fn bin(&self, picos: u64) -> usize {
        ((picos / self.width) as usize).min(BINS - 1)
    }

    /// The most bytes that waited in each bin. After a sample a queue drains; what comes is in the next sample.
    fn waiting(&self, samples: &[QueueSample]) -> Vec<f32> {
        let mut bins = vec![0.0_f32; BINS];
        for (at, sample) in samples.iter().enumerate() {
            let first = self.bin(sample.at.as_picos());
            bins[first] = bins[first].max(sample.waiting as f32);
            let Some(next) = samples.get(at + 1) else { continue };
            let (start, stop) = (sample.at.as_picos(), next.at.as_picos());
            let (from, to) = (sample.left as f64, sample.left.min(next.waiting) as f64);
            for (bin, most) in bins.iter_mut().enumerate().take(self.bin(stop) + 1).skip(first + 1) {
                let part = (bin as u64 * self.width - start) as f64 / (stop - start).max(1) as f64;
                *most = most.max((from + (to - from) * part) as f32);
            }
        }
        bins
    }

    /// Frames dropped or lost in each bin.
    fn missing(&self, samples: &[QueueSample]) -> Vec<f32> {
        self.growth(samples.iter().map(|sample| (sample.at.as_picos(), sample.dropped + sample.lost)))
    }

    fn retransmissions(&self, connections: &[ConnectionHistory]) -> Vec<f32> {
        let mut bins = vec![0.0; BINS];
        for connection in connections {
            let counts =
                connection.samples.iter().map(|sample| (sample.at.as_picos(), sample.retransmissions));
            bins.iter_mut().zip(self.growth(counts)).for_each(|(sum, bin)| *sum += bin);
        }
        bins
    }

    /// By how much a count grows in each bin.
    fn growth(&self, counts: impl Iterator<Item = (u64, u64)>) -> Vec<f32> {
        let (mut bins, mut before) = (vec![0.0; BINS], 0);
        for (at, count) in counts {
            bins[self.bin(at)] += (count - before) as f32;
            before = count;
        }
        bins
    }
}

#[cfg(test)]
mod tests {
    use mpirage_kernel::LinkStatistics;
    use mpirage_platform::LinkId;
    use mpirage_units::Time;

    use super::*;

    fn sample(at: u64, waiting: u64, dropped: u64) -> QueueSample {
        QueueSample { at: Time::from_picos(at), waiting, left: waiting, dropped, ..QueueSample::default() }
    }

    fn queue(link: u32, most_waiting: u64, dropped: u64) -> QueueHistory {
        let totals = LinkStatistics {
            link: LinkId(link),
            frames: 1,
            bytes: 1,
            dropped,
            lost: 0,
            marked: 0,
            most_waiting,
        };
        QueueHistory { totals, samples: vec![sample(5, most_waiting, dropped)] }
    }

    #[test]
    fn a_queue_drains_between_samples_and_does_not_grow() {
        let clock = Clock { width: 10 };
        let bins =
            clock.waiting(&[sample(5, 100, 0), sample(45, 20, 0), sample(55, 0, 0), sample(95, 70, 0)]);
        assert_eq!(bins[..10], [100.0, 90.0, 70.0, 50.0, 30.0, 10.0, 0.0, 0.0, 0.0, 70.0]);
        // A queue that was full and became empty in the same stretch is not full until the next sample.
        let bins = clock.waiting(&[QueueSample { left: 0, ..sample(5, 100, 0) }, sample(45, 20, 0)]);
        assert_eq!(bins[..5], [100.0, 0.0, 0.0, 0.0, 20.0]);
    }

    #[test]
    fn drops_are_in_the_bin_of_their_sample() {
        let clock = Clock { width: 10 };
        let bins = clock.missing(&[sample(5, 9, 2), sample(7, 9, 3), sample(25, 0, 7)]);
        assert_eq!((bins[0], bins[1], bins[2], bins.iter().sum::<f32>()), (3.0, 0.0, 4.0, 7.0));
    }

    #[test]
    fn full_queues_and_lossy_links_are_kept() {
        let mut queues: Vec<QueueHistory> =
            (0..100).map(|link| queue(link, 1000 + u64::from(link), 0)).collect();
        queues.push(queue(100, 1, 5));
        let kept = worst(&queues);
        assert_eq!(kept.len(), WORST + 1);
        assert_eq!((kept[0].totals.link, kept[WORST].totals.link), (LinkId(99), LinkId(100)));
    }
}
