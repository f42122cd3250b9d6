//! Refuses runs that cannot fit into this machine, before anything is allocated, and says how large a run could be.
//!
//! The estimates are lower bounds, so every run that might fit is tried.

use mpirage_platform::Platform;
use mpirage_scenario::Model;
use mpirage_units::counted;
use rustix::process::{Resource, getrlimit};

use crate::failure::{Failure, usage};
use crate::words::bytes;

/// MPI numbers ranks with a C `int`.
const MOST_RANKS: u64 = i32::MAX as u64;

/// The kinds of ranks, which need different amounts of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankKind {
    /// Part of this process, with data and a stack of its own.
    Folded,
    /// A process.
    Process,
    /// The calls of a trace.
    Replayed,
}

impl RankKind {
    /// A lower bound of the bytes of a rank.
    fn bytes(self) -> u64 {
        match self {
            RankKind::Folded => 16 << 10,
            RankKind::Process => 128 << 10,
            RankKind::Replayed => 1 << 10,
        }
    }

    fn name(self) -> &'static str {
        match self {
            RankKind::Folded => "folded rank",
            RankKind::Process => "process",
            RankKind::Replayed => "replayed rank",
        }
    }
}

/// Refuses more ranks than fit. `named` is the argument that the message quotes.
pub fn check_ranks(named: &str, ranks: u64, kind: RankKind) -> Result<(), Failure> {
    let (each, room) = (kind.bytes(), available_memory());
    if ranks > MOST_RANKS {
        return Err(usage(format!(
            "{named}: MPI numbers at most {MOST_RANKS} ranks, and this machine has memory left for {}",
            room / each
        )));
    }
    if let Some((most, why)) = most_processes().filter(|(most, _)| kind == RankKind::Process && ranks > *most)
    {
        return Err(usage(format!(
            "{named}: {ranks} ranks are more processes than this machine allows: {most} are possible ({why}); raise that limit, or use \
             --ranks-as folded, which needs no processes"
        )));
    }
    if ranks.saturating_mul(each) <= room {
        return Ok(());
    }
    Err(usage(format!(
        "{named}: {ranks} ranks need at least {} of memory ({} for each {}), and this machine has {} left: {} ranks are possible",
        bytes(ranks.saturating_mul(each)),
        bytes(each),
        kind.name(),
        bytes(room),
        room / each
    )))
}

/// Refuses a platform whose hosts and links do not fit into memory.
pub fn check_platform(named: &str, platform: &Platform, model: &Model) -> Result<(), String> {
    let (need, room) = (model.bytes_on(platform), available_memory());
    if need <= room {
        return Ok(());
    }
    let (hosts, links) = (platform.host_count(), platform.link_count());
    let possible = (f64::from(hosts) * room as f64 / need as f64) as u64;
    Err(format!(
        "{named} has {} and {}, for which the model needs {} of memory; this machine has {} left, which is \
         enough for about {possible} hosts: name a platform with as many hosts as there are ranks",
        counted(hosts, "host"),
        counted(links, "link"),
        bytes(need),
        bytes(room)
    ))
}

/// The largest possible number of processes, and what limits it.
fn most_processes() -> Option<(u64, &'static str)> {
    let kernel = |file: &str| std::fs::read_to_string(file).ok()?.trim().parse().ok();
    let limits = [
        (getrlimit(Resource::Nproc).current, "the limit on processes of this user, `ulimit -u`"),
        (kernel("/proc/sys/kernel/pid_max"), "kernel.pid_max"),
        (kernel("/proc/sys/kernel/threads-max"), "kernel.threads-max"),
    ];
    limits.into_iter().filter_map(|(most, why)| Some((most?, why))).min()
}

/// Bytes of available memory and swap, or what the control group allows; no limit if neither is known.
fn available_memory() -> u64 {
    let memory = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| left_in(&text));
    let group = |file: &str| -> Option<u64> {
        std::fs::read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?.trim().parse().ok()
    };
    let group = group("memory.max").map(|most| most.saturating_sub(group("memory.current").unwrap_or(0)));
    memory.into_iter().chain(group).min().unwrap_or(u64::MAX)
}

/// Available memory and free swap of `/proc/meminfo`.
fn left_in(meminfo: &str) -> Option<u64> {
    let field = |name: &str| -> Option<u64> {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        Some(line.split_ascii_whitespace().next()?.parse::<u64>().ok()? << 10)
    };
    Some(field("MemAvailable")? + field("SwapFree").unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_fit_is_refused_with_what_can() {
        for kind in [RankKind::Folded, RankKind::Process, RankKind::Replayed] {
            check_ranks("-n 4", 4, kind).unwrap();
            let said = check_ranks("-n 4000000000", 4_000_000_000, kind).unwrap_err().error.to_string();
            assert!(said.contains("-n 4000000000") && said.contains(&MOST_RANKS.to_string()), "{said}");
        }
        let said =
            check_ranks("-n 2000000000", 2_000_000_000, RankKind::Folded).unwrap_err().error.to_string();
        assert!(
            said.contains("16.0 KiB for each folded rank") && said.contains("ranks are possible"),
            "{said}"
        );
        let said =
            check_ranks("-n 2000000000", 2_000_000_000, RankKind::Process).unwrap_err().error.to_string();
        assert!(said.contains("more processes than this machine allows"), "{said}");
    }

    #[test]
    fn memory_that_is_left_is_read() {
        let text = "MemTotal:  99 kB\nMemAvailable:    2048 kB\nSwapFree:    1024 kB\n";
        assert_eq!(left_in(text), Some(3 << 20));
        assert_eq!(left_in("MemTotal: 5 kB\n"), None);
    }
}
