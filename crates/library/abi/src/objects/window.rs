//! Windows, and which synchronisation they are in.

use core::ffi::{c_int, c_void};
use std::collections::BTreeSet;

use mpirage_call::ContextId;

use crate::constants::*;
use crate::ground::error::{MpiError, Result, ensure, fail};
use crate::ground::handles::Handles;
use crate::objects::info::Info;
use crate::objects::keyval::Attributes;
use crate::objects::{errhandler, window_hints};
use crate::operations::transfer::TransferBuffers;
use crate::types::{MPI_Aint, MPI_Comm, MPI_Errhandler, MPI_Request, MPI_Win};

/// A window, as one of its members sees it.
#[derive(Debug)]
pub(crate) struct Window {
    /// The communicator that was made for it; the program does not know it.
    pub comm: MPI_Comm,
    /// Its number, which is the window's.
    pub context: ContextId,
    /// The values of the predefined attributes. The program gets addresses of them.
    pub facts: Box<Facts>,
    /// Memory that was allocated for it.
    pub memory: Allocation,
    pub name: String,
    pub errhandler: MPI_Errhandler,
    pub attributes: Attributes,
    pub hints: Info,
    pub epoch: Epoch,
    /// Buffers of accesses under way, with their targets.
    pub pending: Vec<(u32, TransferBuffers)>,
}

/// The values of predefined attributes.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Facts {
    pub base: usize,
    pub size: MPI_Aint,
    pub unit: c_int,
    pub flavor: c_int,
    pub model: c_int,
}

/// Memory of a window that goes with it.
#[derive(Debug)]
pub(crate) enum Allocation {
    /// The program's.
    None,
    /// Allocated for this rank.
    Own(usize),
    /// Shared by all ranks: where it is mapped, how long it is, and the part of each rank.
    Shared { address: usize, length: usize, mapped: bool, parts: Vec<SharedPart> },
}

/// The part of a rank in shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedPart {
    pub offset: usize,
    pub size: MPI_Aint,
    pub unit: c_int,
}

/// The current epochs, which say what the program may do.
#[derive(Debug, Default)]
pub(crate) struct Epoch {
    access: AccessEpoch,
    /// Receives of the notices that accesses are complete, between `MPI_Win_post` and `MPI_Win_wait`.
    exposure: Option<Vec<MPI_Request>>,
}

#[derive(Debug, Default)]
enum AccessEpoch {
    #[default]
    None,
    /// After a fence; has there been an access?
    Fence {
        used: bool,
    },
    /// Between `MPI_Win_start` and `MPI_Win_complete`.
    Started(Vec<u32>),
    /// Locked targets.
    Locked(BTreeSet<u32>),
    LockedAll,
}

impl Facts {
    /// The address of the value of a predefined attribute, or the value if it is an address.
    pub(crate) fn address(&self, key: c_int) -> Option<*const c_void> {
        Some(match key {
            MPI_WIN_BASE => self.base as *const c_void,
            MPI_WIN_SIZE => (&raw const self.size).cast(),
            MPI_WIN_DISP_UNIT => (&raw const self.unit).cast(),
            MPI_WIN_CREATE_FLAVOR => (&raw const self.flavor).cast(),
            MPI_WIN_MODEL => (&raw const self.model).cast(),
            _ => return None,
        })
    }
}

impl Window {
    /// A window without name and epochs, with the usual hints.
    pub(crate) fn new((comm, context): (MPI_Comm, ContextId), facts: Facts, memory: Allocation) -> Window {
        Window {
            comm,
            context,
            facts: Box::new(facts),
            memory,
            name: String::new(),
            errhandler: errhandler::DEFAULT,
            attributes: Attributes::default(),
            hints: window_hints::defaults(),
            epoch: Epoch::default(),
            pending: Vec::new(),
        }
    }

    /// Takes the buffers of accesses to a target, or to all, which are complete.
    pub(crate) fn take_pending(&mut self, target: Option<u32>) -> Vec<TransferBuffers> {
        let done = |(to, _): &mut (u32, TransferBuffers)| target.is_none_or(|target| *to == target);
        self.pending.extract_if(.., done).map(|(_, buffers)| buffers).collect()
    }
}

impl Epoch {
    /// May this rank access a target now?
    pub(crate) fn check_access(&mut self, target: u32) -> Result<()> {
        let allowed = match &mut self.access {
            AccessEpoch::None => false,
            AccessEpoch::Fence { used } => {
                *used = true;
                true
            }
            AccessEpoch::Started(targets) => targets.contains(&target),
            AccessEpoch::Locked(targets) => targets.contains(&target),
            AccessEpoch::LockedAll => true,
        };
        ensure(allowed, MPI_ERR_RMA_SYNC, || format!("there is no epoch for accesses to rank {target}"))
    }

    /// A fence: ends an epoch and begins another if one `succeeds`.
    pub(crate) fn fence(&mut self, succeeds: bool) -> Result<()> {
        self.check_fence()?;
        self.access = if succeeds { AccessEpoch::Fence { used: false } } else { AccessEpoch::None };
        Ok(())
    }

    /// May there be a fence, or may the window be freed?
    pub(crate) fn check_fence(&self) -> Result<()> {
        match (&self.access, &self.exposure) {
            (AccessEpoch::None | AccessEpoch::Fence { .. }, None) => Ok(()),
            (_, Some(_)) => fail!(MPI_ERR_RMA_SYNC, "the window is exposed: MPI_Win_wait is missing"),
            (AccessEpoch::Started(_), _) => {
                fail!(MPI_ERR_RMA_SYNC, "MPI_Win_start was called: MPI_Win_complete is missing")
            }
            _ => fail!(MPI_ERR_RMA_SYNC, "this rank holds a lock of the window"),
        }
    }

    /// Have there been accesses since the last fence?
    pub(crate) fn awaits_fence(&self) -> bool {
        matches!(self.access, AccessEpoch::Fence { used: true })
    }

    pub(crate) fn start(&mut self, targets: Vec<u32>) -> Result<()> {
        self.check_idle()?;
        self.access = AccessEpoch::Started(targets);
        Ok(())
    }

    /// Ends what `MPI_Win_start` began; gives its targets.
    pub(crate) fn complete(&mut self) -> Result<Vec<u32>> {
        match std::mem::take(&mut self.access) {
            AccessEpoch::Started(targets) => Ok(targets),
            other => {
                self.access = other;
                fail!(MPI_ERR_RMA_SYNC, "MPI_Win_start was not called")
            }
        }
    }

    pub(crate) fn check_post(&self) -> Result<()> {
        if self.exposure.is_some() {
            fail!(MPI_ERR_RMA_SYNC, "the window is exposed already: MPI_Win_wait is missing");
        }
        ensure(!self.awaits_fence(), MPI_ERR_RMA_SYNC, || {
            "there are accesses since the last fence".to_owned()
        })
    }

    pub(crate) fn post(&mut self, notices: Vec<MPI_Request>) {
        self.exposure = Some(notices);
    }

    /// The notices for which `MPI_Win_wait` waits.
    pub(crate) fn notices(&self) -> Result<Vec<MPI_Request>> {
        let none = || MpiError::new(MPI_ERR_RMA_SYNC, "MPI_Win_post was not called");
        self.exposure.clone().ok_or_else(none)
    }

    pub(crate) fn end_exposure(&mut self) {
        self.exposure = None;
    }

    /// Locks a target, or all.
    pub(crate) fn lock(&mut self, target: Option<u32>) -> Result<()> {
        match (&mut self.access, target) {
            (AccessEpoch::Locked(held), Some(target)) => {
                let new = held.insert(target);
                return ensure(new, MPI_ERR_RMA_SYNC, || {
                    format!("this rank holds the lock of rank {target} already")
                });
            }
            (AccessEpoch::LockedAll, _) => {
                fail!(MPI_ERR_RMA_SYNC, "this rank holds the locks of all ranks already")
            }
            _ => self.check_idle()?,
        }
        self.access = match target {
            Some(target) => AccessEpoch::Locked(BTreeSet::from([target])),
            None => AccessEpoch::LockedAll,
        };
        Ok(())
    }

    /// Does this rank hold the lock of a target; of all, if none is named?
    pub(crate) fn check_locked(&self, target: Option<u32>) -> Result<()> {
        match (&self.access, target) {
            (AccessEpoch::LockedAll, _) => Ok(()),
            (AccessEpoch::Locked(held), Some(target)) if held.contains(&target) => Ok(()),
            (AccessEpoch::Locked(_), None) => Ok(()),
            (_, Some(target)) => fail!(MPI_ERR_RMA_SYNC, "this rank does not hold the lock of rank {target}"),
            (_, None) => fail!(MPI_ERR_RMA_SYNC, "this rank holds no lock of the window"),
        }
    }

    /// Gives up the lock of a target; of all, if none is named.
    pub(crate) fn check_unlock(&self, target: Option<u32>) -> Result<()> {
        match (&self.access, target) {
            (AccessEpoch::LockedAll, None) => Ok(()),
            (AccessEpoch::Locked(held), Some(target)) if held.contains(&target) => Ok(()),
            (_, Some(target)) => fail!(MPI_ERR_RMA_SYNC, "this rank does not hold the lock of rank {target}"),
            (_, None) => fail!(MPI_ERR_RMA_SYNC, "MPI_Win_lock_all was not called"),
        }
    }

    pub(crate) fn unlock(&mut self, target: Option<u32>) {
        if let (AccessEpoch::Locked(held), Some(target)) = (&mut self.access, target) {
            held.remove(&target);
            if !held.is_empty() {
                return;
            }
        }
        self.access = AccessEpoch::None;
    }

    fn check_idle(&self) -> Result<()> {
        match &self.access {
            AccessEpoch::None | AccessEpoch::Fence { used: false } => Ok(()),
            AccessEpoch::Fence { .. } => fail!(MPI_ERR_RMA_SYNC, "there are accesses since the last fence"),
            AccessEpoch::Started(_) => {
                fail!(MPI_ERR_RMA_SYNC, "MPI_Win_start was called: MPI_Win_complete is missing")
            }
            AccessEpoch::Locked(_) | AccessEpoch::LockedAll => {
                fail!(MPI_ERR_RMA_SYNC, "this rank holds a lock of the window")
            }
        }
    }
}

/// All windows of this rank.
#[derive(Debug)]
pub(crate) struct Windows(Handles<Window>);

impl Windows {
    pub(crate) const fn new() -> Windows {
        Windows(Handles::new())
    }

    pub(crate) fn insert(&mut self, window: Window) -> MPI_Win {
        MPI_Win(self.0.insert(window))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().next().is_none()
    }

    pub(crate) fn get(&self, win: MPI_Win) -> Result<&Window> {
        self.0.get(win.0).ok_or_else(|| self.invalid(win))
    }

    pub(crate) fn get_mut(&mut self, win: MPI_Win) -> Result<&mut Window> {
        self.get(win)?;
        Ok(self.0.get_mut(win.0).expect("it is there"))
    }

    pub(crate) fn remove(&mut self, win: MPI_Win) -> Result<Window> {
        self.get(win)?;
        Ok(self.0.remove(win.0).expect("it is there"))
    }

    #[cold]
    fn invalid(&self, win: MPI_Win) -> MpiError {
        let text = match win {
            MPI_WIN_NULL => "the window is MPI_WIN_NULL".to_owned(),
            MPI_Win(handle) if self.0.is_stale(handle) => {
                format!("the window {handle:#x} has been freed already")
            }
            MPI_Win(handle) => format!("{handle:#x} is not a window"),
        };
        MpiError::new(MPI_ERR_WIN, text)
    }
}
