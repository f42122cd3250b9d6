//! The energy of a run, on platforms that say what hosts and links burn.

use mpirage_call::function_name;
use mpirage_kernel::{Energy, HostEnergy};
use mpirage_mpi::{Engine, Memory};
use mpirage_platform::{HostId, HostPower, Platform};
use mpirage_record::{Record, Recorder};
use mpirage_units::{Duration, Time};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::machine::Machine;

/// The energy of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EnergyFigures {
    /// Joules of hosts, links and memory.
    pub joules: f64,
    /// Joules of all hosts.
    pub hosts_joules: f64,
    /// Joules of all links.
    pub links_joules: f64,
    /// Joules of the memory of all hosts.
    pub memory_joules: f64,
    /// Joules over simulated seconds; none if no time passed.
    pub mean_watts: Option<f64>,
    /// Joules times simulated seconds.
    pub energy_delay: f64,
    /// Hosts that have ranks.
    pub hosts: Vec<HostEnergyFigures>,
    /// Other hosts of the platform.
    pub unused_hosts: u32,
    /// Joules of these.
    pub unused_hosts_joules: f64,
    /// Links that carried something, and have power.
    pub links: Vec<LinkEnergyFigures>,
    /// Power of the hosts with ranks over time.
    pub power: PowerFigures,
    /// What ranks burn while they are inside MPI; none if calls were not observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<WaitingFigures>,
}

/// The energy of a host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostEnergyFigures {
    /// Its name.
    pub host: String,
    /// Its joules, without those of memory.
    pub joules: f64,
    /// Joules over simulated seconds; none if no time passed.
    pub mean_watts: Option<f64>,
    /// Seconds in which its cores computed, summed over its cores.
    pub core_seconds: f64,
    /// How often its performance state changed.
    pub state_changes: u64,
}

/// The energy of a link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkEnergyFigures {
    /// Its name.
    pub link: String,
    /// Its joules.
    pub joules: f64,
}

/// Power over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PowerFigures {
    /// The length of a stretch; the last one ends with the run.
    pub resolution_seconds: f64,
    /// Mean watts of all hosts with ranks in each stretch.
    pub watts: Vec<f64>,
    /// The same by host, in the order of the hosts; for the report.
    #[serde(skip)]
    pub by_host: Vec<Vec<f64>>,
}

/// What ranks burn while they are inside MPI: their share of the idle power of their hosts, and what they keep busy of a core.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WaitingFigures {
    /// Joules of all ranks.
    pub joules: f64,
    /// The part of the joules of hosts with ranks.
    pub share: f64,
    /// Joules by rank.
    pub by_rank: Vec<f64>,
    /// By MPI function, the most joules first.
    pub by_function: Vec<WaitingFunction>,
}

/// What ranks burn inside an MPI function.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WaitingFunction {
    /// The function.
    pub function: String,
    /// Seconds in it, summed over ranks.
    pub seconds: f64,
    /// Joules.
    pub joules: f64,
}

impl EnergyFigures {
    /// The energy up to the end of a run, if the platform has power.
    pub fn of<M: Memory>(engine: &Engine<M>, machine: &Machine, end: Time) -> Option<EnergyFigures> {
        let energy = engine.energy(end)?;
        let (platform, seconds) = (&machine.platform, end.as_secs_f64());
        let joules = energy.joules();
        let mean = |joules: f64| (seconds > 0.0).then(|| joules / seconds);
        let host = |host: &HostEnergy| HostEnergyFigures {
            host: platform.host(host.host).name(),
            joules: host.joules,
            mean_watts: mean(host.joules),
            core_seconds: host.core_seconds,
            state_changes: host.state_changes,
        };
        let link = |&(link, joules)| LinkEnergyFigures { link: platform.link(link).name(), joules };
        Some(EnergyFigures {
            joules,
            hosts_joules: energy.hosts.joules(),
            links_joules: energy.links.joules,
            memory_joules: energy.memory_joules(),
            mean_watts: mean(joules),
            energy_delay: joules * seconds,
            hosts: energy.hosts.used.iter().map(host).collect(),
            unused_hosts: energy.hosts.unused,
            unused_hosts_joules: energy.hosts.unused_joules,
            links: energy.links.used.iter().map(link).collect(),
            power: PowerFigures::of(&energy, end),
            waiting: None,
        })
    }

    /// Adds what ranks burn inside MPI.
    pub fn add_waiting(&mut self, times: &CallTimes, machine: &Machine) {
        let used: f64 = self.hosts.iter().fold(0.0, |sum, host| sum + host.joules);
        self.waiting = Some(times.figures(machine, used));
    }
}

/// Hosts whose power over time a report shows.
const HOSTS_SHOWN: usize = 32;

impl PowerFigures {
    /// The power of the first hosts, in whole milliwatts.
    pub fn shown_by_host(&self) -> Vec<Vec<f64>> {
        let rounded = |watts: &f64| (watts * 1e3).round() / 1e3;
        self.by_host.iter().take(HOSTS_SHOWN).map(|host| host.iter().map(rounded).collect()).collect()
    }

    fn of(energy: &Energy, end: Time) -> PowerFigures {
        let resolution = energy.hosts.resolution.as_secs_f64();
        let watts = |(stretch, joules): (usize, &f64)| {
            let length = (end.as_secs_f64() - stretch as f64 * resolution).min(resolution);
            if length > 0.0 { joules / length } else { 0.0 }
        };
        let by_host: Vec<Vec<f64>> = energy
            .hosts
            .used
            .iter()
            .map(|host| host.history.iter().enumerate().map(watts).collect())
            .collect();
        let longest = by_host.iter().map(Vec::len).max().unwrap_or(0);
        let at = |stretch: usize| by_host.iter().filter_map(|host| host.get(stretch)).sum();
        PowerFigures { resolution_seconds: resolution, watts: (0..longest).map(at).collect(), by_host }
    }
}

/// Time in MPI calls, by rank and function. An observer of runs on platforms with power.
#[derive(Clone, Debug, Default)]
pub struct CallTimes {
    picos: FxHashMap<(u32, u16), u64>,
}

impl CallTimes {
    fn figures(&self, machine: &Machine, used_joules: f64) -> WaitingFigures {
        let (platform, placement) = (&machine.platform, &machine.placement.hosts);
        let mut residents: FxHashMap<HostId, u32> = FxHashMap::default();
        placement.iter().for_each(|host| *residents.entry(*host).or_default() += 1);
        let watts: Vec<f64> =
            placement.iter().map(|host| watts_inside(platform, *host, residents[host])).collect();
        let mut entries: Vec<((u32, u16), f64)> = self
            .picos
            .iter()
            .map(|(key, &picos)| (*key, Duration::from_picos(picos).as_secs_f64()))
            .collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        let mut figures = WaitingFigures { by_rank: vec![0.0; placement.len()], ..WaitingFigures::default() };
        let mut functions: FxHashMap<u16, (f64, f64)> = FxHashMap::default();
        for ((rank, function), seconds) in entries {
            let Some(watts) = watts.get(rank as usize) else { continue };
            let joules = watts * seconds;
            figures.joules += joules;
            figures.by_rank[rank as usize] += joules;
            let sums = functions.entry(function).or_default();
            *sums = (sums.0 + seconds, sums.1 + joules);
        }
        figures.share = if used_joules > 0.0 { figures.joules / used_joules } else { 0.0 };
        let named = |(function, (seconds, joules))| WaitingFunction {
            function: function_name(function).to_owned(),
            seconds,
            joules,
        };
        figures.by_function = functions.into_iter().map(named).collect();
        figures
            .by_function
            .sort_by(|a, b| b.joules.total_cmp(&a.joules).then_with(|| a.function.cmp(&b.function)));
        figures
    }
}

/// Watts of a rank inside MPI, on a host with so many ranks.
fn watts_inside(platform: &Platform, host: HostId, ranks: u32) -> f64 {
    let cores = platform.host(host).cores;
    let watts = |power: &HostPower| {
        let state = power.first_state();
        let per_core = (state.full - state.active) / f64::from(cores);
        state.idle / f64::from(ranks) + power.waiting * per_core
    };
    platform.power().host(host).map_or(0.0, |power| watts(power))
}

impl Recorder for CallTimes {
    fn record(&mut self, record: &Record<'_>) {
        if let Record::Call { rank, function, entered, left, .. } = *record
            && left > entered
        {
            *self.picos.entry((rank, function)).or_default() += left.since(entered).as_picos();
        }
    }
}
