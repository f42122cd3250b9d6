//! Waiting for requests and testing them, one call to the simulator at a time.

use mpirage_call::{Call, Completing, Completion, RequestId};
use smallvec::SmallVec;

use crate::constants::MPI_REQUEST_NULL;
use crate::error::Result;
use crate::objects::Objects;
use crate::objects::request::Arrivals;
use crate::rank::{self, try_with, with};
use crate::status;
use crate::types::MPI_Request;

/// A list that needs no memory of its own for as many items as programs usually wait for.
pub(crate) type Few<T> = SmallVec<[T; 8]>;

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
    let open = with(|objects| Open::of(objects, requests))?;
    if !open.ids.is_empty() {
        let completed = open.settle(Completing::All, poll)?;
        if completed < open.ids.len() {
            return Ok(None);
        }
    }
    collect(requests).map(Some)
}

/// The end of those requests that have ended, at least one unless it is a `poll`. Without active requests, none at all.
pub(crate) fn some(requests: &[MPI_Request], how: Completing, poll: bool) -> Result<Few<Ended>> {
    let limit = if how == Completing::Any { 1 } else { usize::MAX };
    loop {
        let (active, ready) = with(|objects| count(objects, requests))?;
        // Those that have ended already are enough for one, but not for as many as there are.
        if active > ready && (ready == 0 || how == Completing::Some) {
            let open = with(|objects| Open::of(objects, requests))?;
            open.settle(how, poll || ready > 0)?;
        }
        let ended = collect_some(requests, limit)?;
        if poll || active == 0 || !ended.is_empty() {
            return Ok(ended);
        }
    }
}

/// Looks whether a request has ended without releasing it; its completion if so.
pub(crate) fn peek(request: MPI_Request) -> Result<Option<Completion>> {
    let open = with(|objects| Open::of(objects, &[request]))?;
    if !open.ids.is_empty() {
        open.settle(Completing::All, true)?;
    }
    with(|objects| {
        let request = objects.requests.get(request)?;
        Ok(request.is_complete().then(|| request.completion()))
    })
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

    /// Asks the simulator and notes what has ended; gives how much that is.
    fn settle(&self, how: Completing, poll: bool) -> Result<usize> {
        rank::this().connection().ask_then(&Call::Wait { how, poll, requests: &self.ids }, |reply| {
            with(|objects| self.note(objects, &reply.completions))?;
            Ok(reply.completions.len())
        })
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

/// How many requests are active, and how many of these have ended.
fn count(objects: &Objects, requests: &[MPI_Request]) -> Result<(usize, usize)> {
    let (mut active, mut ready) = (0, 0);
    for &handle in requests.iter().filter(|&&request| request != MPI_REQUEST_NULL) {
        let request = objects.requests.get(handle)?;
        active += usize::from(!request.is_inactive());
        ready += usize::from(!request.is_inactive() && request.is_complete());
    }
    Ok((active, ready))
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
        let Released { position, mut completion, arrivals, gone } = self;
        let (result, bytes) = arrivals.settle();
        completion.bytes = bytes.unwrap_or(completion.bytes);
        Ended { position, completion, result, gone }
    }
}

/// The handle goes unless the request is persistent.
fn release(objects: &mut Objects, position: usize, handle: MPI_Request) -> Result<Released> {
    let request = objects.requests.get_mut(handle)?;
    let completion = request.completion();
    let arrivals = request.release();
    let gone = request.plan().is_none();
    if gone {
        objects.requests.remove(handle)?;
    }
    Ok(Released { position, completion, arrivals, gone })
}
