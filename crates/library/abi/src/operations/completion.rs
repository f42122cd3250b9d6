//! Waiting for requests and testing them, one call to the simulator at a time.

use core::time::Duration as RealTime;

use mpirage_call::{Call, Completing, Completion, Reply, RequestId};
use mpirage_units::Duration;
use smallvec::SmallVec;

use crate::checked::inspect;
use crate::constants::{MPI_ERR_REQUEST, MPI_REQUEST_NULL};
use crate::ground::error::{MpiError, Result};
use crate::ground::status;
use crate::objects::Objects;
use crate::objects::general::Functions;
use crate::objects::partitioned::OUTLINE;
use crate::objects::request::{Arrivals, Request};
use crate::rank::{self, try_with, with};
use crate::timing::program_events::ProgramEvents;
use crate::types::MPI_Request;

/// A list that needs no memory of its own for as many items as programs usually wait for.
pub(crate) type Few<T> = SmallVec<[T; 8]>;

/// A thread that waits for messages and for other threads looks for both so often: nanoseconds of simulated time, and real time.
const LOOK_EVERY: (u64, RealTime) = (1_000, RealTime::from_micros(50));

/// A request that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Its place among the requests asked about.
    pub position: usize,
    pub completion: Completion,
    /// Did it end well?
    pub result: Result<()>,
    /// Is the handle gone?
    pub gone: bool,
}

/// The unfinished transfers of some requests.
#[derive(Default)]
struct Open {
    ids: Few<RequestId>,
    /// For each of them the request and which of its transfers it is.
    owners: Few<(MPI_Request, usize)>,
}

/// Waits for a request of this library, whose handle the program does not know.
pub(crate) fn wait_for(request: MPI_Request) -> Result<Completion> {
    let ended = all(&[request], false)?.expect("a wait ends with everything complete");
    ended.into_iter().next().map_or(Ok(Completion::empty(0)), |ended| ended.result.map(|()| ended.completion))
}

/// Waits for requests of which each is one plain message, which is what most programs wait for: no memory, one look at each
/// request before and one after. Calls `tell` for each end. Returns none, with nothing done, if there are other requests among them.
pub(crate) fn all_plain(
    requests: &[MPI_Request],
    mut tell: impl FnMut(usize, &Completion, Result<()>),
) -> Option<()> {
    // In a loop of its own, since collecting takes twice the room on the stack.
    let mut ids: Few<RequestId> = Few::new();
    with(|objects| {
        if objects.requests.may_have_unposted() {
            return None;
        }
        for &request in requests {
            ids.push(objects.requests.plain_id(request)?);
        }
        Some(())
    })?;
    if ids.is_empty() {
        return None;
    }
    rank::this().connection().ask_then(
        &Call::Wait { how: Completing::All, poll: false, requests: &ids },
        |reply| {
            with(|objects| {
                for completion in &reply.completions {
                    let position = completion.index as usize;
                    let room = objects.requests.end_plain(requests[position]);
                    tell(position, completion, status::check_room(completion, room));
                }
            });
        },
    );
    Some(())
}

/// The end of all requests that are active; of a `poll`, none unless all have ended.
pub(crate) fn all(requests: &[MPI_Request], poll: bool) -> Result<Option<Few<Ended>>> {
    loop {
        let seen = rank::this().program_events.count();
        follow_outlines(requests, poll)?;
        let open = with(|objects| Open::of(objects, requests))?;
        if !open.ids.is_empty() {
            if !poll && follow_others(&open)? {
                continue;
            }
            let completed = open.settle(Completing::All, poll)?;
            if completed < open.ids.len() {
                return Ok(None);
            }
        }
        let Tally { active, ready, stalled } = with(|objects| count(objects, requests))?;
        if active == ready {
            return collect(requests).map(Some);
        }
        if poll {
            if stalled.is_some() && open.ids.is_empty() {
                let_others_go_on(seen);
            }
            return Ok(None);
        }
        if let Some(what) = stalled {
            wait_for_program(seen, &what)?;
        }
    }
}

/// The end of those requests that have ended, at least one unless it is a `poll`. Without active requests, none at all.
pub(crate) fn some(requests: &[MPI_Request], how: Completing, poll: bool) -> Result<Few<Ended>> {
    let limit = if how == Completing::Any { 1 } else { usize::MAX };
    loop {
        let seen = rank::this().program_events.count();
        follow_outlines(requests, true)?;
        let Tally { active, ready, stalled } = with(|objects| count(objects, requests))?;
        let both = stalled.is_some() && ProgramEvents::may_come();
        let open = with(|objects| Open::of(objects, requests))?;
        // Those that have ended already are enough for one, but not for as many as there are.
        if active > ready && !open.ids.is_empty() && (ready == 0 || how == Completing::Some) {
            let poll = poll || ready > 0 || both;
            if !poll && follow_others(&open)? {
                continue;
            }
            open.settle(how, poll)?;
        }
        let ended = collect_some(requests, limit)?;
        if poll && stalled.is_some() && open.ids.is_empty() && ended.is_empty() {
            let_others_go_on(seen);
        }
        if poll || active == 0 || !ended.is_empty() {
            return Ok(ended);
        }
        match stalled {
            Some(_) if both && !open.ids.is_empty() => pass_time(seen, LOOK_EVERY.0),
            Some(what) if open.ids.is_empty() => wait_for_program(seen, &what)?,
            _ => {}
        }
    }
}

/// Notes the ends of the transfers of requests, which stay; waits for all of them unless it is a `poll`.
pub(crate) fn note_ends(requests: &[MPI_Request], poll: bool) -> Result<()> {
    let open = with(|objects| Open::of(objects, requests))?;
    if !open.ids.is_empty() {
        open.settle(if poll { Completing::Some } else { Completing::All }, poll)?;
    }
    Ok(())
}

/// Looks whether a request has ended without releasing it; its completion if so.
pub(crate) fn peek(request: MPI_Request) -> Result<Option<Completion>> {
    follow_outlines(&[request], true)?;
    let open = with(|objects| Open::of(objects, &[request]))?;
    if !open.ids.is_empty() {
        open.settle(Completing::All, true)?;
    }
    let (completion, functions, landed) = try_with(|objects| {
        let request = objects.requests.get_mut(request)?;
        let completion = request.is_complete().then(|| request.completion());
        let landed = if completion.is_some() { request.take_landed() } else { Vec::new() };
        Ok((completion, completion.and_then(|_| functions_of(request)), landed))
    })?;
    // The program may look at what it received, although the request stays.
    for (buffers, done) in landed {
        inspect::ended(&buffers, &done);
        buffers.land(&done);
    }
    match functions {
        None => Ok(completion),
        Some(functions) => {
            let (completion, queried) = functions.query();
            queried.map(|()| Some(completion))
        }
    }
}

/// Looks whether a partition has arrived.
pub(crate) fn has_arrived(request: MPI_Request, partition: i32) -> Result<bool> {
    // Several threads may ask about one message. A number that one of them has read would be another transfer's once the answer to
    // another thread has ended the first.
    let _alone = rank::this().partitions.lock();
    follow_outlines(&[request], true)?;
    let open = try_with(|objects| objects.requests.partitioned_mut(request)?.open_of(partition))?;
    if !open.is_empty() {
        let (owners, ids) = open.into_iter().map(|(which, id)| ((request, which), id)).unzip();
        Open { ids, owners }.settle(Completing::All, true)?;
    }
    try_with(|objects| objects.requests.partitioned_mut(request)?.arrived(partition))
}

fn functions_of(request: &Request) -> Option<Functions> {
    match request {
        Request::General(general) => Some(general.functions()),
        _ => None,
    }
}

/// Posts the receives of partitioned messages whose outline has come. Before a wait, waits for all outlines: messages of others
/// may depend on these receives.
fn follow_outlines(requests: &[MPI_Request], poll: bool) -> Result<()> {
    loop {
        let outlines = with(|objects| Open::outlines(objects, requests))?;
        if !outlines.ids.is_empty() {
            outlines.settle(Completing::Some, poll)?;
        }
        for request in with(|objects| waiting_receives(objects, requests))? {
            post_partitions(request)?;
        }
        if poll || outlines.ids.is_empty() {
            return Ok(());
        }
    }
}

/// Waits for transfers and for the outlines of all partitioned receives that were started, whichever comes first, and posts receives whose outlines have come:
/// the transfers may depend on them, by way of other ranks. False, at once, if there are no such receives.
fn follow_others(open: &Open) -> Result<bool> {
    let others = with(|objects| objects.requests.unposted_receives());
    let mut both = with(|objects| Open::outlines(objects, &others))?;
    if both.ids.is_empty() {
        return Ok(false);
    }
    both.ids.extend(open.ids.iter().copied());
    both.owners.extend(open.owners.iter().copied());
    both.settle(Completing::Some, false)?;
    for request in with(|objects| waiting_receives(objects, &others))? {
        post_partitions(request)?;
    }
    Ok(true)
}

/// Partitioned receives that have been started and wait for nothing but being posted.
fn waiting_receives(objects: &Objects, requests: &[MPI_Request]) -> Result<Few<MPI_Request>> {
    let mut waiting = Few::new();
    for &handle in requests.iter().filter(|&&request| request != MPI_REQUEST_NULL) {
        if matches!(objects.requests.get(handle)?, Request::Partitioned(message) if message.can_post()) {
            waiting.push(handle);
        }
    }
    Ok(waiting)
}

/// Posts the receives of a partitioned message, if its outline is there.
pub(crate) fn post_partitions(request: MPI_Request) -> Result<()> {
    let receives = try_with(|objects| Ok(objects.requests.partitioned_mut(request)?.take_receives()))?;
    let mut transfers = Vec::with_capacity(receives.len());
    for receive in receives {
        let id = with(|objects| objects.requests.take_id());
        rank::post(&receive.call(id));
        transfers.push(receive.transfer(id));
    }
    if !transfers.is_empty() {
        try_with(|objects| {
            objects.requests.partitioned_mut(request)?.note_receives(transfers);
            Ok(())
        })?;
    }
    Ok(())
}

/// Waits until another thread of the rank does what this one waits for.
fn wait_for_program(seen: u32, what: &str) -> Result<()> {
    if rank::this().program_events.wait(seen) {
        return Ok(());
    }
    Err(MpiError::of(
        MPI_ERR_REQUEST,
        format_args!("this waits for {what}, and the rank has no other thread that could change that"),
    ))
}

/// A test finds nothing that only another thread of the rank can complete. That thread may sleep in simulated time, which a test of messages
/// would let pass.
fn let_others_go_on(seen: u32) {
    if ProgramEvents::may_come() {
        let span = rank::this().program_events.until_next_test(LOOK_EVERY.0);
        pass_time(seen, span);
    }
}

/// Some simulated time passes: messages may arrive, and another thread of the rank may complete something. The simulator lets a rank go on when all its
/// threads sleep; but if they share a line, it knows only this one, so real time passes too.
fn pass_time(seen: u32, nanos: u64) {
    if !rank::this().connection().has_threads() {
        rank::this().program_events.wait_briefly(seen, LOOK_EVERY.1);
    }
    rank::ask(&Call::Sleep { span: Duration::from_nanos(nanos) });
}

impl Open {
    fn of(objects: &Objects, requests: &[MPI_Request]) -> Result<Open> {
        let mut open = Open::default();
        for &handle in requests.iter().filter(|&&request| request != MPI_REQUEST_NULL) {
            let request = objects.requests.get(handle)?;
            for (which, id) in request.open_transfers() {
                open.ids.push(id);
                open.owners.push((handle, which));
            }
        }
        Ok(open)
    }

    /// The outlines that partitioned receives wait for.
    fn outlines(objects: &Objects, requests: &[MPI_Request]) -> Result<Open> {
        let mut open = Open::default();
        for &handle in requests.iter().filter(|&&request| request != MPI_REQUEST_NULL) {
            if let Request::Partitioned(partitioned) = objects.requests.get(handle)?
                && let Some(id) = partitioned.awaited_outline()
            {
                open.ids.push(id);
                open.owners.push((handle, OUTLINE));
            }
        }
        Ok(open)
    }

    /// Asks the simulator and notes what has ended; gives how much that is.
    fn settle(&self, how: Completing, poll: bool) -> Result<usize> {
        let (connection, call) = (rank::this().connection(), Call::Wait { how, poll, requests: &self.ids });
        let note = |reply: &Reply| {
            with(|objects| self.note(objects, &reply.completions))?;
            Ok(reply.completions.len())
        };
        if poll { connection.poll_then(&call, note) } else { connection.ask_then(&call, note) }
    }

    fn note(&self, objects: &mut Objects, completions: &[Completion]) -> Result<()> {
        for completion in completions {
            let (handle, which) = self.owners[completion.index as usize];
            objects.requests.get_mut(handle)?.note_end(which, completion);
            objects.requests.give_back(self.ids[completion.index as usize]);
        }
        Ok(())
    }
}

/// Counts of requests, by state.
struct Tally {
    /// How many are active.
    active: usize,
    /// How many of these have ended.
    ready: usize,
    /// A description of the action of the program that one of them waits for, if one does.
    stalled: Option<String>,
}

fn count(objects: &Objects, requests: &[MPI_Request]) -> Result<Tally> {
    let mut tally = Tally { active: 0, ready: 0, stalled: None };
    for &handle in requests.iter().filter(|&&request| request != MPI_REQUEST_NULL) {
        let request = objects.requests.get(handle)?;
        if !request.is_inactive() {
            tally.active += 1;
            tally.ready += usize::from(request.is_complete());
            tally.stalled = tally.stalled.or_else(|| request.stalled());
        }
    }
    Ok(tally)
}

fn collect(requests: &[MPI_Request]) -> Result<Few<Ended>> {
    collect_some(requests, usize::MAX)
}

/// Releases up to `limit` active requests that have ended, and puts what they received where it belongs, with nothing locked.
fn collect_some(requests: &[MPI_Request], limit: usize) -> Result<Few<Ended>> {
    let mut released = Few::new();
    try_with(|objects| {
        for (position, &handle) in requests.iter().enumerate() {
            if released.len() < limit && handle != MPI_REQUEST_NULL && is_ready(objects, handle) {
                released.push(release(objects, position, handle)?);
            }
        }
        Ok(())
    })?;
    Ok(released.into_iter().map(|released: Released| released.finish()).collect())
}

/// A handle that stands twice in an array is gone at the second place.
fn is_ready(objects: &Objects, handle: MPI_Request) -> bool {
    objects.requests.get(handle).is_ok_and(|request| !request.is_inactive() && request.is_complete())
}

/// A request that has ended, with what it received still to be put where it belongs.
struct Released {
    position: usize,
    completion: Completion,
    arrivals: Arrivals,
    gone: bool,
}

impl Released {
    fn finish(self) -> Ended {
        let Released { position, completion, arrivals, gone } = self;
        if let Arrivals::Composite(transfers) = &arrivals {
            for transfer in transfers {
                inspect::ended(&transfer.buffers, &transfer.done.unwrap_or(completion));
            }
        }
        let (completion, result) = arrivals.settle(completion);
        Ended { position, completion, result, gone }
    }
}

/// The handle goes unless the request is persistent.
fn release(objects: &mut Objects, position: usize, handle: MPI_Request) -> Result<Released> {
    let request = objects.requests.get_mut(handle)?;
    let completion = request.completion();
    let arrivals = request.release();
    let gone = !request.is_persistent();
    if gone {
        objects.requests.remove(handle)?;
    }
    Ok(Released { position, completion, arrivals, gone })
}
