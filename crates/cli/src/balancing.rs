//! Ranks that move between cores: what `mpirage balance` and `mpirage run --balancer` share.

use mpirage_balance::{BALANCERS, Balancer, CoreId, by_name};
use mpirage_mpi::{Balancing, CorePlace, Interval, MigrationHistory};
use mpirage_scenario::Placement;
use mpirage_units::{Duration, parse_bytes, parse_duration};
use serde::Serialize;

use crate::arguments::MigrationArguments;
use crate::exit::{Failure, usage};
use crate::machine::{Machine, VirtualProcessors};
use crate::output::say;
use crate::reporting::Charged;
use crate::words::{self, bytes, count};

/// What happened to the ranks of a run that could move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BalancingFigures {
    /// The balancer.
    pub balancer: String,
    /// Calls of `AMPI_Migrate` between two decisions.
    pub every: u32,
    /// How often it decided.
    pub decisions: usize,
    /// How often a rank moved.
    pub moves: u64,
    /// Bytes that ranks took with them.
    pub moved_bytes: u64,
    /// The load of the busiest core over that of the average core, before each decision.
    pub imbalance: Vec<f64>,
}

impl BalancingFigures {
    /// Of a run that has ended.
    pub fn of(arguments: &MigrationArguments, history: &MigrationHistory) -> BalancingFigures {
        let intervals = &history.intervals;
        BalancingFigures {
            balancer: arguments.balancer.clone().unwrap_or_default(),
            every: arguments.every.get(),
            decisions: intervals.len(),
            moves: intervals.iter().map(|interval| u64::from(interval.moved)).sum(),
            moved_bytes: intervals.iter().map(|interval| interval.moved_bytes).sum(),
            imbalance: intervals.iter().filter_map(imbalance).collect(),
        }
    }

    /// Its line of the summary.
    pub fn print(&self) {
        say!(
            "  load balancing  {}, after {} of AMPI_Migrate each: {}, {} with {}",
            self.balancer,
            count(self.every.into(), "call"),
            count(self.decisions as u64, "decision"),
            count(self.moves, "move"),
            bytes(self.moved_bytes)
        );
    }
}

/// The load of the busiest core over that of the average core; none if no core computed.
pub fn imbalance(interval: &Interval) -> Option<f64> {
    let average = interval.loads.average();
    (average > 0.0).then(|| interval.loads.max() / average)
}

/// How the ranks of a run move, if the user asks for a balancer.
pub fn plan(
    arguments: &MigrationArguments,
    machine: &Machine,
    speed: f64,
    seed: u64,
) -> Result<Option<Balancing>, Failure> {
    let Some(name) = &arguments.balancer else { return Ok(None) };
    let Some(VirtualProcessors { cores, first }) = &machine.virtual_processors else {
        return Err(usage(format!(
            "--balancer {name}: ranks can move if several share a core; say on how many cores they are with --on-cores N"
        )));
    };
    let charged = Charged { bursts: true, declared: true };
    Ok(Some(Balancing {
        cores: places(machine, cores, speed, charged),
        host_names: cores.hosts.iter().map(|&host| machine.platform.host(host).name()).collect(),
        mapping: first.iter().copied().map(CoreId).collect(),
        balancer: balancer(name, seed)?,
        every: arguments.every.get(),
        decision: decision(&arguments.decision)?,
        state_bytes: state_bytes(arguments.state.as_deref())?,
    }))
}

/// The value of `--decision`.
pub fn decision(text: &str) -> Result<Duration, Failure> {
    let seconds = parse_duration(text).map_err(|error| usage(format!("--decision: {error}")))?;
    Ok(Duration::from_secs_f64(seconds))
}

/// The value of `--state`.
pub fn state_bytes(text: Option<&str>) -> Result<Option<u64>, Failure> {
    let bytes = text.map(parse_bytes).transpose().map_err(|error| usage(format!("--state: {error}")))?;
    Ok(bytes.map(|bytes| bytes as u64))
}

/// The cores of a machine.
pub fn places(machine: &Machine, cores: &Placement, speed: f64, charged: Charged) -> Vec<CorePlace> {
    let place = |(&host, core): (_, &mpirage_platform::CoreId)| {
        let about = machine.platform.host(host);
        CorePlace {
            host,
            core: core.0,
            host_cores: about.cores,
            seconds_per_nano: machine.slowdown(host, speed) * 1e-9,
            flops: if charged.declared { about.speed } else { f64::INFINITY },
        }
    };
    cores.hosts.iter().zip(&cores.cores).map(place).collect()
}

/// The balancer of this name.
pub fn balancer(name: &str, seed: u64) -> Result<Box<dyn Balancer>, Failure> {
    by_name(name, seed).map_err(|error| {
        let names = BALANCERS.iter().map(|balancer| balancer.name);
        let meant = words::did_you_mean(name, names.clone());
        let known: Vec<&str> = names.collect();
        usage(format!(
            "--balancer: {error}; there are {}, and files of executables, with a slash{meant}",
            known.join(", ")
        ))
    })
}
