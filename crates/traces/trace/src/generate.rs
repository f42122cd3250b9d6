//! Workloads made from parameters: `gen:halo3d,ranks=1000,bytes=64KiB,compute=5ms`.
//!
//! Each rank stores only its position, in eight bytes. The calls at a position are computed when the engine asks for them.
//!
//! ```text
//! Init │ compute, Irecv …, Isend …, Waitall │ … once per iteration … │ Finalize
//! ```

mod collective;
mod grid;
mod messages;
mod shuffle;
mod spec;
mod training;
mod typed;

pub use collective::CollectiveSpec;
pub use spec::{KEYS, PATTERNS};
pub(crate) use training::nonblocking;
pub use training::{TRAINING, TRAINING_KEYS, Training, models};
pub(crate) use typed::name_of;
pub use typed::{KeyInfo, PatternInfo};

use mpirage_call::{Call, Completing, Reply, RequestId, Stamp, Work};

use crate::function::stamp_of;
use crate::{Calls, Step, TraceError, Workload};
use grid::Grid;
use messages::{Stamps, receive, send};
use mpirage_units::{draw, scramble};
use shuffle::Draws;
use spec::{Amount, Pattern, Spec};

/// Corners of a box from which sweeps start.
const OCTANTS: u32 = 8;
/// Steps of a rank for each block of a sweep: two receives, a computation, two sends.
const PARTS: u32 = 5;

/// Ranks that follow a pattern.
#[derive(Debug)]
pub struct Generated {
    spec: Spec,
    /// Where each rank is.
    at: Vec<Position>,
    stamps: Stamps,
    collective: Stamp,
    draws: Draws,
    /// 1, 2, 3, …: the requests of a rank, as a list to wait for.
    requests: Vec<RequestId>,
    /// Offset and length of each rank's block, for collectives that take a list of them.
    blocks: Vec<u64>,
}

/// Where a rank is: before iteration 1 it starts, after the last it ends.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    iteration: u32,
    /// How far it is in the iteration.
    step: u32,
}

/// How far a rank has come in its iteration.
enum Reached {
    /// It waits for an answer, and goes on at this step.
    Step(u32),
    /// It waits for an answer, which ends the iteration.
    End,
    /// The iteration has ended without another call that needs an answer.
    Past,
}

impl Generated {
    /// The workload that `gen:NAME,key=value,…` describes.
    pub fn parse(text: &str) -> Result<Generated, TraceError> {
        Ok(Generated::new(Spec::parse(text)?))
    }

    /// Ranks that call a collective so many times, one after the other, and do nothing else.
    pub fn collective(spec: CollectiveSpec, iterations: u32) -> Generated {
        Generated::new(Spec::of_collective(spec, iterations))
    }

    fn new(spec: Spec) -> Generated {
        let most = match spec.pattern {
            Pattern::Halo(grid) => 4 * grid.dimensions() as u32,
            Pattern::Random { messages } => (1 + Draws::MOST) * messages,
            Pattern::Incast { .. } => spec.ranks - 1,
            _ => 2,
        };
        let blocks = match spec.pattern {
            Pattern::Collective(collective) => collective.list(),
            _ => Vec::new(),
        };
        Generated {
            at: vec![Position::default(); spec.ranks as usize],
            stamps: Stamps::new(),
            collective: stamp_of_collective(&spec.pattern),
            draws: Draws::new(spec.ranks),
            requests: (1..=most).map(RequestId::new).collect(),
            blocks,
            spec,
        }
    }
}

impl Workload for Generated {
    fn ranks(&self) -> u32 {
        self.spec.ranks
    }

    fn share_done(&self) -> Option<f64> {
        let at = self.at.first()?;
        Some(f64::from(at.iteration) / f64::from(self.spec.iterations + 2))
    }

    fn next(&mut self, rank: u32, _: &Reply, calls: &mut Calls<'_>) -> Result<Step, TraceError> {
        let mut at = self.at[rank as usize];
        let step = loop {
            let reached = match at.iteration {
                0 => self.say(&self.stamps.init, &Call::Init, calls),
                n if n <= self.spec.iterations => self.iterate(rank, at, calls),
                n if n == self.spec.iterations + 1 => self.say(&self.stamps.finalize, &Call::Finalize, calls),
                _ => break Step::Ended,
            };
            match reached {
                Reached::Step(step) => at.step = step,
                Reached::End | Reached::Past => at = Position { iteration: at.iteration + 1, step: 0 },
            }
            if !matches!(reached, Reached::Past) {
                break Step::Waits;
            }
        };
        self.at[rank as usize] = at;
        Ok(step)
    }
}

impl Generated {
    /// Writes calls of an iteration, up to one that needs an answer.
    fn iterate(&self, rank: u32, at: Position, calls: &mut Calls<'_>) -> Reached {
        match self.spec.pattern {
            Pattern::Sweep { grid, planes, angles } if self.spec.ranks > 1 => {
                return self.sweep(rank, at, &grid, planes * angles, calls);
            }
            Pattern::PingPong => return self.ping_pong(rank, at, calls),
            _ => self.compute(rank, at.iteration, 0, 1, calls),
        }
        match self.spec.pattern {
            Pattern::Halo(grid) => self.halo(rank, &grid, calls),
            Pattern::Ring => self.ring(rank, calls),
            Pattern::Random { messages } => self.random(rank, at.iteration, messages, calls),
            Pattern::Incast { root } => self.incast(rank, root, calls),
            Pattern::Collective(collective) => {
                let call = Call::Collective(collective.call(rank, &self.blocks));
                calls.push(&self.collective, &call);
            }
            Pattern::Sweep { .. } | Pattern::PingPong => self.wait_for(0, calls),
        }
        Reached::End
    }

    fn say(&self, stamp: &Stamp, call: &Call<'_>, calls: &mut Calls<'_>) -> Reached {
        calls.push(stamp, call);
        Reached::End
    }

    /// Computation of one of `parts` equal parts of an iteration.
    fn compute(&self, rank: u32, iteration: u32, part: u32, parts: u32, calls: &mut Calls<'_>) {
        let Spec { compute, noise, seed, imbalance, ranks, .. } = self.spec;
        let (Amount::Nanos(amount) | Amount::Flops(amount)) = compute;
        if amount == 0.0 {
            return;
        }
        let along = f64::from(rank) / f64::from(ranks.max(2) - 1);
        let mut amount = amount * (1.0 + (imbalance - 1.0) * along) / f64::from(parts);
        if noise > 0.0 {
            let when = u64::from(iteration) << 32 | u64::from(part);
            amount *= 1.0 + noise * draw(seed, [rank.into(), when]);
        }
        let work = match compute {
            Amount::Nanos(_) => Work::Nanos(amount.round() as u64),
            Amount::Flops(_) => Work::Flops(amount),
        };
        calls.push(&Stamp::default(), &Call::Compute { work, request: None });
    }

    /// Messages go along every axis, both ways; the tag says which way.
    fn halo(&self, rank: u32, grid: &Grid, calls: &mut Calls<'_>) {
        let ways = || (0..grid.dimensions()).flat_map(|axis| [(axis, false), (axis, true)]);
        let mut requests = 0;
        for (axis, up) in ways() {
            if let Some(from) = grid.neighbour(rank, axis, !up) {
                requests += 1;
                self.irecv(from, tag_of(axis, up), requests, calls);
            }
        }
        for (axis, up) in ways() {
            if let Some(to) = grid.neighbour(rank, axis, up) {
                requests += 1;
                self.isend(to, tag_of(axis, up), requests, calls);
            }
        }
        self.wait_for(requests, calls);
    }

    fn ring(&self, rank: u32, calls: &mut Calls<'_>) {
        let ranks = self.spec.ranks;
        if ranks == 1 {
            return self.wait_for(0, calls);
        }
        self.irecv((rank + ranks - 1) % ranks, 0, 1, calls);
        self.isend((rank + 1) % ranks, 0, 2, calls);
        self.wait_for(2, calls);
    }

    /// A rank that draws itself sends nothing.
    #[inline(never)]
    fn random(&self, rank: u32, iteration: u32, messages: u32, calls: &mut Calls<'_>) {
        let seed = scramble(self.spec.seed).wrapping_add(u64::from(iteration) << 32);
        let key = |message: u32| scramble(seed.wrapping_add(message.into()));
        let mut requests = 0;
        for message in 0..messages {
            for from in self.draws.senders(key(message), rank).filter(|&from| from != rank) {
                requests += 1;
                self.irecv(from, message as i32, requests, calls);
            }
        }
        for message in 0..messages {
            let to = self.draws.receiver(key(message), rank);
            if to != rank {
                requests += 1;
                self.isend(to, message as i32, requests, calls);
            }
        }
        self.wait_for(requests, calls);
    }

    #[inline(never)]
    fn incast(&self, rank: u32, root: u32, calls: &mut Calls<'_>) {
        if rank != root {
            self.isend(root, 0, 1, calls);
            return self.wait_for(1, calls);
        }
        for (from, request) in (0..self.spec.ranks).filter(|&from| from != root).zip(1..) {
            self.irecv(from, 0, request, calls);
        }
        self.wait_for(self.spec.ranks - 1, calls);
    }

    /// The first half of the ranks begins, the second answers. With an odd number of ranks, the last has no partner.
    fn ping_pong(&self, rank: u32, at: Position, calls: &mut Calls<'_>) -> Reached {
        let half = self.spec.ranks / 2;
        if at.step == 0 {
            self.compute(rank, at.iteration, 0, 1, calls);
        }
        if rank >= 2 * half {
            self.wait_for(0, calls);
            return Reached::End;
        }
        let begins = rank < half;
        let peer = if begins { rank + half } else { rank - half };
        if begins == (at.step == 0) {
            self.send(peer, 0, calls)
        } else {
            self.recv(peer, 0, calls)
        }
        if at.step == 0 { Reached::Step(1) } else { Reached::End }
    }

    /// For each corner, and for each block on the way: what comes from upstream, the computation, what goes downstream. Not inlined, like
    /// other loops: the values that they need would be computed for each call of the shorter patterns.
    #[inline(never)]
    fn sweep(&self, rank: u32, at: Position, grid: &Grid, blocks: u32, calls: &mut Calls<'_>) -> Reached {
        let end = OCTANTS * blocks * PARTS;
        let mut step = at.step;
        while step < end {
            let (block, part) = (step / PARTS, step % PARTS);
            let octant = block / blocks;
            let (x, y) = (octant & 2 == 0, octant & 4 == 0);
            let tag = octant as i32;
            step += 1;
            let peer = match part {
                0 => grid.neighbour(rank, 0, !x),
                1 => grid.neighbour(rank, 1, !y),
                2 => {
                    self.compute(rank, at.iteration, block, OCTANTS * blocks, calls);
                    None
                }
                3 => grid.neighbour(rank, 0, x),
                _ => grid.neighbour(rank, 1, y),
            };
            if let Some(peer) = peer {
                if part < 2 {
                    self.recv(peer, tag, calls)
                } else {
                    self.send(peer, tag, calls)
                }
                return Reached::Step(step);
            }
        }
        Reached::Past
    }

    fn irecv(&self, from: u32, tag: i32, request: u32, calls: &mut Calls<'_>) {
        calls.push(&self.stamps.irecv, &receive(from, tag, self.spec.bytes, Some(RequestId::new(request))));
    }

    fn isend(&self, to: u32, tag: i32, request: u32, calls: &mut Calls<'_>) {
        calls.push(&self.stamps.isend, &send(to, tag, self.spec.bytes, Some(RequestId::new(request))));
    }

    fn recv(&self, from: u32, tag: i32, calls: &mut Calls<'_>) {
        calls.push(&self.stamps.recv, &receive(from, tag, self.spec.bytes, None));
    }

    fn send(&self, to: u32, tag: i32, calls: &mut Calls<'_>) {
        calls.push(&self.stamps.send, &send(to, tag, self.spec.bytes, None));
    }

    fn wait_for(&self, requests: u32, calls: &mut Calls<'_>) {
        let requests = &self.requests[..requests as usize];
        calls.push(&self.stamps.waitall, &Call::Wait { how: Completing::All, poll: false, requests });
    }
}

fn tag_of(axis: usize, up: bool) -> i32 {
    2 * axis as i32 + i32::from(up)
}

fn stamp_of_collective(pattern: &Pattern) -> Stamp {
    match pattern {
        Pattern::Collective(collective) => stamp_of(&collective.function()),
        _ => Stamp::default(),
    }
}
