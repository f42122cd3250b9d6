//! Requests of ranks with several threads.
//!
//! The threads of a rank share the numbers of requests: one begins with the number that another has just completed. Where threads take other
//! times than in the traced run, both would have it at the same time. So each request gets a number of its own when it is opened, and
//! gives it back when the call that completes it has returned.

use std::collections::HashMap;

use mpirage_call::{BLOCKING, Call, RequestId};

/// The requests of a rank.
#[derive(Default)]
pub(super) struct Requests {
    /// By their numbers in the traced run: who opened them, and their numbers in this run.
    open: HashMap<RequestId, Vec<(u32, RequestId)>>,
    /// Numbers that can be used again.
    free: Vec<RequestId>,
    /// The highest number so far.
    highest: u32,
    /// Requests that calls which have not returned complete, each with the thread that calls.
    completing: Vec<(u32, RequestId)>,
    /// Requests that such calls open: other threads do not know them yet.
    opening: Vec<(u32, RequestId)>,
}

/// A thread uses a request that no thread of its rank has opened.
pub(super) struct NotOpen;

impl Requests {
    /// Puts numbers of this run into a call of a thread. Those of a wait are put into `waited`.
    pub(super) fn rename(
        &mut self,
        thread: u32,
        call: &mut Call<'_>,
        waited: &mut Vec<RequestId>,
    ) -> Result<(), NotOpen> {
        match call {
            Call::Wait { requests, .. } => {
                for &request in *requests {
                    waited.push(self.find(thread, request).ok_or(NotOpen)?);
                }
                for &request in *requests {
                    let number = self.close(thread, request);
                    self.completing.extend(number.map(|number| (thread, number)));
                }
            }
            Call::Cancel { request } => *request = self.find(thread, *request).ok_or(NotOpen)?,
            // It may go on for long, so its number is not used again.
            Call::Free { request } => *request = self.close(thread, *request).ok_or(NotOpen)?,
            other => {
                if let Some(request) = other.request_mut() {
                    *request = self.open(thread, *request);
                }
            }
        }
        Ok(())
    }

    /// The last call of a thread has returned.
    pub(super) fn returned(&mut self, thread: u32) {
        self.opening.retain(|&(by, _)| by != thread);
        let free = &mut self.free;
        self.completing.retain(|&(by, number)| {
            if by == thread {
                free.push(number);
            }
            by != thread
        });
    }

    fn open(&mut self, thread: u32, traced: RequestId) -> RequestId {
        let number = self.free.pop().unwrap_or_else(|| {
            self.highest += 1;
            RequestId::new(BLOCKING.get() + self.highest)
        });
        let opened = self.open.entry(traced).or_default();
        opened.retain(|&(by, _)| by != thread);
        opened.push((thread, number));
        self.opening.push((thread, number));
        number
    }

    /// The request that a thread means: its own, or else the one that another thread has opened first.
    fn place(&self, thread: u32, traced: RequestId) -> Option<usize> {
        let opened = self.open.get(&traced)?;
        let own = opened.iter().position(|&(by, _)| by == thread);
        own.or_else(|| opened.iter().position(|opened| !self.opening.contains(opened)))
    }

    fn find(&self, thread: u32, traced: RequestId) -> Option<RequestId> {
        let place = self.place(thread, traced)?;
        Some(self.open.get(&traced)?.get(place)?.1)
    }

    fn close(&mut self, thread: u32, traced: RequestId) -> Option<RequestId> {
        let place = self.place(thread, traced)?;
        Some(self.open.get_mut(&traced)?.remove(place).1)
    }
}

#[cfg(test)]
mod tests {
    use mpirage_call::Completing;

    use super::*;

    fn open(requests: &mut Requests, thread: u32, number: u32) -> u32 {
        let mut call =
            Call::Compute { work: mpirage_call::Work::Nanos(1), request: Some(RequestId::new(number)) };
        assert!(requests.rename(thread, &mut call, &mut Vec::new()).is_ok());
        call.request_mut().unwrap().get()
    }

    fn wait(requests: &mut Requests, thread: u32, number: u32) -> Option<u32> {
        let (list, mut waited) = ([RequestId::new(number)], Vec::new());
        let mut call = Call::Wait { how: Completing::All, poll: false, requests: &list };
        requests.rename(thread, &mut call, &mut waited).ok()?;
        Some(waited[0].get())
    }

    #[test]
    fn threads_that_use_one_number_at_once_get_two() {
        let mut requests = Requests::default();
        let (first, second) = (open(&mut requests, 0, 7), open(&mut requests, 5, 7));
        assert_ne!(first, second);
        assert_eq!(wait(&mut requests, 5, 7), Some(second));
        assert_eq!(wait(&mut requests, 0, 7), Some(first));
        assert_eq!(wait(&mut requests, 0, 7), None, "it is complete");
    }

    #[test]
    fn a_thread_may_wait_for_the_request_of_another() {
        let mut requests = Requests::default();
        assert_eq!(wait(&mut requests, 5, 3), None);
        let number = open(&mut requests, 0, 3);
        assert_eq!(wait(&mut requests, 5, 3), None, "the call that opens it has not returned");
        requests.returned(0);
        assert_eq!(wait(&mut requests, 5, 3), Some(number));
    }

    #[test]
    fn numbers_are_used_again_when_the_wait_has_returned() {
        let mut requests = Requests::default();
        let number = open(&mut requests, 0, 1);
        wait(&mut requests, 0, 1);
        assert_ne!(open(&mut requests, 5, 1), number);
        requests.returned(5);
        requests.returned(0);
        assert_eq!(open(&mut requests, 5, 2), number);
    }
}
