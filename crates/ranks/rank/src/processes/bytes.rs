//! Reading and writing the memory of processes.

use mpirage_call::{LineId, RankId, Service};
use mpirage_channel::{SERVICE_BYTES, STORE_BYTES};
use mpirage_mpi::RankAddress;
use nix::errno::Errno;

use super::{DataPlane, PATIENCE, Processes};
use crate::remote_memory::{self, is_forbidden};
use crate::service::Serve;
use crate::stop::Stop;

/// Bytes up to which a store goes through the mailbox, which spares a system call.
const STORE_LIMIT: usize = 16 * 1024;

impl Processes {
    /// The line has stopped at its simulated time: stores that waited for that are made.
    pub(crate) fn caught_up(&mut self, line: LineId) {
        let rank = self.rank_of(line);
        let state = &mut self.lines[line.index()];
        state.ahead = false;
        let mut stores = std::mem::take(&mut state.late_stores);
        let (mut rest, mut bytes) = (stores.as_slice(), Vec::new());
        while let [address, length, tail @ ..] = rest {
            let (words, after) = tail.split_at((*length as usize).div_ceil(8));
            bytes.clear();
            bytes.extend(words.iter().flat_map(|word| word.to_ne_bytes()));
            self.write(RankAddress { rank, address: *address }, &bytes[..*length as usize]);
            rest = after;
        }
        stores.clear();
        self.lines[line.index()].late_stores = stores;
    }

    /// May bytes be copied from a process without its help?
    pub(crate) fn copies_directly(&self, rank: RankId) -> bool {
        self.data_plane == DataPlane::Direct && remote_memory::is_reachable(self.pid(rank))
    }

    fn read_directly(&self, from: RankAddress, into: &mut [u8]) -> Result<(), Errno> {
        remote_memory::read(self.pid(from.rank), from.address, into)
    }

    fn write_directly(&self, to: RankAddress, bytes: &[u8]) -> Result<(), Errno> {
        remote_memory::write(self.pid(to.rank), to.address, bytes)
    }

    /// Waits until the line stops. False if it ended instead.
    fn wait_until_stopped(&mut self, line: LineId) -> bool {
        loop {
            if let Some(stop) = self.wait(line, &[], PATIENCE) {
                return stop == Stop::Waits;
            }
        }
    }

    /// The line that carries out services: of several, one that waits.
    fn serving_line(&self, rank: RankId) -> LineId {
        let first = LineId::first_of(rank);
        let waits = |line: &LineId| !self.mailboxes.is_running(*line) && !self.mailboxes.has_ended(*line);
        if self.is_threaded(rank) {
            self.lines_of(rank).into_iter().find(waits).unwrap_or(first)
        } else {
            first
        }
    }

    fn store_later(&mut self, line: LineId, address: u64, bytes: &[u8]) {
        let stores = &mut self.lines[line.index()].late_stores;
        stores.extend_from_slice(&[address, bytes.len() as u64]);
        stores.extend(bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        }));
    }

    fn note_fault(&mut self, rank: RankId, what: impl Into<String>) {
        self.fault.get_or_insert((rank, what.into()));
    }

    /// Decides what a failed copy means: forbidden altogether, or a bad address.
    fn copy_failed(
        &mut self,
        RankAddress { rank, address }: RankAddress,
        length: usize,
        error: Errno,
    ) -> bool {
        let forbidden = is_forbidden(error);
        if forbidden {
            self.data_plane = DataPlane::Mailbox;
        } else if self.processes[rank.index()].death.is_none()
            || self.lines[LineId::first_of(rank).index()].ahead
        {
            self.note_fault(
                rank,
                format!("the buffer of {length} bytes at {address:#x} that it gave to MPI is not accessible"),
            );
        }
        forbidden
    }
}

/// Memory of ranks.
impl Processes {
    /// Fills `into` from the memory of a rank.
    pub(crate) fn read(&mut self, from: RankAddress, into: &mut [u8]) {
        if self.data_plane == DataPlane::Direct {
            match self.read_directly(from, into) {
                Ok(()) => return,
                Err(error) if !self.copy_failed(from, into.len(), error) => return,
                Err(_) => {}
            }
        }
        let mut at = from.address;
        for chunk in into.chunks_mut(SERVICE_BYTES) {
            let bytes = chunk.len() as u64;
            self.serve(from.rank, &Service::Peek { address: at, bytes }, chunk);
            at += bytes;
        }
    }

    /// Stores bytes in the memory of a rank; the rank sees them when its call returns.
    pub(crate) fn write(&mut self, to: RankAddress, bytes: &[u8]) {
        const { assert!(STORE_LIMIT < STORE_BYTES) };
        let line = LineId::first_of(to.rank);
        let ahead = self.lines[line.index()].ahead;
        // Any of a rank's threads may be the one that is to see the bytes.
        if bytes.len() <= STORE_LIMIT && !self.is_threaded(to.rank) {
            if ahead {
                return self.store_later(line, to.address, bytes);
            }
            if self.mailboxes.store(line, to.address, bytes) {
                return;
            }
        }
        self.write_at_once(to, bytes);
    }

    /// The same without waiting for the rank: its memory has the bytes when this returns.
    pub(crate) fn write_at_once(&mut self, to: RankAddress, bytes: &[u8]) {
        let ahead = self.lines[LineId::first_of(to.rank).index()].ahead;
        if self.data_plane == DataPlane::Direct {
            match self.write_directly(to, bytes) {
                Ok(()) => return,
                // It ran ahead and ended, which is reported when its simulated time comes.
                Err(Errno::ESRCH) if ahead => return,
                Err(error) if !self.copy_failed(to, bytes.len(), error) => return,
                Err(_) => {}
            }
        }
        let mut at = to.address;
        for chunk in bytes.chunks(SERVICE_BYTES) {
            self.serve(to.rank, &Service::Poke { address: at, bytes: chunk }, &mut []);
            at += chunk.len() as u64;
        }
    }

    /// Copies bytes between the memories of ranks, by way of `buffer`.
    pub(crate) fn copy(&mut self, from: RankAddress, to: RankAddress, bytes: usize, buffer: &mut Vec<u8>) {
        buffer.resize(bytes, 0);
        self.read(from, buffer);
        self.write(to, buffer);
    }
}

impl Serve for Processes {
    fn serve(&mut self, rank: RankId, service: &Service<'_>, back: &mut [u8]) {
        let line = self.serving_line(rank);
        if self.processes[rank.index()].death.is_some() || !self.wait_until_stopped(line) {
            return;
        }
        if self.mailboxes.serve(line, service).is_err() {
            return self.note_fault(rank, "a request of the simulator does not fit its mailbox");
        }
        self.mailboxes.release(line);
        if self.wait_until_stopped(line) {
            self.mailboxes.served(line, back);
        } else {
            self.note_fault(rank, "it ended while it was asked for data");
        }
    }
}
