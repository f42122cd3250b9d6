//! The simulated machine of a search, as the search sees it, and the progress of the search.

use indicatif::ProgressBar;
use mpirage_platform::HostId;
use mpirage_simulation::{Interrupt, Machine, limits, limits::RankKind, words};
use mpirage_tune::{Observer, Progress};

use crate::arguments::TuneArguments;
use crate::exit::{Failure, usage};

/// The machine for this many ranks, on which they have room.
pub fn machine_of(arguments: &TuneArguments, ranks: Option<u32>) -> Result<Machine, Failure> {
    let ranks = ranks.ok_or_else(|| usage("-n is missing: how many ranks call the collectives?"))?;
    if ranks < 2 {
        return Err(usage(format!("-n {ranks}: collectives of fewer than two ranks need no tuning")));
    }
    limits::check_ranks(&format!("-n {ranks}"), ranks.into(), RankKind::Replayed)?;
    let machine = Machine::new(&arguments.machine.request(), ranks)?;
    check_room(arguments, &machine, ranks)?;
    Ok(machine)
}

/// Refuses more ranks than the platform has cores, unless the user says where they go.
fn check_room(arguments: &TuneArguments, machine: &Machine, ranks: u32) -> Result<(), Failure> {
    let (platform, options) = (&machine.platform, &arguments.machine);
    if !options.host.is_empty() || options.hostfile.is_some() || options.model.ends_with(".cfg") {
        return Ok(());
    }
    let hosts = platform.host_count();
    let cores = (0..hosts).map(|host| u64::from(platform.host(HostId(host)).cores)).sum();
    let room = options.ppn.map_or(cores, |ppn| u64::from(hosts) * u64::from(ppn));
    if u64::from(ranks) <= room {
        return Ok(());
    }
    Err(usage(format!(
        "-n {ranks}: {} has room for {} ({}, {}); choose a larger platform or more ranks per host (--ppn)",
        machine.spec,
        words::count(room, "rank"),
        words::count(hosts.into(), "host"),
        options.ppn.map_or_else(|| words::count(cores, "core"), |ppn| format!("{ppn} per host"))
    )))
}

/// A progress line on a terminal, which also watches for signals.
pub struct SearchProgress {
    bar: Option<ProgressBar>,
    interrupt: Interrupt,
}

impl SearchProgress {
    /// A line, which is empty if standard error is no terminal or `quiet` is set.
    pub fn new(interrupt: Interrupt, quiet: bool) -> SearchProgress {
        use std::io::IsTerminal;
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| ProgressBar::new(0));
        SearchProgress { bar, interrupt }
    }

    /// Removes the line.
    pub fn finish(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

impl Observer for SearchProgress {
    fn progress(&self, Progress { done, all }: Progress) -> bool {
        if let Some(bar) = &self.bar {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        }
        self.interrupt.came()
    }
}
