//! Several consumers of one stream, and consumers that somebody else looks at too.
//!
//! Two of known kinds are a pair, which costs no more than to call both; any number of any kind is a vector.

use std::cell::RefCell;
use std::rc::Rc;

use mpirage_call::wire::NonblockingCall;
use mpirage_call::{Reply, Stamp};
use mpirage_units::Time;

use crate::{Details, Message, Record, Recorder};

impl<A: Recorder, B: Recorder> Recorder for (A, B) {
    #[inline]
    fn record(&mut self, record: &Record<'_>) {
        self.0.record(record);
        self.1.record(record);
    }

    #[inline]
    fn call(&mut self, rank: u32, stamp: &Stamp, entered: Time, left: Time, details: Option<Details<'_>>) {
        self.0.call(rank, stamp, entered, left, details);
        self.1.call(rank, stamp, entered, left, details);
    }

    #[inline]
    fn post(&mut self, rank: u32, at: Time, call: &NonblockingCall, reply: &Reply) {
        self.0.post(rank, at, call, reply);
        self.1.post(rank, at, call, reply);
    }

    fn messages(&mut self, messages: &[Message]) {
        self.0.messages(messages);
        self.1.messages(messages);
    }

    fn wants_arguments(&self) -> bool {
        self.0.wants_arguments() || self.1.wants_arguments()
    }

    fn wants_collectives_again(&self) -> bool {
        self.0.wants_collectives_again() || self.1.wants_collectives_again()
    }

    fn wants_ideal(&self) -> bool {
        self.0.wants_ideal() || self.1.wants_ideal()
    }
}

impl<R: Recorder> Recorder for Vec<R> {
    fn record(&mut self, record: &Record<'_>) {
        for recorder in self {
            recorder.record(record);
        }
    }

    fn call(&mut self, rank: u32, stamp: &Stamp, entered: Time, left: Time, details: Option<Details<'_>>) {
        for recorder in self {
            recorder.call(rank, stamp, entered, left, details);
        }
    }

    fn post(&mut self, rank: u32, at: Time, call: &NonblockingCall, reply: &Reply) {
        for recorder in self {
            recorder.post(rank, at, call, reply);
        }
    }

    fn messages(&mut self, messages: &[Message]) {
        for recorder in self {
            recorder.messages(messages);
        }
    }

    fn wants_arguments(&self) -> bool {
        self.iter().any(Recorder::wants_arguments)
    }

    fn wants_collectives_again(&self) -> bool {
        self.iter().any(Recorder::wants_collectives_again)
    }

    fn wants_ideal(&self) -> bool {
        self.iter().any(Recorder::wants_ideal)
    }
}

impl<R: Recorder + ?Sized> Recorder for Rc<RefCell<R>> {
    #[inline]
    fn record(&mut self, record: &Record<'_>) {
        self.borrow_mut().record(record);
    }

    #[inline]
    fn call(&mut self, rank: u32, stamp: &Stamp, entered: Time, left: Time, details: Option<Details<'_>>) {
        self.borrow_mut().call(rank, stamp, entered, left, details);
    }

    #[inline]
    fn post(&mut self, rank: u32, at: Time, call: &NonblockingCall, reply: &Reply) {
        self.borrow_mut().post(rank, at, call, reply);
    }

    fn messages(&mut self, messages: &[Message]) {
        self.borrow_mut().messages(messages);
    }

    fn wants_arguments(&self) -> bool {
        self.borrow().wants_arguments()
    }

    fn wants_collectives_again(&self) -> bool {
        self.borrow().wants_collectives_again()
    }

    fn wants_ideal(&self) -> bool {
        self.borrow().wants_ideal()
    }
}
