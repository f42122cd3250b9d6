//! Training of transformers: `gen:training,model=llama2-70b,dp=16,tp=8,pp=8,batch=256`.
//!
//! Ranks follow a schedule of micro-batches. What a rank does at a place of its schedule is computed when the engine asks; a rank stores its
//! place only. Sources of sizes and formulas are named where they are used.
//!
//! | file | what |
//! |---|---|
//! | `model` | sizes of transformers, parameters, operations |
//! | `layout` | ranks and their groups |
//! | `schedule` | the order of micro-batches |
//! | `parts` | what happens in a slot |
//! | `spec` | what a user has typed |

mod layout;
mod model;
mod parts;
mod schedule;
mod spec;

pub use spec::{TRAINING, TRAINING_KEYS};

use mpirage_call::{
    Call, Collective, CollectiveCall, Completing, ContextId, FIRST_MADE, Reply, RequestId, Stamp, Work,
};

use super::collective::CollectiveSpec;
use super::messages::{Stamps, receive, send};
use crate::function::stamp_of;
use crate::{Calls, Step, TraceError, Workload};
use layout::{Axis, Seat};
use model::MODELS;
use parts::{Action, GRADIENTS, Position, Share};
use spec::Spec;

/// The name of the pattern.
pub(super) const NAME: &str = TRAINING.name;

/// Names of the models, and where their sizes are published.
pub fn models() -> impl Iterator<Item = (&'static str, &'static str)> {
    MODELS.iter().map(|&(name, _, source)| (name, source))
}

/// Ranks that train a transformer.
#[derive(Debug)]
pub struct Training {
    spec: Spec,
    at: Vec<Position>,
    first: ContextId,
    stamps: Stamps,
    collectives: Vec<(Collective, [Stamp; 2])>,
    /// 1, 2, 3, …: the requests of a rank, as a list to wait for.
    requests: Vec<RequestId>,
}

impl Training {
    /// The workload that `gen:training,key=value,…` describes.
    pub fn parse(text: &str) -> Result<Training, TraceError> {
        let spec = Spec::parse(text)?;
        let at = vec![Position::default(); spec.layout.ranks() as usize];
        let share = Share { spec: &spec, seat: spec.layout.seat(0) };
        let most = GRADIENTS + 2 * share.layers() + 2;
        let requests = (1..=most).map(RequestId::new).collect();
        let kinds = [
            Collective::Allreduce,
            Collective::ReduceScatterBlock,
            Collective::Allgather,
            Collective::Alltoall,
        ];
        let collectives = kinds.map(|kind| (kind, stamps_of(kind))).to_vec();
        Ok(Training { spec, at, first: FIRST_MADE, stamps: Stamps::new(), collectives, requests })
    }

    /// Does what is next; true if the rank waits for an answer.
    fn act(&self, rank: u32, seat: Seat, action: Action, calls: &mut Calls<'_>) -> bool {
        match action {
            Action::Nothing => false,
            Action::Compute(flops) => {
                calls.push(&Stamp::default(), &Call::Compute { work: self.work(flops), request: None });
                false
            }
            Action::Receive { from, tag, bytes } => {
                calls.push(&self.stamps.recv, &receive(from, tag, bytes, None));
                true
            }
            Action::Send { to, tag, bytes, request } => {
                let call = send(to, tag, bytes, Some(RequestId::new(request)));
                calls.push(&self.stamps.isend, &call);
                call.needs_answer()
            }
            Action::Together { axis, kind, bytes, request } => {
                self.exchange(seat, axis, kind, bytes, request, calls);
                request.is_none()
            }
            Action::Wait { first: GRADIENTS, .. } => self.wait_for_gradients(rank, calls),
            Action::Wait { first, count } => {
                let first = first as usize - 1;
                self.wait(&self.requests[first..first + count as usize], calls)
            }
        }
    }

    fn work(&self, flops: f64) -> Work {
        let flops = flops / self.spec.efficiency;
        match self.spec.speed {
            Some(speed) => Work::Nanos((flops / speed * 1e9).round() as u64),
            None => Work::Flops(flops),
        }
    }

    fn exchange(
        &self,
        seat: Seat,
        axis: Axis,
        kind: Collective,
        bytes: u64,
        request: Option<u32>,
        calls: &mut Calls<'_>,
    ) {
        let (context, place) = self.spec.layout.group(axis, seat, self.first);
        let collective = CollectiveSpec { kind, ranks: self.spec.layout.size(axis), bytes, root: 0 };
        let request = request.map(RequestId::new);
        let call = CollectiveCall { context, request, ..collective.call(place, &[]) };
        let stamps = self
            .collectives
            .iter()
            .find(|(other, _)| *other == kind)
            .map_or([Stamp::default(); 2], |entry| entry.1);
        calls.push(&stamps[usize::from(request.is_some())], &Call::Collective(call));
    }

    fn wait_for_gradients(&self, rank: u32, calls: &mut Calls<'_>) -> bool {
        let share = Share { spec: &self.spec, seat: self.spec.layout.seat(rank) };
        let mut requests: Vec<RequestId> = share.requests_of_gradients().map(RequestId::new).collect();
        requests.sort_unstable();
        self.wait(&requests, calls)
    }

    fn wait(&self, requests: &[RequestId], calls: &mut Calls<'_>) -> bool {
        if requests.is_empty() {
            return false;
        }
        calls.push(&self.stamps.waitall, &Call::Wait { how: Completing::All, poll: false, requests });
        true
    }

    /// Writes calls of an iteration, up to one that needs an answer. True if there is one, false at the end of the iteration.
    fn iterate(&self, rank: u32, at: &mut Position, calls: &mut Calls<'_>) -> bool {
        let seat = self.spec.layout.seat(rank);
        let share = Share { spec: &self.spec, seat };
        while at.slot <= 2 * self.spec.micro_batches {
            match share.part(*at) {
                Some(action) => {
                    at.part += 1;
                    if self.act(rank, seat, action, calls) {
                        return true;
                    }
                }
                None => (at.slot, at.part) = (at.slot + 1, 0),
            }
        }
        false
    }
}

/// The functions of a collective that blocks and of one that does not.
fn stamps_of(kind: Collective) -> [Stamp; 2] {
    let blocking = CollectiveSpec { kind, ranks: 1, bytes: 0, root: 0 }.function();
    [stamp_of(&blocking), stamp_of(&nonblocking(&blocking))]
}

/// `MPI_Iallreduce` of `MPI_Allreduce`.
pub(crate) fn nonblocking(function: &str) -> String {
    function.to_ascii_lowercase().replacen("mpi_", "MPI_I", 1)
}

impl Workload for Training {
    fn ranks(&self) -> u32 {
        self.at.len() as u32
    }

    fn communicators(&self) -> Vec<Vec<u32>> {
        self.spec.layout.groups()
    }

    fn number_communicators_from(&mut self, first: ContextId) {
        self.first = first;
    }

    fn share_done(&self) -> Option<f64> {
        let at = self.at.first()?;
        let slots = f64::from(2 * self.spec.micro_batches + 1);
        let iteration = f64::from(at.iteration) + f64::from(at.slot) / slots;
        Some((iteration / f64::from(self.spec.iterations + 2)).min(1.0))
    }

    fn next(&mut self, rank: u32, _: &Reply, calls: &mut Calls<'_>) -> Result<Step, TraceError> {
        let mut at = self.at[rank as usize];
        let step = loop {
            let waits = match at.iteration {
                0 => {
                    calls.push(&self.stamps.init, &Call::Init);
                    at.iteration = 1;
                    break Step::Waits;
                }
                n if n <= self.spec.iterations => self.iterate(rank, &mut at, calls),
                n if n == self.spec.iterations + 1 => {
                    calls.push(&self.stamps.finalize, &Call::Finalize);
                    at.iteration += 1;
                    break Step::Waits;
                }
                _ => break Step::Ended,
            };
            if waits {
                break Step::Waits;
            }
            at = Position { iteration: at.iteration + 1, ..Position::default() };
        };
        self.at[rank as usize] = at;
        Ok(step)
    }
}
