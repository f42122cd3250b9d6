//! The cost of a segment: `cargo test --release -p mpirage-packet --test tcp -- --ignored --nocapture speed`.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use mpirage_packet::{
    CongestionAlgorithm, Endpoint, Lane, Permission, Role, Segment, Tcp, TcpHeader, TcpSettings,
};
use mpirage_units::{Duration, Time};

/// A segment on its way and when it arrives.
type Queue = VecDeque<(Time, Segment<TcpHeader>)>;

const DELAY: Duration = Duration::from_nanos(100_000);
const SEGMENT_TIME: Duration = Duration::from_nanos(1_200);

/// Sends all that an end has to send; gives the number of segments.
fn drain(end: &mut Tcp, now: Time, free_at: &mut Time, queue: &mut Queue) -> u64 {
    let mut count = 0;
    loop {
        let room = end.room();
        end.write(now, Lane(0), room);
        let Some(segment) = end.transmit(now, Permission::Everything) else { return count };
        *free_at = now.max(*free_at) + SEGMENT_TIME;
        queue.push_back((*free_at + DELAY, segment));
        count += 1;
    }
}

/// Nanoseconds per segment of a bulk transfer; every `period`th segment is lost.
fn nanoseconds(settings: &TcpSettings, segments: u64, period: u64) -> f64 {
    let settings = &Arc::new(*settings);
    let (mut left, mut right) = (Tcp::new(settings, Role::Active), Tcp::new(settings, Role::Passive));
    let (mut there, mut back): (Queue, Queue) = Default::default();
    let mut free_at = [Time::ZERO; 2];
    let mut count = drain(&mut left, Time::ZERO, &mut free_at[0], &mut there);
    let start = Instant::now();
    while count < segments {
        let forth = there.front().map_or(Time::MAX, |flight| flight.0);
        let answer = back.front().map_or(Time::MAX, |flight| flight.0);
        if forth <= answer {
            let Some((now, segment)) = there.pop_front() else { break };
            if !count.is_multiple_of(period) {
                right.receive(now, &segment, false);
            }
            right.delivered();
            while let Some(segment) = right.transmit(now, Permission::Everything) {
                free_at[1] = now.max(free_at[1]) + Duration::from_nanos(52);
                back.push_back((free_at[1] + DELAY, segment));
                count += 1;
            }
        } else {
            let Some((now, segment)) = back.pop_front() else { break };
            left.receive(now, &segment, false);
            count += drain(&mut left, now, &mut free_at[0], &mut there);
        }
        std::hint::black_box((left.timeout(), right.timeout()));
    }
    start.elapsed().as_nanos() as f64 / count as f64
}

#[test]
#[ignore = "a measurement"]
fn speed() {
    for algorithm in [CongestionAlgorithm::Reno, CongestionAlgorithm::Cubic] {
        for period in [u64::MAX, 1000, 100] {
            let settings = TcpSettings { preopened: true, algorithm, ..TcpSettings::default() };
            let best =
                (0..5).map(|_| nanoseconds(&settings, 2_000_000, period)).fold(f64::INFINITY, f64::min);
            println!("{algorithm:?}, one loss in {period}: {best:.0} ns per segment");
        }
    }
}
