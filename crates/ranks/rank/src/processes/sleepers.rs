//! Finds out from the kernel whether the threads of a process sleep.
//!
//! A thread that waits inside an MPI call runs on only when the simulator answers it. So only the others are looked at, and a rank with
//! one thread costs no look at all.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;

use nix::libc;

/// The entries of a folder that are not in it as folders: itself and its parent.
const OWN_LINKS: u64 = 2;

/// The bytes that are read of a file, more than what is looked for takes.
const ROOM: usize = 512;

/// A thread, and how often it has got a core.
type Slices = Vec<(u32, u64)>;

/// The result of a look at threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// All sleep.
    Asleep,
    /// One runs, or is about to.
    Runs,
    /// Since they were listed one has run, or there are others.
    Changed,
}

/// The threads of a process as they were when they were last listed.
#[derive(Default)]
pub(super) struct Sleepers {
    slices: Slices,
    /// How many there were in the last look.
    count: usize,
}

impl Sleepers {
    /// Do all threads of a process sleep? Those in calls do.
    pub(super) fn all_sleep(&mut self, process: u32, in_calls: &[u32]) -> bool {
        let Some(count) = threads(process) else { return false };
        self.count = count;
        if count == in_calls.len() {
            return true;
        }
        // Most threads that sleep have slept since they were last listed.
        let mut found = if count == self.slices.len() { self.look(process, in_calls) } else { Look::Changed };
        if found == Look::Changed
            && let Some(slices) = slices(process)
        {
            self.slices = slices;
            found = self.look(process, in_calls);
        }
        found == Look::Asleep
    }

    /// The threads that run, or wait for a core, except `known` ones.
    pub(super) fn running(process: u32, known: &[u32]) -> Vec<u32> {
        let threads = listed(process).unwrap_or_default();
        let runs = |thread: &u32| !known.contains(thread) && state(process, *thread) == Some('R');
        threads.into_iter().filter(runs).collect()
    }

    /// Was there only one thread in the last look?
    pub(super) fn had_one_thread(&self) -> bool {
        self.count == 1
    }

    /// All threads of a process sleep outside MPI: can one of them go on without another? It waits for a child process, a file or a time, or
    /// children of the process may wake it. Threads that only wait for each other cannot.
    pub(super) fn go_on_by_themselves(&self, process: u32) -> bool {
        self.slices.iter().any(|&(thread, _)| {
            has_children(process, thread) || waits_for_event(process, thread) == Some(true)
        })
    }

    /// Looks at the threads that are not in calls. They sleep if each is asleep in two looks and has not got a core since it was listed: none ran between the two
    /// looks, and the second finds any that another thread had woken before.
    fn look(&self, process: u32, in_calls: &[u32]) -> Look {
        let others = || self.slices.iter().filter(|(thread, _)| !in_calls.contains(thread));
        let mut lives = !in_calls.is_empty();
        for &(thread, _) in others().chain(others()) {
            match state(process, thread) {
                Some('S') => lives = true,
                // It has ended; the process has if all have.
                Some('Z' | 'X') => {}
                Some(_) => return Look::Runs,
                None => return Look::Changed,
            }
        }
        let same = others().all(|&(thread, count)| slice(process, thread) == Some(count));
        match (same, lives) {
            (false, _) => Look::Changed,
            (true, false) => Look::Runs,
            (true, true) => Look::Asleep,
        }
    }
}

/// How many threads a process has.
fn threads(process: u32) -> Option<usize> {
    let links = fs::metadata(format!("/proc/{process}/task")).ok()?.nlink();
    Some((links - OWN_LINKS) as usize)
}

/// How often each thread of a process has got a core.
fn slices(process: u32) -> Option<Slices> {
    listed(process)?.into_iter().map(|thread| Some((thread, slice(process, thread)?))).collect()
}

/// The threads of a process.
fn listed(process: u32) -> Option<Vec<u32>> {
    let entries = fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let thread = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
    entries.map(thread).collect()
}

/// How often a thread has got a core.
fn slice(process: u32, thread: u32) -> Option<u64> {
    field(&format!("/proc/{process}/task/{thread}/schedstat"), 2)
}

/// The state of a thread as the kernel abbreviates it. It follows the name, which is in parentheses and may contain any character.
fn state(process: u32, thread: u32) -> Option<char> {
    let mut room = [0; ROOM];
    let stat = beginning(&format!("/proc/{process}/task/{thread}/stat"), &mut room)?;
    let after_name = stat.windows(2).rposition(|two| two == b") ")? + 2;
    stat.get(after_name).map(|&letter| letter as char)
}

/// Has a thread started processes that have not ended?
fn has_children(process: u32, thread: u32) -> bool {
    let mut room = [0; ROOM];
    let children = beginning(&format!("/proc/{process}/task/{thread}/children"), &mut room);
    children.is_some_and(|children| !children.is_empty())
}

/// Does a thread sleep in a system call that something else than a thread of its process can end? Nothing if the system does not say.
fn waits_for_event(process: u32, thread: u32) -> Option<bool> {
    let mut room = [0; ROOM];
    let text = beginning(&format!("/proc/{process}/task/{thread}/syscall"), &mut room)?;
    ends_by_event(str::from_utf8(text).ok()?)
}

/// From a line such as `202 0x7f… 0x80 0x0 0x0 …`: the number of a system call and its arguments.
fn ends_by_event(line: &str) -> Option<bool> {
    let mut words = line.split_ascii_whitespace();
    let number: i64 = words.next()?.parse().ok()?;
    let (operation, timeout) = (words.nth(1), words.nth(1));
    Some(match number {
        // A word that processes share is one of the simulator's: the thread waits for a line or a reply.
        libc::SYS_futex => timeout != Some("0x0") && is_private(operation),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_pause => false,
        libc::SYS_rt_sigsuspend => false,
        // -1: it is in no system call.
        number => number >= 0,
    })
}

/// Is the word of a futex known to one process only?
fn is_private(operation: Option<&str>) -> bool {
    let number = operation.and_then(|text| text.strip_prefix("0x"));
    number
        .and_then(|text| i32::from_str_radix(text, 16).ok())
        .is_some_and(|op| op & libc::FUTEX_PRIVATE_FLAG != 0)
}

/// Does a thread run, or wait for a core?
pub(super) fn runs(thread: u32) -> bool {
    state(thread, thread) == Some('R')
}

/// Nanoseconds that a thread has had a core.
pub(super) fn processor_time(thread: u32) -> Option<u64> {
    field(&format!("/proc/{thread}/schedstat"), 0)
}

fn field(path: &str, position: usize) -> Option<u64> {
    let mut room = [0; ROOM];
    let text = str::from_utf8(beginning(path, &mut room)?).ok()?;
    text.split_ascii_whitespace().nth(position)?.parse().ok()
}

/// The beginning of a file, by one system call between opening and closing.
fn beginning<'a>(path: &str, room: &'a mut [u8; ROOM]) -> Option<&'a [u8]> {
    let length = fs::File::open(path).ok()?.read(room).ok()?;
    Some(&room[..length])
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_process_sleeps_when_all_its_threads_do() {
        // The test's own process has a thread that runs: this one.
        let me = std::process::id();
        assert!(!Sleepers::default().all_sleep(me, &[]));
        let mut child = std::process::Command::new("sleep").arg("5").spawn().unwrap();
        let (deadline, mut sleepers) = (Instant::now() + Duration::from_secs(4), Sleepers::default());
        while !sleepers.all_sleep(child.id(), &[]) {
            assert!(Instant::now() < deadline);
        }
        assert_eq!(Some(&sleepers.slices), slices(child.id()).as_ref());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(slices(child.id()), None);
        assert!(!sleepers.all_sleep(child.id(), &[]));
    }

    #[test]
    fn a_wait_for_another_thread_does_not_end_by_itself() {
        let futex =
            |timeout| format!("{} 0x7f00 0x80 0x0 {timeout} 0x0 0xffffffff 0x7ffd 0x7f11", libc::SYS_futex);
        assert_eq!(ends_by_event(&futex("0x0")), Some(false));
        assert_eq!(ends_by_event(&futex("0x7ffc1000")), Some(true));
        let shared = format!("{} 0x7f00 0x0 0x0 0x7ffc1000 0x0 0x0 0x7ffd 0x7f11", libc::SYS_futex);
        assert_eq!(ends_by_event(&shared), Some(false));
        let wait = format!("{} 0xffffffff 0x7ffd 0x0 0x0 0x0 0x0 0x7ffd 0x7f11", libc::SYS_wait4);
        assert_eq!(ends_by_event(&wait), Some(true));
        assert_eq!(ends_by_event("running"), None);
        assert_eq!(ends_by_event("-1 0x7ffd 0x7f11"), Some(false));
    }

    #[test]
    fn threads_in_calls_are_not_looked_at() {
        let (me, runs) = (std::process::id(), nix::unistd::gettid().as_raw() as u32);
        let sleepers = Sleepers { slices: vec![(runs, slice(me, runs).unwrap())], count: 1 };
        assert_eq!(sleepers.look(me, &[]), Look::Runs);
        assert_eq!(sleepers.look(me, &[runs]), Look::Asleep);
    }
}
