//! Those who read records.

use std::cell::RefCell;
use std::rc::Rc;

use mpirage_call::wire::PlainCall;
use mpirage_call::{Reply, Stamp};
use mpirage_kernel::NetworkHistory;
use mpirage_units::Time;

use crate::{Details, MessageRecord, Record};

/// Declares [`Recorder`], and implements it for everything that passes records on, from one list of methods: a method that is added to
/// the list is passed on everywhere.
macro_rules! declare_recorder {
    (
        events: $($(#[$event_doc:meta])* fn $event:ident(&mut $this:ident $(, $argument:ident: $type:ty)*) $default:tt)*
        wishes: $($(#[$wish_doc:meta])* fn $wish:ident(&$that:ident) -> bool $answer:block)*
    ) => {
        /// Reads the records of a run.
        ///
        /// Methods with a default are shortcuts: they say the same as [`Recorder::record`], or cost time that most recorders save.
        pub trait Recorder {
            $($(#[$event_doc])* fn $event(&mut $this $(, $argument: $type)*) $default)*
            $($(#[$wish_doc])* fn $wish(&$that) -> bool $answer)*
        }

        /// The recorder in the box.
        impl<R: Recorder + ?Sized> Recorder for Box<R> {
            $(#[inline] fn $event(&mut self $(, $argument: $type)*) { (**self).$event($($argument),*); })*
            $(fn $wish(&self) -> bool { (**self).$wish() })*
        }

        /// A recorder that others hold too.
        impl<R: Recorder + ?Sized> Recorder for Rc<RefCell<R>> {
            $(#[inline] fn $event(&mut self $(, $argument: $type)*) { self.borrow_mut().$event($($argument),*); })*
            $(fn $wish(&self) -> bool { self.borrow().$wish() })*
        }

        /// Two recorders of known types, at no more cost than calling both.
        impl<A: Recorder, B: Recorder> Recorder for (A, B) {
            $(#[inline] fn $event(&mut self $(, $argument: $type)*) {
                self.0.$event($($argument),*);
                self.1.$event($($argument),*);
            })*
            $(fn $wish(&self) -> bool { self.0.$wish() || self.1.$wish() })*
        }

        /// Any number of recorders.
        impl<R: Recorder> Recorder for Vec<R> {
            $(fn $event(&mut self $(, $argument: $type)*) {
                self.iter_mut().for_each(|recorder| recorder.$event($($argument),*));
            })*
            $(fn $wish(&self) -> bool { self.iter().any(Recorder::$wish) })*
        }
    };
}

declare_recorder! {
    events:
    /// Reads a record.
    fn record(&mut self, record: &Record<'_>);

    /// An MPI call has returned: the same as [`Record::Call`], in the form in which the simulator has it.
    #[inline]
    fn call(&mut self, rank: u32, stamp: &Stamp, entered: Time, left: Time, details: Option<Details<'_>>) {
        let &Stamp { function, site, .. } = stamp;
        self.record(&Record::Call { rank, function, entered, left, site, details });
    }

    /// A send or receive with a request, which took no time: the same as [`Recorder::call`] for the most frequent calls.
    #[inline]
    fn post(&mut self, rank: u32, at: Time, call: &PlainCall<'_>, reply: &Reply) {
        self.call(rank, &call.stamp, at, at, Some(Details { call: &call.to_call(), reply }));
    }

    /// Messages were delivered, in this order: the same as [`Record::Message`] for each.
    fn messages(&mut self, messages: &[MessageRecord]) {
        messages.iter().for_each(|message| self.record(&Record::Message(*message)));
    }

    /// The calls, bursts and pauses of a rank that follow are those of this thread, until the next such call. Threads are numbered in the
    /// order in which they first call MPI; before the first such call, all is that of thread 0. A rank with several threads makes calls
    /// that overlap in time.
    fn thread(&mut self, _rank: u32, _thread: u32) {}

    /// A call of a further thread of a rank had not returned when the run ended at `until`; that of the first thread is in [`Record::End`].
    fn never_returned(&mut self, _rank: u32, _stamp: &Stamp, _since: Time, _until: Time) {}

    /// The next activity of a rank's thread starts now: another thread, whose last call has returned, has woken it outside MPI.
    fn woken(&mut self, _rank: u32, _thread: u32, _by: u32) {}

    /// A rank has handed over calls that need no answer, and gets the turn again at the same instant. Others may have done something in
    /// between, so this is part of the order of what happens at an instant.
    fn handed_over(&mut self, _rank: u32) {}

    /// From now on, calls of the rank with this site were made along this path: return addresses, the innermost first.
    fn call_path(&mut self, _rank: u32, _site: u64, _frames: &[u64]) {}

    /// A timer found the rank's program on this path ([`Recorder::call_path`]) so many times while it computed before its next call.
    fn samples(&mut self, _rank: u32, _path: u64, _count: u32) {}

    /// The run is over: queues and connections of the network over time, if a recorder wants them ([`Recorder::wants_network`]) and the
    /// network has them.
    fn network(&mut self, _history: &NetworkHistory) {}

    wishes:
    /// Whether calls are to come with their arguments and replies, which costs time.
    fn wants_arguments(&self) -> bool {
        false
    }

    /// Whether a collective is to come with its arguments when it returns, although [`Record::Schedule`] has had them. Reading them again
    /// costs time.
    fn wants_collectives_again(&self) -> bool {
        self.wants_arguments()
    }

    /// Whether ranks are to end with the time at which they would end on a network without delays. Keeping it costs a little time.
    fn wants_ideal(&self) -> bool {
        false
    }

    /// Whether the network is to record its queues and connections over time.
    fn wants_network(&self) -> bool {
        false
    }
}

/// A recorder that writes a file.
pub trait Writer: Recorder {
    /// Completes the file. An earlier error is returned here too; then there is no file.
    fn finish(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;

    /// Where the file is less exact than the run, one sentence each.
    fn warnings(&self) -> Vec<String>;
}

impl<W: Writer + ?Sized> Writer for Box<W> {
    fn finish(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        (**self).finish()
    }

    fn warnings(&self) -> Vec<String> {
        (**self).warnings()
    }
}
