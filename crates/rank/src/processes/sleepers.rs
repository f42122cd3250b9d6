//! Which threads of a process sleep, as the kernel says.
//!
//! A thread that waits inside an MPI call runs on only when the simulator answers it. So only the others are looked at, and a rank with
//! one thread costs no look at all.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;

/// The entries of a folder that are not in it as folders: itself and its parent.
const OWN_LINKS: u64 = 2;

/// The bytes that are read of a file, more than what is looked for takes.
const ROOM: usize = 512;

/// A thread, and how often it has got a core.
type Slices = Vec<(u32, u64)>;

/// What a look at threads found.
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

    /// Was there only one thread in the last look?
    pub(super) fn had_one_thread(&self) -> bool {
        self.count == 1
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
    let entries = fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let thread = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
    let slices = |thread: u32| Some((thread, slice(process, thread)?));
    entries.map(|entry| slices(thread(entry)?)).collect()
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
    fn threads_in_calls_are_not_looked_at() {
        let (me, runs) = (std::process::id(), nix::unistd::gettid().as_raw() as u32);
        let sleepers = Sleepers { slices: vec![(runs, slice(me, runs).unwrap())], count: 1 };
        assert_eq!(sleepers.look(me, &[]), Look::Runs);
        assert_eq!(sleepers.look(me, &[runs]), Look::Asleep);
    }
}
