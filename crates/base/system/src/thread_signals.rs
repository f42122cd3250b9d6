//! Signals to single threads of other processes.

use std::fs;

/// A thread of a process, as the kernel numbers them.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    /// The process.
    pub process: u32,
    /// Its thread.
    pub thread: u32,
}

/// Sends a signal to a thread of a process that has a handler for it. False if it has none, for then the signal could end it.
pub fn signal_thread(Thread { process, thread }: Thread, number: i32) -> bool {
    if !handles(process, number) {
        return false;
    }
    // SAFETY: plain numbers; the kernel refuses a thread that is not there.
    unsafe { libc::syscall(libc::SYS_tgkill, process, thread, number) == 0 }
}

fn handles(process: u32, number: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    caught >> (number - 1) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::handles;

    #[test]
    fn a_program_without_handlers_gets_no_signal() {
        let mut child = std::process::Command::new("sleep").arg("5").spawn().unwrap();
        assert!(!handles(child.id(), 62));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!handles(child.id(), 62));
        // Rust handles accesses to the guards of stacks.
        assert!(handles(std::process::id(), libc::SIGSEGV));
    }
}
