//! A table of what every event does to a message in every state, as a snapshot.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use mpirage_call::{Completion, Payload, RankId, RequestId, SendMode};
use mpirage_kernel::{
    Computation, ComputeModel, Departure, Event as KernelEvent, Kernel, Milestone, Model, NetworkModel,
    Token, Transfer,
};
use mpirage_platform::HostId;
use mpirage_record::Summary;
use mpirage_units::Time;

use super::matching::Key;
use super::message::{Awaited, Message, Outgoing, Owner, Receive, Taker, TransferState};
use super::{Env, Event, Transport};
use crate::data_plane::DataPlane;
use crate::ids::{Id, MessageId, RunId};
use crate::memory::NoMemory;
use crate::noise::Noise;
use crate::observe::Observers;
use crate::occupancy::Occupancy;
use crate::origin::Origin;
use crate::protocol::{
    AccessProgress, EagerSend, Envelope, Handshake, LibraryProgress, Overhead, PollCost, Protocol,
    Rendezvous, SendCost, WakeUp,
};
use crate::wire::Wire;
use crate::working_set::WorkingSet;
use mpirage_units::Duration;

/// Nothing ever ends by itself: the test says what happens.
struct Still(Departure);

impl Model for Still {
    fn next(&mut self, _: Time) -> Option<Time> {
        None
    }
    fn collect(&mut self, _: Time, _: &mut Vec<KernelEvent>) {}
}

impl NetworkModel for Still {
    fn start(&mut self, _: Time, _: Transfer, _: Token) -> Departure {
        self.0
    }
}

impl ComputeModel for Still {
    fn start(&mut self, _: Time, _: Computation, _: Token) {}
}

/// How the protocols of the table differ.
#[derive(Clone, Copy)]
struct Variant {
    name: &'static str,
    bytes: u64,
    envelope: Envelope,
    eager: EagerSend,
    handshake: Handshake,
    rendezvous: Rendezvous,
    departure: Departure,
}

const SMALL: u64 = 1;
const MIDDLE: u64 = 100;
const LARGE: u64 = 1000;

const PUSH: Variant = Variant {
    name: "push, seen at send",
    bytes: SMALL,
    envelope: Envelope::AtSend,
    eager: EagerSend::AtOnce,
    handshake: Handshake::None,
    rendezvous: Rendezvous::Delivered,
    departure: Departure::Now,
};

const RENDEZVOUS: Variant = Variant { name: "rendezvous, free when delivered", bytes: LARGE, ..PUSH };

const VARIANTS: [Variant; 11] = [
    PUSH,
    Variant { name: "push, seen on arrival", envelope: Envelope::OnArrival, ..PUSH },
    Variant { name: "push into a network that queues", departure: Departure::Later, ..PUSH },
    Variant { name: "pull", bytes: MIDDLE, ..PUSH },
    RENDEZVOUS,
    Variant { name: "rendezvous, free when departed", rendezvous: Rendezvous::Departed, ..RENDEZVOUS },
    Variant {
        name: "rendezvous with handshake",
        envelope: Envelope::OnArrival,
        handshake: Handshake::Grant,
        ..RENDEZVOUS
    },
    Variant {
        name: "rendezvous with confirmation",
        envelope: Envelope::OnArrival,
        handshake: Handshake::Confirm,
        ..RENDEZVOUS
    },
    Variant {
        name: "rendezvous by remote reads",
        envelope: Envelope::OnArrival,
        handshake: Handshake::Read,
        ..RENDEZVOUS
    },
    Variant {
        name: "push, free when buffered",
        envelope: Envelope::OnArrival,
        eager: EagerSend::Buffered,
        ..PUSH
    },
    Variant { name: "held until matched", rendezvous: Rendezvous::Matched, ..RENDEZVOUS },
];

impl Variant {
    fn protocol(&self) -> Protocol {
        Protocol {
            eager_limit: LARGE,
            push_limit: MIDDLE,
            envelope: self.envelope,
            eager: self.eager,
            handshake: self.handshake,
            rendezvous: self.rendezvous,
            copy_out_seconds_per_byte: 0.0,
            late_seconds_per_byte: 0.0,
            startup: None,
            processor: None,
            send_cost: SendCost::First,
            send_overhead: Overhead::default(),
            isend_overhead: Overhead::default(),
            recv_overhead: Overhead::default(),
            poll: PollCost::Proportional { least: Duration::ZERO, share: 0.0 },
            clock_cost: Duration::ZERO,
            progress: LibraryProgress::Background,
            one_sided: AccessProgress::Interface,
            atomic_gap: Duration::ZERO,
            wake_up: WakeUp::default(),
            noise: Noise::default(),
            reduce_seconds_per_byte: 0.0,
            copy_seconds_per_byte: 0.0,
            copy_seconds_per_block: 0.0,
        }
    }
}

/// A transport with one message from rank 0 to rank 1, and the parts around it.
struct Bench {
    transport: Transport,
    wire: Wire,
    data: DataPlane<NoMemory>,
    observers: Observers,
    occupancy: Occupancy,
    message: MessageId,
}

const SENDER: Owner = Owner::Request { rank: RankId::new(0), id: RequestId::new(1) };
const KEY: Key = Key { context: 0, source: 0, tag: 5 };

/// An event in the life of a message.
#[derive(Clone, Copy, Debug)]
enum Input {
    SetOut,
    Departed,
    BufferFree,
    Ended,
    Matched,
    Cancelled,
}

const INPUTS: [Input; 6] =
    [Input::SetOut, Input::Departed, Input::BufferFree, Input::Ended, Input::Matched, Input::Cancelled];

impl Bench {
    fn new(variant: &Variant) -> Bench {
        let (protocol, hosts) = (Arc::new(variant.protocol()), Arc::from(vec![HostId(0), HostId(1)]));
        let occupancy = Occupancy::new(&protocol, &hosts);
        let kernel = Kernel::new(Box::new(Still(variant.departure)), Box::new(Still(Departure::Now)));
        let mut bench = Bench {
            transport: Transport::new(protocol, hosts.len()),
            wire: Wire::new(kernel, hosts),
            data: DataPlane::new(NoMemory),
            observers: Observers::new(Box::new(Summary::default())),
            occupancy,
            message: MessageId::new(0),
        };
        bench.message = bench.with(|transport, env| {
            transport.add(
                env,
                Outgoing {
                    from: RankId::new(0),
                    to: RankId::new(1),
                    key: KEY,
                    bytes: variant.bytes,
                    payload: Payload::Absent,
                    mode: SendMode::Standard,
                    working_set: WorkingSet::default(),
                    owner: SENDER,
                    origin: Origin::UNKNOWN,
                    ideal: Time::ZERO,
                },
            )
        });
        bench
    }

    fn with<R>(&mut self, act: impl FnOnce(&mut Transport, &mut Env<'_, NoMemory>) -> R) -> R {
        let Bench { transport, wire, data, observers, occupancy, .. } = self;
        act(transport, &mut Env { wire, data, observers, occupancy })
    }

    fn message(&mut self) -> &mut Message {
        self.transport.message_mut(self.message)
    }

    fn apply(&mut self, input: Input) {
        let id = self.message;
        self.with(|transport, env| match input {
            Input::SetOut => {
                if transport.set_out(env, id) {
                    transport.complete(SENDER, Completion::empty(0), Time::ZERO);
                }
            }
            Input::Departed => drop(transport.transfer_event(env, id, Milestone::Departed)),
            Input::BufferFree => drop(transport.transfer_event(env, id, Milestone::BufferFree)),
            Input::Ended => drop(transport.transfer_event(env, id, Milestone::Ended)),
            Input::Matched => {
                let (rank, room, owner) =
                    (RankId::new(1), 1 << 20, Owner::Request { rank: RankId::new(1), id: RequestId::new(2) });
                let receive = Receive { key: KEY, rank, room, address: 0, owner, posted: Time::ZERO };
                let receive = transport.add_receive(receive);
                transport.post(env, rank, KEY, Taker::Receive(receive));
            }
            Input::Cancelled => drop(transport.cancel_send(env, SENDER, id)),
        });
    }

    /// The state of the message, and what was reported since the last time.
    fn outcome(&mut self) -> String {
        let message = self.message();
        let (state, matched) = (message.state, message.taker.is_some());
        let mut text =
            format!("{state:?}{}", if matched && state != TransferState::Over { " matched" } else { "" });
        let mut nth = 0;
        while let Some(event) = self.transport.event(nth) {
            nth += 1;
            text += match event {
                Event::Complete { owner: SENDER, completion, .. } if completion.cancelled => {
                    ", send cancelled"
                }
                Event::Complete { owner: SENDER, .. } => ", send complete",
                Event::Complete { .. } => ", receive complete",
                Event::Lends { .. } => ", lends",
                Event::LoanOver { .. } => ", loan over",
                Event::Over { .. } => ", over",
                Event::Probed { .. } => ", probed",
                Event::Failed { .. } => ", failed",
                Event::Matched { .. } => ", match reported",
            };
        }
        self.transport.clear_events();
        text
    }
}

/// Every sequence of inputs up to a length; those that cannot happen end there.
fn explore(variant: &Variant, path: &mut Vec<Input>, known: &mut Vec<String>, table: &mut String) {
    for input in INPUTS {
        let run = catch_unwind(AssertUnwindSafe(|| {
            let mut bench = Bench::new(variant);
            let mut before = bench.outcome();
            for &earlier in path.iter() {
                bench.apply(earlier);
                before = bench.outcome();
            }
            if bench.message().state == TransferState::Over {
                return None;
            }
            let from = before.split(',').next().unwrap_or_default().to_owned();
            bench.apply(input);
            Some((from, bench.outcome()))
        }));
        let Ok(Some((from, to))) = run else { continue };
        let row = format!("  {from:18} {:11} {to}\n", format!("{input:?}"));
        if !known.contains(&row) {
            known.push(row.clone());
            *table += &row;
            path.push(input);
            explore(variant, path, known, table);
            path.pop();
        }
    }
}

/// The order of sends in a pair is fixed when they are made, so a message sets out first, and once.
fn table_of(variant: &Variant) -> String {
    let mut table = format!("{}\n", variant.name);
    let mut bench = Bench::new(variant);
    bench.apply(Input::SetOut);
    table += &format!("  {:18} {:11} {}\n", "Waiting", "SetOut", bench.outcome());
    let (mut path, mut known) = (vec![Input::SetOut], Vec::new());
    let mut rest = String::new();
    explore(variant, &mut path, &mut known, &mut rest);
    table
        + &rest
            .lines()
            .filter(|row| !row.contains(" SetOut "))
            .fold(String::new(), |all, row| all + row + "\n")
}

#[test]
fn states_and_events_are_those_of_the_table() {
    // Impossible events panic; their messages would hide the result.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let table = VARIANTS.iter().map(table_of).collect::<Vec<_>>().join("\n");
    std::panic::set_hook(hook);
    mpirage_snapshot::check("src/transport/table.snap", &table);
}

#[test]
fn a_step_of_a_schedule_needs_no_receive() {
    let mut bench = Bench::new(&VARIANTS[0]);
    bench.apply(Input::SetOut);
    bench.outcome();
    let taker = Taker::Step { run: RunId::new(3), awaited: Awaited::Blocking };
    bench.with(|transport, env| transport.post(env, RankId::new(1), KEY, taker));
    bench.apply(Input::Ended);
    let complete = bench.transport.event(0).copied();
    let owner = Owner::Step { run: RunId::new(3), awaited: Awaited::Blocking };
    assert!(matches!(complete, Some(Event::Complete { owner: of, .. }) if of == owner));
}
