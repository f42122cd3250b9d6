//! The summary counts the same whichever way it hears of calls and messages.

use mpirage_call::ContextId;
use mpirage_call::{Stamp, WORLD, Work};
use mpirage_record::{MessageRecord, Record, Recorder, Scope, Summary};
use mpirage_units::Time;

fn message(bytes: u64, scope: Scope) -> MessageRecord {
    let [sent, departed, arrived, delivered] = [1, 2, 3, 4].map(Time::from_picos);
    let (awaited, held, unexpected) = (false, false, bytes == 8);
    MessageRecord {
        from: 0,
        to: 1,
        bytes,
        tag: 7,
        scope,
        sent,
        departed,
        arrived,
        delivered,
        awaited,
        held,
        unexpected,
    }
}

/// A recorder without shortcuts: everything becomes a record.
struct Records(Summary);

impl Recorder for Records {
    fn record(&mut self, record: &Record<'_>) {
        self.0.record(record);
    }
}

fn play(recorder: &mut impl Recorder) {
    let [start, end] = [10, 35].map(Time::from_picos);
    recorder.record(&Record::Burst { rank: 0, start, end, work: Work::Nanos(7), beside: false });
    recorder.record(&Record::Burst { rank: 1, start, end, work: Work::Flops(9.0), beside: true });
    recorder.record(&Record::Pause { rank: 0, start, end });
    recorder.call(0, &Stamp::default(), start, end, None);
    recorder.messages(&[message(100, Scope::Comm(WORLD)), message(8, Scope::Collective(3))]);
    recorder.record(&Record::Message(message(1, Scope::Comm(WORLD))));
    recorder.record(&Record::Comm { context: ContextId::new(5), members: &[0, 1] });
    recorder.record(&Record::End { rank: 0, at: end, blocked: None, ideal: None });
}

#[test]
fn a_run_is_counted() {
    let (mut direct, mut by_records) = (Summary::default(), Records(Summary::default()));
    play(&mut direct);
    play(&mut by_records);
    let expected = Summary {
        messages: 3,
        unexpected: 1,
        collective: 1,
        bytes: 109,
        calls: 1,
        computed_picos: 50,
        measured_nanos: 7,
        busy_picos: vec![25],
    };
    assert_eq!((&direct, &by_records.0), (&expected, &expected));
}
