//! Ranks that make arbitrary calls, decoded from bytes.

use mpirage_call::{Blocks, Burst, Call, Collective, CollectiveCall, CommRequest, Completing, ContextId, Operator, Part, Payload, Reduction, Reply, RequestId, SendMode, Stamp, Work};
use mpirage_trace::{Calls, Step, TraceError, Workload};
use mpirage_units::Duration;

const RANKS: u32 = 4;

/// Calls decoded from bytes, of which each rank has a share.
pub struct Script {
    shares: Vec<Vec<u8>>,
    lists: [Vec<u64>; 2],
    numbers: Vec<u32>,
    /// The message that the last matched probe of each rank returned.
    taken: [Option<u32>; RANKS as usize],
}

impl Script {
    /// Distributes the bytes to the ranks.
    pub fn new(bytes: &[u8]) -> Script {
        let share = bytes.len().div_ceil(RANKS as usize).max(1);
        let mut shares: Vec<Vec<u8>> =
            bytes.chunks(share).map(|share| share.iter().rev().copied().collect()).collect();
        shares.resize(RANKS as usize, Vec::new());
        Script { shares, lists: Default::default(), numbers: Vec::new(), taken: [None; RANKS as usize] }
    }

    fn byte(&mut self, rank: u32) -> u8 {
        self.shares[rank as usize].pop().unwrap_or(0)
    }

    /// Mostly a small number, sometimes a very large one.
    fn number(&mut self, rank: u32) -> u64 {
        match self.byte(rank) {
            byte @ 0..=199 => u64::from(byte % 8),
            byte @ 200..=239 => 1 << (byte - 200),
            byte => u64::MAX >> (byte % 16),
        }
    }

    fn small(&mut self, rank: u32) -> u32 {
        self.number(rank) as u32
    }

    fn some(&mut self, rank: u32) -> Option<u32> {
        let number = self.small(rank);
        (number != 7 && number != u32::MAX).then_some(number)
    }

    fn context(&mut self, rank: u32) -> ContextId {
        ContextId::new(self.small(rank))
    }

    fn request(&mut self, rank: u32) -> Option<RequestId> {
        self.some(rank).map(RequestId::new)
    }

    fn numbers(&mut self, rank: u32) {
        let count = self.byte(rank) % 6;
        self.numbers.clear();
        for _ in 0..count {
            let number = self.small(rank);
            self.numbers.push(number);
        }
    }

    fn blocks(&mut self, rank: u32, side: usize) -> u8 {
        let kind = self.byte(rank) % 4;
        let count = if kind == 3 { self.byte(rank) % 12 } else { 2 * RANKS as u8 };
        let mut list = std::mem::take(&mut self.lists[side]);
        list.clear();
        for _ in 0..count {
            list.push(self.number(rank));
        }
        self.lists[side] = list;
        kind
    }

    fn part(&self, kind: u8, side: usize) -> Part<'_> {
        let list = &self.lists[side];
        let first = list.first().copied().unwrap_or(0);
        let blocks = match kind {
            0 => Blocks::Whole(first),
            1 => Blocks::Equal(first),
            _ => Blocks::Each(list),
        };
        Part { payload: Payload::Absent, blocks }
    }

    fn reduction(&mut self, rank: u32) -> Option<Reduction> {
        if self.byte(rank) % 4 == 0 {
            return None;
        }
        let operator = match self.byte(rank) % 4 {
            0 => Operator::User { op: self.number(rank), datatype: self.number(rank) },
            _ => Operator::Predefined { op: self.byte(rank), basic: self.byte(rank) },
        };
        let (element, elements) = (self.small(rank), self.number(rank));
        Some(Reduction { operator, commutative: self.byte(rank) % 2 == 0, element, elements })
    }

    /// Writes the next call; true if it needs a reply.
    fn call(&mut self, rank: u32, calls: &mut Calls<'_>) -> bool {
        let stamp = Stamp {
            burst: Burst::serial(self.number(rank)),
            function: u16::from(self.byte(rank)),
            ..Stamp::default()
        };
        let kind = self.byte(rank) % 20;
        let call = match kind {
            0..=2 => {
                let mode = [SendMode::Standard, SendMode::Synchronous, SendMode::Ready, SendMode::Buffered]
                    [usize::from(self.byte(rank) % 4)];
                let (context, to, tag) = (self.context(rank), self.small(rank), self.small(rank) as i32);
                let (bytes, request) = (self.number(rank), self.request(rank));
                Call::Send { mode, context, to, tag, bytes, payload: Payload::Absent, request, answer: true }
            }
            3..=5 => {
                let (context, from, tag) =
                    (self.context(rank), self.some(rank), self.some(rank).map(|tag| tag as i32));
                let (bytes, request) = (self.number(rank), self.request(rank));
                let matched = self.taken[rank as usize].take();
                Call::Recv { context, from, tag, bytes, address: 0, request, matched }
            }
            6 | 7 => {
                let how =
                    [Completing::All, Completing::Any, Completing::Some][usize::from(self.byte(rank) % 3)];
                let poll = self.byte(rank) % 4 == 0;
                self.numbers(rank);
                Call::Wait { how, poll, requests: RequestId::slice(&self.numbers) }
            }
            8 => {
                let (context, from, tag) =
                    (self.context(rank), self.some(rank), self.some(rank).map(|tag| tag as i32));
                let (poll, take) = (self.byte(rank) % 2 == 0, self.byte(rank) % 2 == 0);
                Call::Probe { context, from, tag, poll, take }
            }
            9 => Call::Cancel { request: RequestId::new(self.small(rank)) },
            10 => Call::Free { request: RequestId::new(self.small(rank)) },
            11..=13 => {
                let kind = Collective::ALL[usize::from(self.byte(rank)) % Collective::ALL.len()];
                let (context, root, request) = (self.context(rank), self.small(rank), self.request(rank));
                let (plan, reduction) = (self.small(rank), self.reduction(rank));
                let (send, recv) = (self.blocks(rank, 0), self.blocks(rank, 1));
                let (send, recv) = (self.part(send, 0), self.part(recv, 1));
                Call::Collective(CollectiveCall { kind, context, root, send, recv, reduction, request, plan, on_mismatch: Default::default() })
            }
            14 | 15 => {
                let (parent, how) = (self.context(rank), self.byte(rank) % 6);
                let (a, b) = (self.some(rank), self.small(rank));
                self.numbers(rank);
                let how = match how {
                    0 => CommRequest::Dup,
                    1 => CommRequest::DupLater { request: RequestId::new(b) },
                    2 => CommRequest::Split { color: a.map(|color| color as i32), key: b as i32 },
                    3 => CommRequest::Create(&self.numbers),
                    4 => CommRequest::CreateGroup { members: &self.numbers, tag: b as i32 },
                    _ => CommRequest::SplitByHost { key: b as i32 },
                };
                Call::MakeComm { parent, how }
            }
            16 => Call::FreeComm { context: self.context(rank) },
            17 => {
                let work = match self.byte(rank) % 3 {
                    0 => Work::Flops(f64::from_bits(self.number(rank))),
                    1 => Work::Flops(self.number(rank) as f64),
                    _ => Work::Nanos(self.number(rank)),
                };
                Call::Compute { work, request: self.request(rank) }
            }
            18 => Call::TakeCompleted,
            _ => match self.byte(rank) % 5 {
                0 => Call::Init,
                1 => Call::Finalize,
                2 => Call::Sleep { span: Duration::from_picos(self.number(rank)) },
                3 => Call::Now,
                _ => Call::Flush,
            },
        };
        calls.push(&stamp, &call);
        call.needs_answer()
    }
}

impl Workload for Script {
    fn ranks(&self) -> u32 {
        RANKS
    }

    fn communicators(&self) -> Vec<Vec<u32>> {
        vec![vec![0, 2], vec![3, 1, 2]]
    }

    fn next(&mut self, rank: u32, reply: &Reply, calls: &mut Calls<'_>) -> Result<Step, TraceError> {
        self.taken[rank as usize] = reply.message.or(self.taken[rank as usize]);
        while !self.shares[rank as usize].is_empty() {
            if self.call(rank, calls) {
                return Ok(Step::Waits);
            }
        }
        Ok(Step::Ended)
    }
}
