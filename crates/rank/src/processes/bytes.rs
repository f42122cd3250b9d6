//! Bytes in the memory of processes: how they get there and back.

use std::io::{IoSlice, IoSliceMut};

use mpirage_call::Service;
use mpirage_channel::{SERVICE_BYTES, STORE_BYTES};
use mpirage_mpi::Memory;
use nix::errno::Errno;
use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};

use super::{DataPlane, PATIENCE, Processes};
use crate::ranks::Stop;
use crate::service::{Reduction, Serve};

/// Bytes up to which a store goes through the mailbox, which spares a system call.
const STORE_LIMIT: usize = 16 * 1024;

impl Processes {
    /// Simulated time is there and the rank has stopped: what came for it meanwhile is due when it goes on.
    pub(crate) fn caught_up(&mut self, rank: u32) {
        let process = &mut self.processes[rank as usize];
        process.ahead = false;
        let mut stores = std::mem::take(&mut process.late_stores);
        let (mut rest, mut bytes) = (stores.as_slice(), Vec::new());
        while let [address, length, tail @ ..] = rest {
            let (words, after) = tail.split_at((*length as usize).div_ceil(8));
            bytes.clear();
            bytes.extend(words.iter().flat_map(|word| word.to_ne_bytes()));
            self.write(rank, *address, &bytes[..*length as usize]);
            rest = after;
        }
        stores.clear();
        self.processes[rank as usize].late_stores = stores;
    }

    /// May bytes be copied from a process without its help? Address zero is nobody's, so that nothing else is learnt.
    pub(crate) fn copies_directly(&self, rank: u32) -> bool {
        let refused = self.read_directly(rank, 0, &mut [0]);
        self.data_plane == DataPlane::Direct && !matches!(refused, Err(error) if is_forbidden(error))
    }

    fn read_directly(&self, rank: u32, address: u64, into: &mut [u8]) -> Result<(), Errno> {
        let mut done = 0;
        while done < into.len() {
            let remote = [RemoteIoVec { base: address as usize + done, len: into.len() - done }];
            let copied =
                process_vm_readv(self.pid(rank), &mut [IoSliceMut::new(&mut into[done..])], &remote)?;
            done += if copied == 0 { return Err(Errno::EFAULT) } else { copied };
        }
        Ok(())
    }

    fn write_directly(&self, rank: u32, address: u64, bytes: &[u8]) -> Result<(), Errno> {
        let mut done = 0;
        while done < bytes.len() {
            let remote = [RemoteIoVec { base: address as usize + done, len: bytes.len() - done }];
            let copied = process_vm_writev(self.pid(rank), &[IoSlice::new(&bytes[done..])], &remote)?;
            done += if copied == 0 { return Err(Errno::EFAULT) } else { copied };
        }
        Ok(())
    }

    /// False if it ended instead.
    fn wait_until_stopped(&mut self, rank: u32) -> bool {
        loop {
            if let Some(stop) = self.wait(rank, &[], PATIENCE) {
                return stop == Stop::Waits;
            }
        }
    }

    fn store_later(&mut self, rank: u32, address: u64, bytes: &[u8]) {
        let stores = &mut self.processes[rank as usize].late_stores;
        stores.extend_from_slice(&[address, bytes.len() as u64]);
        stores.extend(bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        }));
    }

    fn note_fault(&mut self, rank: u32, what: impl Into<String>) {
        self.fault.get_or_insert((rank, what.into()));
    }

    /// Decides what a failed copy means: forbidden altogether, or a bad address.
    fn copy_failed(&mut self, rank: u32, address: u64, length: usize, error: Errno) -> bool {
        let forbidden = is_forbidden(error);
        if forbidden {
            self.data_plane = DataPlane::Mailbox;
        } else if self.processes[rank as usize].death.is_none() || self.processes[rank as usize].ahead {
            self.note_fault(
                rank,
                format!("the buffer of {length} bytes at {address:#x} that it gave to MPI is not accessible"),
            );
        }
        forbidden
    }
}

impl Memory for Processes {
    fn read(&mut self, rank: u32, address: u64, into: &mut [u8]) {
        if self.data_plane == DataPlane::Direct {
            match self.read_directly(rank, address, into) {
                Ok(()) => return,
                Err(error) if !self.copy_failed(rank, address, into.len(), error) => return,
                Err(_) => {}
            }
        }
        let mut at = address;
        for chunk in into.chunks_mut(SERVICE_BYTES) {
            let bytes = chunk.len() as u64;
            self.serve(rank, &Service::Peek { address: at, bytes }, chunk);
            at += bytes;
        }
    }

    fn write(&mut self, rank: u32, address: u64, bytes: &[u8]) {
        const { assert!(STORE_LIMIT < STORE_BYTES) };
        let ahead = self.processes[rank as usize].ahead;
        if bytes.len() <= STORE_LIMIT {
            if ahead {
                return self.store_later(rank, address, bytes);
            }
            if self.fleet.store(rank as usize, address, bytes) {
                return;
            }
        }
        if self.data_plane == DataPlane::Direct {
            match self.write_directly(rank, address, bytes) {
                Ok(()) => return,
                // It ran ahead and ended, which is told when simulated time is there.
                Err(Errno::ESRCH) if ahead => return,
                Err(error) if !self.copy_failed(rank, address, bytes.len(), error) => return,
                Err(_) => {}
            }
        }
        let mut at = address;
        for chunk in bytes.chunks(SERVICE_BYTES) {
            self.serve(rank, &Service::Poke { address: at, bytes: chunk }, &mut []);
            at += chunk.len() as u64;
        }
    }

    fn reduce(
        &mut self,
        rank: u32,
        op: u64,
        datatype: u64,
        elements: u64,
        incoming: &[u8],
        inout: &mut [u8],
    ) {
        Reduction { op, datatype, elements }.run(self, rank, incoming, inout);
    }
}

impl Serve for Processes {
    fn serve(&mut self, rank: u32, service: &Service<'_>, back: &mut [u8]) {
        if self.processes[rank as usize].death.is_some() || !self.wait_until_stopped(rank) {
            return;
        }
        if self.fleet.serve(rank as usize, service).is_err() {
            return self.note_fault(rank, "a request of the simulator does not fit its mailbox");
        }
        self.fleet.release(rank as usize);
        if self.wait_until_stopped(rank) {
            self.fleet.served(rank as usize, back);
        } else {
            self.note_fault(rank, "it ended while it was asked for data");
        }
    }
}

fn is_forbidden(error: Errno) -> bool {
    matches!(error, Errno::EPERM | Errno::ENOSYS | Errno::EACCES)
}
