//! Reading and writing the memory of other processes.

use std::io::{IoSlice, IoSliceMut};

use nix::errno::Errno;
use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};
use nix::unistd::Pid;

/// Fills `into` from the memory of a process.
pub(crate) fn read(process: Pid, address: u64, into: &mut [u8]) -> Result<(), Errno> {
    let mut done = 0;
    while done < into.len() {
        let remote = [RemoteIoVec { base: address as usize + done, len: into.len() - done }];
        let copied = process_vm_readv(process, &mut [IoSliceMut::new(&mut into[done..])], &remote)?;
        done += if copied == 0 { return Err(Errno::EFAULT) } else { copied };
    }
    Ok(())
}

/// Stores bytes in the memory of a process.
pub(crate) fn write(process: Pid, address: u64, bytes: &[u8]) -> Result<(), Errno> {
    let mut done = 0;
    while done < bytes.len() {
        let remote = [RemoteIoVec { base: address as usize + done, len: bytes.len() - done }];
        let copied = process_vm_writev(process, &[IoSlice::new(&bytes[done..])], &remote)?;
        done += if copied == 0 { return Err(Errno::EFAULT) } else { copied };
    }
    Ok(())
}

/// May bytes be copied from a process without its help? The test reads address zero, which is never mapped.
pub(crate) fn is_reachable(process: Pid) -> bool {
    !matches!(read(process, 0, &mut [0]), Err(error) if is_forbidden(error))
}

pub(crate) fn is_forbidden(error: Errno) -> bool {
    matches!(error, Errno::EPERM | Errno::ENOSYS | Errno::EACCES)
}
