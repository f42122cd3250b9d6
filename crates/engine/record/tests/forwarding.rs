//! Everything that passes records on passes on every method, as itself.

use std::cell::RefCell;
use std::rc::Rc;

use mpirage_call::wire::{PlainCall, PlainOperation};
use mpirage_call::{Call, Payload, Reply, RequestId, SendMode, Stamp, WORLD};
use mpirage_record::{Details, MessageRecord, Record, Recorder, Scope, Writer};
use mpirage_units::Time;

/// Remembers which of its methods were called, and wants one thing.
#[derive(Default)]
struct Spy {
    called: Rc<RefCell<Vec<&'static str>>>,
    wants: &'static str,
}

impl Spy {
    fn note(&self, method: &'static str) {
        self.called.borrow_mut().push(method);
    }
}

impl Recorder for Spy {
    fn record(&mut self, _: &Record<'_>) {
        self.note("record");
    }

    fn call(&mut self, _: u32, _: &Stamp, _: Time, _: Time, _: Option<Details<'_>>) {
        self.note("call");
    }

    fn post(&mut self, _: u32, _: Time, _: &PlainCall<'_>, _: &Reply) {
        self.note("post");
    }

    fn messages(&mut self, _: &[MessageRecord]) {
        self.note("messages");
    }

    fn wants_arguments(&self) -> bool {
        self.wants == "arguments"
    }

    fn wants_collectives_again(&self) -> bool {
        self.wants == "collectives again"
    }

    fn wants_ideal(&self) -> bool {
        self.wants == "ideal"
    }
}

impl Writer for Spy {
    fn finish(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.note("finish");
        Err("disk full".into())
    }

    fn warnings(&self) -> Vec<String> {
        vec!["rounded".to_owned()]
    }
}

/// Calls every method that reads.
fn play(recorder: &mut dyn Recorder) {
    let (now, reply, stamp) = (Time::ZERO, Reply::default(), Stamp::default());
    recorder.record(&Record::Pause { rank: 0, start: now, end: now });
    recorder.call(0, &stamp, now, now, None);
    recorder.post(0, now, &send(), &reply);
    recorder.messages(&[message()]);
}

const PLAYED: [&str; 4] = ["record", "call", "post", "messages"];

fn send() -> PlainCall<'static> {
    let operation = PlainOperation::Send {
        mode: SendMode::Standard,
        to: 1,
        tag: 7,
        payload: Payload::Absent,
        answer: false,
    };
    PlainCall {
        stamp: Stamp::default(),
        context: WORLD,
        bytes: 8,
        request: Some(RequestId::new(1)),
        operation,
        words: 0,
    }
}

fn message() -> MessageRecord {
    MessageRecord {
        from: 0,
        to: 1,
        bytes: 8,
        tag: 7,
        scope: Scope::Comm(WORLD),
        sent: Time::ZERO,
        departed: Time::ZERO,
        arrived: Time::ZERO,
        delivered: Time::ZERO,
        awaited: false,
        held: false,
        unexpected: false,
    }
}

/// The calls that a spy sees behind a recorder that forwards records.
fn seen(wrap: impl FnOnce(Spy) -> Box<dyn Recorder>) -> Vec<&'static str> {
    let spy = Spy::default();
    let called = Rc::clone(&spy.called);
    play(&mut wrap(spy));
    called.take()
}

#[test]
fn every_event_arrives_as_itself() {
    assert_eq!(seen(|spy| Box::new(spy)), PLAYED);
    assert_eq!(seen(|spy| Box::new(Rc::new(RefCell::new(spy)))), PLAYED);
    assert_eq!(seen(|spy| Box::new((spy, Spy::default()))), PLAYED);
    assert_eq!(seen(|spy| Box::new((Spy::default(), spy))), PLAYED);
    assert_eq!(seen(|spy| Box::new(vec![Spy::default(), spy, Spy::default()])), PLAYED);
    assert_eq!(seen(|spy| Box::new(Rc::new(RefCell::new(Box::new(spy) as Box<dyn Writer>)))), PLAYED);
}

#[test]
fn a_wish_of_one_is_a_wish_of_all() {
    for wants in ["", "arguments", "collectives again", "ideal"] {
        let spy = || Spy { wants, ..Spy::default() };
        let wrapped: [Box<dyn Recorder>; 5] = [
            Box::new(spy()),
            Box::new(Rc::new(RefCell::new(spy()))),
            Box::new((spy(), Spy::default())),
            Box::new((Spy::default(), spy())),
            Box::new(vec![Spy::default(), spy()]),
        ];
        for recorder in wrapped {
            let wishes =
                [recorder.wants_arguments(), recorder.wants_collectives_again(), recorder.wants_ideal()];
            assert_eq!(wishes, ["arguments", "collectives again", "ideal"].map(|wish| wish == wants));
        }
    }
}

#[test]
fn a_box_passes_on_what_a_writer_says() {
    let spy = Spy::default();
    let called = Rc::clone(&spy.called);
    let mut boxed: Box<Box<dyn Writer>> = Box::new(Box::new(spy));
    assert_eq!(boxed.finish().unwrap_err().to_string(), "disk full");
    assert_eq!((boxed.warnings(), called.take()), (vec!["rounded".to_owned()], vec!["finish"]));
}

/// Reads records only, as most recorders do.
#[derive(Default)]
struct Plain(Vec<String>);

impl Recorder for Plain {
    fn record(&mut self, record: &Record<'_>) {
        self.0.push(format!("{record:?}"));
    }
}

#[test]
fn shortcuts_say_the_same_as_records() {
    let mut plain = Plain::default();
    let stamp = Stamp { function: 5, site: 77, ..Stamp::default() };
    let [entered, left] = [3, 9].map(Time::from_picos);
    plain.call(2, &stamp, entered, left, None);
    let record = Record::Call { rank: 2, function: 5, entered, left, site: 77, details: None };
    assert_eq!(plain.0.pop(), Some(format!("{record:?}")));
    plain.messages(&[message(), message()]);
    assert_eq!(
        plain.0,
        [format!("{:?}", Record::Message(message())), format!("{:?}", Record::Message(message()))]
    );
    plain.0.clear();
    let reply = Reply::default();
    plain.post(0, entered, &send(), &reply);
    let whole = send();
    let call: Call<'_> = whole.to_call();
    let details = Some(Details { call: &call, reply: &reply });
    let record = Record::Call { rank: 0, function: 0, entered, left: entered, site: 0, details };
    assert_eq!(plain.0, [format!("{record:?}")]);
    assert!(!plain.wants_arguments() && !plain.wants_collectives_again() && !plain.wants_ideal());
}
