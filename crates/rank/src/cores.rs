//! The cores of this machine that a run may use, and which process is on which.
//!
//! Simulator and ranks take turns: on one core a switch costs a tenth of what it costs across cores. So everybody is at
//! home on one core, and only who computes for long goes to another.

use std::fs;
use std::os::unix::fs::MetadataExt;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The cores, home first.
pub(crate) struct Cores {
    numbers: Vec<usize>,
    /// Is the simulator confined to the first of them?
    at_home: bool,
}

impl Cores {
    /// Those that the simulator may use now, `limit` at most. It goes home.
    pub(crate) fn new(limit: Option<usize>) -> Cores {
        // Asked of the C library: what rustix calls is not there under valgrind.
        let here = nix::sched::sched_getcpu().unwrap_or_default();
        let allowed = sched_getaffinity(None).unwrap_or_else(|_| only(here));
        let others = (0..CpuSet::MAX_CPU).filter(|&core| core != here && allowed.is_set(core));
        let numbers = std::iter::once(here).chain(others).take(limit.unwrap_or(usize::MAX).max(1)).collect();
        let mut cores = Cores { numbers, at_home: false };
        cores.go_home();
        cores
    }

    /// How many.
    pub(crate) fn count(&self) -> usize {
        self.numbers.len()
    }

    /// The simulator shares the first core with whom it talks to.
    pub(crate) fn go_home(&mut self) {
        if !self.at_home {
            self.at_home = true;
            // If it is forbidden, the run is only slower; so it is for all that follows.
            let _ = sched_setaffinity(None, &only(self.numbers[0]));
        }
    }

    /// The simulator goes wherever there is room.
    pub(crate) fn leave_home(&mut self) {
        if self.at_home {
            self.at_home = false;
            let _ = sched_setaffinity(None, &self.all());
        }
    }

    /// Puts a process on one of the cores, if it is not there; one of several threads may use all of them.
    pub(crate) fn place(&self, process: u32, core: usize, moved: bool) {
        let threads = threads(process);
        if threads.is_empty() && moved {
            set(process, &only(self.numbers[core]));
        }
        for thread in threads {
            set(thread, &self.all());
        }
    }

    /// Puts a process on the first core. Who talks much does not compute, so its threads do not matter.
    pub(crate) fn bring_home(&self, process: u32) {
        set(process, &only(self.numbers[0]));
    }

    fn all(&self) -> CpuSet {
        let mut all = CpuSet::new();
        self.numbers.iter().for_each(|&core| all.set(core));
        all
    }
}

fn only(core: usize) -> CpuSet {
    let mut set = CpuSet::new();
    set.set(core);
    set
}

fn set(thread: u32, cores: &CpuSet) {
    let _ = sched_setaffinity(Pid::from_raw(thread as i32), cores);
}

/// The threads of a process if it has several. How many there are is the number of links of a folder.
fn threads(process: u32) -> Vec<u32> {
    let folder = format!("/proc/{process}/task");
    let many = fs::metadata(&folder).is_ok_and(|folder| folder.nlink() > 3);
    if !many {
        return Vec::new();
    }
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}
