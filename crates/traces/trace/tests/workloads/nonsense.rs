//! Calls that make no sense end a replay with a message: a trace may say anything.

use mpirage_call::{
    BESIDE_ROOT, Blocks, Call, Collective, CollectiveCall, CommRequest, Completing, ContextId, Part, Payload,
    Peers, Reply, RequestId, Stamp, WORLD, Work,
};
use mpirage_mpi::Ending;
use mpirage_trace::{Calls, Step, TraceError, Workload};

use crate::common::replay;

/// Two ranks, of which the first makes calls.
struct One(Vec<Call<'static>>);

impl Workload for One {
    fn ranks(&self) -> u32 {
        2
    }

    fn next(&mut self, rank: u32, _: &Reply, calls: &mut Calls<'_>) -> Result<Step, TraceError> {
        while rank == 0 && !self.0.is_empty() {
            let call = self.0.remove(0);
            calls.push(&Stamp::default(), &call);
            if call.needs_answer() {
                return Ok(Step::Waits);
            }
        }
        Ok(Step::Ended)
    }
}

/// The message with which the run ends, which must be a mistake of rank 0.
fn mistake(calls: &[Call<'static>]) -> String {
    match replay(&mut One(calls.to_vec())).unwrap().ending {
        Ending::Misuse { rank: 0, text } => text,
        other => panic!("{calls:?}: {other:?}"),
    }
}

fn recv(context: ContextId, from: Option<u32>, request: Option<u32>) -> Call<'static> {
    let request = request.map(RequestId::new);
    Call::Recv { context, from, tag: None, bytes: 8, address: 0, request, matched: None }
}

fn send(to: u32, bytes: u64) -> Call<'static> {
    let (mode, payload) = (mpirage_call::SendMode::Standard, Payload::Absent);
    Call::Send { mode, context: WORLD, to, tag: 0, bytes, payload, request: None, answer: true }
}

fn wait(requests: &'static [u32]) -> Call<'static> {
    Call::Wait { how: Completing::All, poll: false, requests: RequestId::slice(requests) }
}

fn collective(kind: Collective, root: u32, blocks: Blocks<'static>) -> Call<'static> {
    let part = Part { payload: Payload::Absent, blocks };
    let (send, recv) = (part, part);
    let call = CollectiveCall {
        kind,
        context: WORLD,
        root,
        peers: Peers::All,
        send,
        recv,
        reduction: None,
        request: None,
        plan: 0,
        input: Default::default(),
        on_mismatch: Default::default(),
    };
    Call::Collective(call)
}

#[test]
fn requests_that_are_not_open() {
    assert_eq!(mistake(&[wait(&[5])]), "there is no request 5 that it could wait for or cancel");
    assert_eq!(mistake(&[wait(&[0])]), "there is no request 0 that it could wait for or cancel");
    assert!(mistake(&[Call::Cancel { request: RequestId::new(1) }]).contains("no request 1"));
    assert!(mistake(&[Call::Free { request: RequestId::new(1 << 30) }]).contains("no request"));
    let again = [recv(WORLD, Some(1), Some(1)), recv(WORLD, Some(1), Some(1))];
    assert!(mistake(&again).contains("it begins request 1, which it may not use"));
    assert!(mistake(&[recv(WORLD, Some(1), Some(1 << 30))]).contains("which it may not use"));
}

#[test]
fn ranks_and_communicators_that_do_not_exist() {
    assert!(mistake(&[recv(WORLD, Some(2), None)]).contains("rank 2 does not exist in communicator 0"));
    assert!(mistake(&[recv(ContextId::new(7), None, None)]).contains("it is in no communicator 7"));
    assert!(mistake(&[send(9, 8)]).contains("rank 9 does not exist"));
    assert!(mistake(&[Call::FreeComm { context: ContextId::new(3) }]).contains("in no communicator 3"));
    assert!(mistake(&[Call::FreeComm { context: WORLD }]).contains("predefined"));
    let make = |how| mistake(&[Call::MakeComm { parent: WORLD, how }]);
    assert!(make(CommRequest::Create(&[0, 0])).contains("twice of one"));
    assert!(make(CommRequest::Create(&[0, 5])).contains("do not exist"));
    assert!(make(CommRequest::CreateGroup { members: &[1], tag: 0 }).contains("in which it is not"));
}

#[test]
fn collectives_without_what_they_need() {
    let barrier = collective(Collective::Barrier, 2, Blocks::Whole(0));
    assert!(mistake(&[barrier]).contains("rank 2 does not exist"));
    let varying = collective(Collective::Allgatherv, 0, Blocks::Whole(8));
    assert!(mistake(&[varying]).contains("one length per rank"));
    let short = collective(Collective::Alltoallv, 0, Blocks::Each(&[0, 8]));
    assert!(mistake(&[short]).contains("not one per rank"));
    let large = collective(Collective::Alltoall, 0, Blocks::Equal(u64::MAX / 2));
    assert!(mistake(&[large]).contains("more bytes than there can be"));
}

/// The same call with other peers, or another root.
fn among(kind: Collective, peers: Peers<'static>, root: u32) -> Call<'static> {
    let Call::Collective(call) = collective(kind, root, Blocks::Whole(8)) else { unreachable!() };
    Call::Collective(CollectiveCall { peers, ..call })
}

#[test]
fn peers_that_cannot_be() {
    let neighbors = Peers::Neighbors { sources: &[1], destinations: &[2] };
    let sides = |first| Peers::OtherSide { first };
    for call in [
        among(Collective::NeighborAllgather, neighbors, 0),
        among(Collective::NeighborAllgather, Peers::All, 0),
        among(Collective::Allreduce, neighbors, 0),
        among(Collective::InterBarrier, sides(0), 0),
        among(Collective::InterBarrier, sides(2), 0),
        among(Collective::InterBarrier, Peers::All, 0),
        among(Collective::Bcast, Peers::All, BESIDE_ROOT),
    ] {
        assert!(mistake(&[call]).contains("its peers are not those of"), "{call:?}");
    }
}

#[test]
fn amounts_that_cannot_be() {
    assert!(mistake(&[send(1, u64::MAX)]).contains("larger than can be"));
    for flops in [f64::NAN, f64::INFINITY, -1.0] {
        let compute = Call::Compute { work: Work::Flops(flops), request: None };
        assert!(mistake(&[compute]).contains("flops"), "{flops}");
    }
}
