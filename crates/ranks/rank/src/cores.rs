//! The cores of this machine that a run may use, and the processes on them.
//!
//! Simulator and ranks take turns: on one core a switch costs a tenth of what it costs across cores. So the simulator and all
//! ranks share one core, their home, and only a rank that computes for long goes to another.

use std::fs;
use std::os::unix::fs::MetadataExt;

use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use nix::unistd::Pid;

/// The thread that asks: the simulator.
const SIMULATOR: Pid = Pid::from_raw(0);

/// The cores, the simulator's first.
pub(crate) struct Cores {
    numbers: Vec<usize>,
    /// Is the simulator confined to the first of them?
    at_home: bool,
}

impl Cores {
    /// The cores that the simulator may use now, `limit` at most. The simulator goes to the first.
    pub(crate) fn new(limit: Option<usize>) -> Cores {
        let here = sched_getcpu().unwrap_or_default();
        let allowed = sched_getaffinity(SIMULATOR).unwrap_or_else(|_| only(here));
        let others =
            (0..CpuSet::count()).filter(|&core| core != here && allowed.is_set(core).unwrap_or(false));
        let numbers = std::iter::once(here).chain(others).take(limit.unwrap_or(usize::MAX).max(1)).collect();
        let mut cores = Cores { numbers, at_home: false };
        cores.go_home();
        cores
    }

    /// The number of cores.
    pub(crate) fn count(&self) -> usize {
        self.numbers.len()
    }

    /// The simulator goes to the first core, where the ranks are that make calls.
    pub(crate) fn go_home(&mut self) {
        if !self.at_home {
            self.at_home = true;
            // If the kernel forbids it, the run is only slower. The same holds for all that follows.
            let _ = sched_setaffinity(SIMULATOR, &only(self.numbers[0]));
        }
    }

    /// The simulator may use all cores.
    pub(crate) fn leave_home(&mut self) {
        if self.at_home {
            self.at_home = false;
            let _ = sched_setaffinity(SIMULATOR, &self.all());
        }
    }

    /// Puts a process on one of the cores if it has moved. A process with several threads may use all cores.
    pub(crate) fn place(&self, process: u32, core: usize, moved: bool) {
        let threads = threads(process);
        if threads.is_empty() && moved {
            set(process, &only(self.numbers[core]));
        }
        for thread in threads {
            set(thread, &self.all());
        }
    }

    /// Puts a process on the first core. A process that makes many calls does not compute, so its threads do not matter.
    pub(crate) fn bring_home(&self, process: u32) {
        set(process, &only(self.numbers[0]));
    }

    fn all(&self) -> CpuSet {
        let mut all = CpuSet::new();
        for &core in &self.numbers {
            // It cannot fail: the numbers come from such a set.
            let _ = all.set(core);
        }
        all
    }
}

fn only(core: usize) -> CpuSet {
    let mut set = CpuSet::new();
    let _ = set.set(core);
    set
}

fn set(thread: u32, cores: &CpuSet) {
    let _ = sched_setaffinity(Pid::from_raw(thread as i32), cores);
}

/// The threads of a process if it has several. The number of links of a folder says how many there are.
fn threads(process: u32) -> Vec<u32> {
    let folder = format!("/proc/{process}/task");
    let many = fs::metadata(&folder).is_ok_and(|folder| folder.nlink() > 3);
    if !many {
        return Vec::new();
    }
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}
