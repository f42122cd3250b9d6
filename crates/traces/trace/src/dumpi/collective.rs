//! Recorded collectives.
//!
//! A trace does not say which buffers are `MPI_IN_PLACE`, so where both sides have one size, the size of the receive buffer counts.

use mpirage_call::{Blocks, Call, Collective, CollectiveCall, Operator, Part, Payload, Peers, Reduction};
use mpirage_data::{Basic, Op};

use super::comm::Comm;
use super::player::{Answer, Common, Outcome, Player, number};
use super::stream::Arguments;
use crate::Calls;

/// DUMPI's numbers of operators begin here, and are in the order of ours.
const FIRST_OP: i64 = 1;

impl Player {
    pub(super) fn collective(
        &mut self,
        kind: Collective,
        arguments: &Arguments,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        use Collective as C;
        let n = |at| number(arguments, at);
        let last = n(arguments.numbers.len().saturating_sub(1))?;
        match kind {
            C::Barrier => self.enter(kind, last, 0, [Part::EMPTY; 2], None, common, calls),
            C::Bcast => {
                let (data, root) = (whole(self.bytes(n(0)?, n(1)?)?), n(2)?);
                let comm = self.comm(n(3)?, common)?;
                let parts = if self.is_root(&comm, root) { [data, Part::EMPTY] } else { [Part::EMPTY, data] };
                self.enter(kind, n(3)?, root, parts, None, common, calls)
            }
            C::Gather => {
                let (root, comm) = (n(3)?, n(4)?);
                let parts = if n(0)? == root {
                    let block = self.bytes(n(5)?, n(6)?)?;
                    [whole(block), equal(block)]
                } else {
                    [whole(self.bytes(n(1)?, n(2)?)?), Part::EMPTY]
                };
                self.enter(kind, comm, root, parts, None, common, calls)
            }
            C::Scatter => {
                let (root, comm) = (n(3)?, n(4)?);
                let parts = if n(0)? == root {
                    let block = self.bytes(n(5)?, n(6)?)?;
                    [equal(block), whole(block)]
                } else {
                    [Part::EMPTY, whole(self.bytes(n(1)?, n(2)?)?)]
                };
                self.enter(kind, comm, root, parts, None, common, calls)
            }
            C::Allgather | C::Alltoall => {
                let block = self.bytes(n(2)?, n(3)?)?;
                let gives = if kind == C::Allgather { whole(block) } else { equal(block) };
                self.enter(kind, last, 0, [gives, equal(block)], None, common, calls)
            }
            C::Gatherv | C::Scatterv | C::Allgatherv | C::Alltoallv | C::Alltoallw => {
                self.varying(kind, arguments, common, calls)
            }
            C::Reduce => self.reduce(kind, n(3)?, arguments, common, calls),
            C::Allreduce | C::Scan | C::Exscan => self.reduce(kind, 0, arguments, common, calls),
            C::ReduceScatter => self.reduce_scatter(arguments, common, calls),
            // DUMPI knows none of the others.
            _ => Err("there is no such record".to_owned()),
        }
    }

    /// Collectives with a length for each rank.
    fn varying(
        &mut self,
        kind: Collective,
        arguments: &Arguments,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        use Collective as C;
        let n = |at| number(arguments, at);
        let mut blocks = std::mem::take(&mut common.blocks);
        let [gives, gets] = &mut blocks;
        gives.clear();
        gets.clear();
        let (comm, root, sides) = match kind {
            C::Gatherv => {
                let (root, comm) = (n(4)?, n(5)?);
                self.blocks(arguments.list(0), |_| n(6), gets)?;
                let whole = self.bytes(n(2)?, n(3)?)?;
                (comm, root, (Some(whole), n(0)? != root))
            }
            C::Scatterv => {
                let (root, comm) = (n(5)?, n(6)?);
                self.blocks(arguments.list(0), |_| n(2), gives)?;
                let whole = self.bytes(n(3)?, n(4)?)?;
                (comm, root, (Some(whole), n(0)? != root))
            }
            C::Allgatherv => {
                self.blocks(arguments.list(0), |_| n(3), gets)?;
                (n(4)?, 0, (Some(self.bytes(n(1)?, n(2)?)?), false))
            }
            C::Alltoallv => {
                self.blocks(arguments.list(0), |_| n(1), gives)?;
                self.blocks(arguments.list(2), |_| n(2), gets)?;
                (n(3)?, 0, (None, false))
            }
            _ => {
                let datatype = |list: usize, at: usize| {
                    arguments
                        .list(list)
                        .get(at)
                        .map(|&datatype| datatype.into())
                        .ok_or_else(|| "a datatype is missing".to_owned())
                };
                self.blocks(arguments.list(0), |at| datatype(2, at), gives)?;
                self.blocks(arguments.list(3), |at| datatype(5, at), gets)?;
                (n(1)?, 0, (None, false))
            }
        };
        // In place: the rank contributes as many bytes as it receives.
        if sides.0.is_none() && gives.is_empty() {
            gives.extend_from_slice(gets);
        }
        let listed = [each(gives), each(gets)];
        let parts = match (kind, sides) {
            (C::Gatherv, (Some(bytes), true)) => [whole(bytes), Part::EMPTY],
            (C::Scatterv, (Some(bytes), true)) => [Part::EMPTY, whole(bytes)],
            (C::Scatterv, (Some(bytes), false)) => [listed[0], whole(bytes)],
            (_, (Some(bytes), _)) => [whole(bytes), listed[1]],
            _ => listed,
        };
        let outcome = self.enter(kind, comm, root, parts, None, common, calls);
        common.blocks = blocks;
        outcome
    }

    /// Offsets and lengths of blocks of so many elements. Their offsets change no time, so blocks lie side by side.
    fn blocks(
        &self,
        counts: &[i32],
        datatype: impl Fn(usize) -> Result<i64, String>,
        out: &mut Vec<u64>,
    ) -> Result<(), String> {
        for (at, &count) in counts.iter().enumerate() {
            out.extend([0, self.bytes(count.into(), datatype(at)?)?]);
        }
        Ok(())
    }

    /// Arguments: count, datatype, operator, perhaps a root, communicator.
    fn reduce(
        &mut self,
        kind: Collective,
        root: i64,
        arguments: &Arguments,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        let n = |at| number(arguments, at);
        let comm = n(arguments.numbers.len().saturating_sub(1))?;
        let data = whole(self.bytes(n(0)?, n(1)?)?);
        let reduction = self.reduction(n(0)?, n(1)?, n(2)?)?;
        let place = self.comm(comm, common)?;
        let gets = if kind != Collective::Reduce || self.is_root(&place, root) { data } else { Part::EMPTY };
        self.enter(kind, comm, root, [data, gets], Some(reduction), common, calls)
    }

    fn reduce_scatter(
        &mut self,
        arguments: &Arguments,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        let n = |at| number(arguments, at);
        let total = arguments.list(0).iter().map(|&count| i64::from(count)).sum();
        let gives = whole(self.bytes(total, n(1)?)?);
        let reduction = self.reduction(total, n(1)?, n(2)?)?;
        let mut blocks = std::mem::take(&mut common.blocks);
        blocks[1].clear();
        self.blocks(arguments.list(0), |_| n(1), &mut blocks[1])?;
        let parts = [gives, each(&blocks[1])];
        let outcome = self.enter(Collective::ReduceScatter, n(3)?, 0, parts, Some(reduction), common, calls);
        common.blocks = blocks;
        outcome
    }

    /// A replay computes no values: only the kind of an operator matters, and whether its operands commute.
    fn reduction(&self, count: i64, datatype: i64, op: i64) -> Result<Reduction, String> {
        let predefined = usize::try_from(op - FIRST_OP).ok().and_then(|index| Op::ALL.get(index));
        let commutative = self.operators.get(&op).copied().unwrap_or(true);
        let op = predefined.copied().unwrap_or(Op::Sum).code();
        let operator = Operator::Predefined { op, basic: Basic::Byte.code() };
        let element = if count == 0 { 1 } else { self.size(datatype)? };
        let element = u32::try_from(element).map_err(|_| format!("elements of {element} bytes"))?;
        Ok(Reduction { operator, commutative, element, elements: count.max(0) as u64 })
    }

    fn is_root(&self, comm: &Comm, root: i64) -> bool {
        comm.group.rank_of(self.rank).is_some_and(|rank| i64::from(rank) == root)
    }

    #[allow(clippy::too_many_arguments)]
    fn enter(
        &mut self,
        kind: Collective,
        comm: i64,
        root: i64,
        [send, recv]: [Part<'_>; 2],
        reduction: Option<Reduction>,
        common: &Common,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        let comm = self.comm(comm, common)?;
        let size = comm.group.size();
        if root < 0 || root >= size.into() {
            return Err(format!("there is no root {root} in a communicator of {size}"));
        }
        for part in [&send, &recv] {
            if matches!(part.blocks, Blocks::Each(list) if list.len() != 2 * size as usize) {
                return Err(format!(
                    "there is not one length for each of the {size} ranks of the communicator"
                ));
            }
        }
        let (context, root) = (comm.context, root as u32);
        let call = CollectiveCall {
            kind,
            context,
            root,
            peers: Peers::All,
            send,
            recv,
            reduction,
            request: None,
            plan: 0,
            input: Default::default(),
            on_mismatch: Default::default(),
        };
        self.say(&Call::Collective(call), Answer::Needed, calls)
    }
}

fn whole(bytes: u64) -> Part<'static> {
    Part { payload: Payload::Absent, blocks: Blocks::Whole(bytes) }
}

fn equal(bytes: u64) -> Part<'static> {
    Part { payload: Payload::Absent, blocks: Blocks::Equal(bytes) }
}

fn each(list: &[u64]) -> Part<'_> {
    Part { payload: Payload::Absent, blocks: Blocks::Each(list) }
}
