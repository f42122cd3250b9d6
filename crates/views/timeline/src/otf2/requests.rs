//! Requests that are open, so that the call that completes one can say what it was for.

use mpirage_call::RequestId;
use mpirage_otf2::OperationEnd;
use rustc_hash::FxHashMap;

/// The operation of a request, with its number in the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    Send(u64),
    /// A receive in the communicator with this number in the archive.
    Recv(u64, u32),
    Collective(u64, OperationEnd),
}

/// The open requests of all ranks. Numbers in the archive are never used again, unlike those of ranks.
pub(super) struct Requests {
    open: FxHashMap<(u32, RequestId), Open>,
    /// The last number of each rank.
    last: Vec<u64>,
}

impl Requests {
    pub fn new(ranks: u32) -> Requests {
        Requests { open: FxHashMap::default(), last: vec![0; ranks as usize] }
    }

    /// Opens a request. `what` gets its number in the archive.
    pub fn open(&mut self, rank: u32, request: RequestId, what: impl FnOnce(u64) -> Open) -> u64 {
        let last = &mut self.last[rank as usize];
        *last += 1;
        self.open.insert((rank, request), what(*last));
        *last
    }

    /// Closes a request, if it is known: those of files and accesses are not.
    pub fn close(&mut self, rank: u32, request: RequestId) -> Option<Open> {
        self.open.remove(&(rank, request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_not_used_again() {
        let (mut requests, first) = (Requests::new(2), RequestId::new(1));
        assert_eq!(requests.open(1, first, Open::Send), 1);
        assert_eq!(requests.close(0, first), None);
        assert_eq!(requests.close(1, first), Some(Open::Send(1)));
        assert_eq!(requests.open(1, first, |number| Open::Recv(number, 0)), 2);
        assert_eq!(requests.open(0, first, Open::Send), 1);
    }
}
