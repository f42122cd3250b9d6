//! Ranks that move between cores: what `mpirage balance` and `mpirage run --balancer` share.

use mpirage_balance::{BALANCERS, BalanceError, Balancer, CoreId, by_name};
use mpirage_mpi::{Balancing, CorePlace, Interval, MigrationHistory};
use mpirage_scenario::Placement;
use mpirage_units::{Duration, parse_bytes, parse_duration};
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, usage};
use crate::machine::{Machine, VirtualProcessors};
use crate::simulation::Charged;
use crate::words;

/// How ranks move, if they do: what the options of the same names say.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct MigrationRequest {
    /// The balancer; none: ranks stay where they are.
    pub balancer: Option<String>,
    /// Calls of `AMPI_Migrate` between two decisions.
    pub every: u32,
    /// How long a decision takes.
    pub decision: String,
    /// The bytes that a rank takes with it, if its calls do not say.
    pub state: Option<String>,
}

impl Default for MigrationRequest {
    fn default() -> MigrationRequest {
        MigrationRequest { balancer: None, every: 20, decision: "100us".to_owned(), state: None }
    }
}

/// How the ranks of a run with load balancing moved.
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
    pub fn of(request: &MigrationRequest, history: &MigrationHistory) -> BalancingFigures {
        let intervals = &history.intervals;
        BalancingFigures {
            balancer: request.balancer.clone().unwrap_or_default(),
            every: request.every,
            decisions: decisions(intervals),
            moves: intervals.iter().map(|interval| u64::from(interval.moved)).sum(),
            moved_bytes: intervals.iter().map(|interval| interval.moved_bytes).sum(),
            imbalance: intervals.iter().filter_map(imbalance).collect(),
        }
    }
}

/// How many decisions were made.
pub fn decisions(intervals: &[Interval]) -> usize {
    intervals.iter().filter(|interval| interval.decided).count()
}

/// The load of the busiest core over that of the average core; none if no core computed.
pub fn imbalance(interval: &Interval) -> Option<f64> {
    let average = interval.loads.average();
    (average > 0.0).then(|| interval.loads.max() / average)
}

/// How the ranks of a run move, if the user asks for a balancer.
pub fn plan(
    request: &MigrationRequest,
    machine: &Machine,
    speed: f64,
    seed: u64,
) -> Result<Option<Balancing>, Failure> {
    let Some(name) = &request.balancer else { return Ok(None) };
    let Some(VirtualProcessors { cores, first }) = &machine.virtual_processors else {
        return Err(usage(format!(
            "--balancer {name}: ranks can move if several share a core; say on how many cores they are with --on-cores N"
        )));
    };
    Ok(Some(Balancing {
        cores: places(machine, cores, speed, Charged::ALL),
        host_names: cores.hosts.iter().map(|&host| machine.platform.host(host).name()).collect(),
        mapping: first.iter().copied().map(CoreId).collect(),
        balancer: balancer(name, seed)?,
        every: request.every,
        decision: decision(&request.decision)?,
        state_bytes: state_bytes(request.state.as_deref())?,
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
            flops: if charged.declared { about.speed.flops() } else { f64::INFINITY },
        }
    };
    cores.hosts.iter().zip(&cores.cores).map(place).collect()
}

/// The balancer of this name.
pub fn balancer(name: &str, seed: u64) -> Result<Box<dyn Balancer>, Failure> {
    by_name(name, seed).map_err(|error| {
        let BalanceError::Unknown(name) = &error else { return usage(format!("--balancer: {error}")) };
        let names = BALANCERS.iter().map(|balancer| balancer.name);
        let meant = words::did_you_mean(name, names.clone());
        let known: Vec<&str> = names.collect();
        usage(format!(
            "--balancer: {error}; there are {}, and files of executables, with a slash{meant}",
            known.join(", ")
        ))
    })
}
