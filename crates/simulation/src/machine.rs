//! The simulated machine of a command: platform, model, collectives and placement, resolved and checked.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mpirage_collectives::{Choice, ChoiceError, Performed, RuleError, Selector};
use mpirage_kernel::{ComputeModel, Kernel, NetworkModel};
use mpirage_models::{
    ChangingCores, CoreUse, Cores, DiskArray, GovernedCores, Governor, MeteredCores, MeteredMemory,
    RoundRobinCores, SerialCores,
};
use mpirage_mpi::{Bursts, Setup};
use mpirage_packet::CaptureRequest;
use mpirage_platform::{HostId, NetworkNames, Platform, UNMEASURED_SPEED};
use mpirage_record::Recorder;
use mpirage_scenario::{
    Dimemas, Model, ModelError, ModelRequest, PROFILES, Placement, Profile, REFERENCE_SPEED, Situation,
};
use mpirage_units::Duration;
use serde::Deserialize;

use crate::failure::{Failure, bad_platform, usage};
use crate::{governor, hosts, json, limits, words};

/// The machine that is asked for, and the placement of ranks on it: what the options of the same names say.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct MachineRequest {
    /// A platform file or a built-in name; by default one switch with a host for each rank.
    pub platform: Option<String>,
    /// The network, for cables of which the platform says nothing.
    pub net: Option<String>,
    /// The network model, or the file of one.
    pub model: String,
    /// How the MPI library uses the network.
    pub mpi_profile: Option<String>,
    /// Places where messages are packets, if only some are.
    #[serde(deserialize_with = "json::words")]
    pub packet_at: Vec<String>,
    /// The seed of random numbers.
    pub seed: u64,
    /// Algorithms of collectives.
    pub coll: String,
    /// Hosts to use: `NAME[:SLOTS]`.
    #[serde(deserialize_with = "json::words")]
    pub host: Vec<String>,
    /// A file of hosts.
    pub hostfile: Option<PathBuf>,
    /// How ranks are placed: `slot`, `core`, `numa`, `socket` or `node`.
    pub map_by: String,
    /// The object to which ranks are bound: `core`, `socket` or `none`.
    pub bind: String,
    /// Ranks per host.
    pub ppn: Option<u32>,
    /// The cores on which ranks take turns.
    pub on_cores: Option<NonZero<u32>>,
    /// Who chooses the performance states of hosts; by default they keep the first.
    pub governor: Option<String>,
    /// Is the program built for MPICH? Then its library is assumed, if none is named.
    #[serde(skip)]
    pub mpich: bool,
}

impl Default for MachineRequest {
    fn default() -> MachineRequest {
        MachineRequest {
            platform: None,
            net: None,
            model: "flow".to_owned(),
            mpi_profile: None,
            packet_at: Vec::new(),
            seed: 0,
            coll: String::new(),
            host: Vec::new(),
            hostfile: None,
            map_by: "slot".to_owned(),
            bind: "core".to_owned(),
            ppn: None,
            on_cores: None,
            governor: None,
            mpich: false,
        }
    }
}

/// A simulated machine, with the host of each rank.
#[derive(Clone)]
pub struct Machine {
    /// Hosts and links.
    pub platform: Arc<Platform>,
    /// The machine as the user named it.
    pub spec: String,
    /// Network and protocol.
    pub model: Model,
    /// Algorithms of collectives.
    pub collectives: Choice,
    /// The host of each rank.
    pub placement: Placement,
    /// Doubts about the result.
    pub warnings: Vec<String>,
    /// Speed in flops of the machine on which traces for this one are measured, if the configuration fixes it (Dimemas).
    pub reference_speed: Option<f64>,
    /// The cores on which ranks take turns (--on-cores).
    pub virtual_processors: Option<VirtualProcessors>,
    /// Who chooses the performance states of hosts.
    pub governor: Option<Governor>,
    /// How long the turns of ranks on a core are, if they take turns in time slices (`mpirage jobs`).
    pub quantum: Option<Duration>,
}

/// Ranks as virtual processors: the ranks of a core compute one after the other.
#[derive(Clone)]
pub struct VirtualProcessors {
    /// The cores, as places for one rank each.
    pub cores: Placement,
    /// The core of each rank at the start: blocks of neighbours share a core, as in Adaptive MPI.
    pub first: Vec<u32>,
}

impl VirtualProcessors {
    fn new(cores: Placement, ranks: u32) -> VirtualProcessors {
        let count = cores.hosts.len() as u64;
        let first = |rank: u32| (u64::from(rank) * count / u64::from(ranks)) as u32;
        VirtualProcessors { cores, first: (0..ranks).map(first).collect() }
    }

    fn only(&self, members: &[u32]) -> VirtualProcessors {
        let first = members.iter().map(|&rank| self.first[rank as usize]).collect();
        VirtualProcessors { cores: self.cores.clone(), first }
    }
}

impl MachineRequest {
    /// The model that is asked for.
    fn model_request(&self) -> Result<ModelRequest<'_>, Failure> {
        let profile = self.mpi_profile.as_deref().map(profile).transpose()?;
        let (seed, packet_at) = (self.seed, self.packet_at.as_slice());
        let mpich = self.mpich;
        Ok(ModelRequest { profile, mpich, seed, packet_at, ..ModelRequest::from(self.model.as_str()) })
    }
}

impl Machine {
    /// The machine for this many ranks.
    pub fn new(request: &MachineRequest, ranks: u32) -> Result<Machine, Failure> {
        Machine::placed(request, ranks, |platform, places| hosts::place(request, platform, places))
    }

    /// The same with ranks where `place` puts them.
    pub fn placed(
        request: &MachineRequest,
        ranks: u32,
        place: impl FnOnce(&Platform, u32) -> Result<Placement, Failure>,
    ) -> Result<Machine, Failure> {
        if request.model.ends_with(".cfg") {
            return Machine::of_dimemas(request, ranks);
        }
        if let Some(spec) = request.platform.as_deref().filter(|spec| spec.ends_with(".cfg")) {
            return Err(usage(format!(
                "-p {spec}: a Dimemas configuration holds both machine and model; use --model {spec} instead"
            )));
        }
        let places = request.on_cores.map_or(ranks, NonZero::get);
        let spec = request.platform.clone().unwrap_or_else(|| format!("cluster:{places}"));
        let wanted = request.model_request()?;
        let platform = load_platform(&spec, places, request.net.as_deref(), &wanted)?;
        let (model, mut warnings) = resolve_model(&wanted, &platform)?;
        limits::check_platform(&spec, &platform, &model).map_err(bad_platform)?;
        let placement = place(&platform, places)?;
        let collectives = match model.collectives().filter(|_| request.coll.is_empty()) {
            Some(table) => choice("--mpi-profile", table)?,
            None => choice("--coll", &request.coll)?,
        };
        warnings.extend_from_slice(platform.doubts());
        let platform = Arc::new(platform);
        let (reference_speed, virtual_processors, quantum) = (None, None, None);
        let mut machine = Machine {
            platform,
            spec,
            model,
            collectives,
            placement,
            warnings,
            reference_speed,
            virtual_processors,
            governor: request.governor.as_deref().map(governor::parse).transpose()?,
            quantum,
        };
        machine.check_governor(request)?;
        let doubts = machine.situation(request.platform.is_some()).doubts();
        machine.warnings.extend(doubts);
        if request.on_cores.is_some() { machine.over_decomposed(ranks) } else { Ok(machine) }
    }

    /// This machine, with one place for each of its cores, for more ranks that take turns on them.
    fn over_decomposed(self, ranks: u32) -> Result<Machine, Failure> {
        let count = self.ranks();
        if self.placement.oversubscribed {
            return Err(usage(format!("--on-cores {count}: {} has fewer cores", self.spec)));
        }
        if self.model.memory_on(&self.platform, &self.placement).is_some() {
            return Err(usage(format!(
                "{}: ranks on hosts with [node] are bound to their memory and cannot share cores yet; leave out [node]",
                self.spec
            )));
        }
        let virtual_processors = VirtualProcessors::new(self.placement, ranks);
        let placement = virtual_processors.cores.only(&self.platform, &virtual_processors.first);
        Ok(Machine { placement, virtual_processors: Some(virtual_processors), ..self })
    }

    /// The machine as the checks for doubtful results see it.
    fn situation(&self, platform_named: bool) -> Situation<'_> {
        Situation { platform: &self.platform, platform_named, model: &self.model, placement: &self.placement }
    }

    /// A doubt about computation that was measured on a core of `speed` flops.
    pub fn computation_doubt(&self, speed: f64) -> Option<String> {
        // Configurations of Dimemas state ratios, not speeds.
        if self.reference_speed.is_some() { None } else { self.situation(true).computation(speed) }
    }

    /// The doubt about a speed of this machine that is given although all simulated cores are like this machine's.
    pub fn host_speed_doubt(&self) -> Option<String> {
        let is_compared = |host: &HostId| self.platform.host(*host).speed.comparable().is_some();
        (!self.placement.hosts.iter().any(is_compared)).then(|| {
            "--host-speed changes nothing: the simulated cores are like those of this machine; name a platform whose `speed` is a number"
                .to_owned()
        })
    }

    /// How simulated computation compares with computation that was measured on a core of `speed` flops, in words: `this` names that core.
    pub fn describe_ratio(&self, speed: f64, this: &str) -> String {
        let (least, most) = self.situation(true).slowdowns(speed);
        let times = match words::ratio(least) {
            least if least == words::ratio(most) => least,
            least => format!("{least} to {}", words::ratio(most)),
        };
        match self.platform.processor() {
            _ if least == 1.0 && most == 1.0 => "simulated cores are like it".to_owned(),
            Some(processor) => format!("times x {times} ({this} -> {processor})"),
            None => format!("times x {times} ({this} -> {})", self.platform.name()),
        }
    }

    /// The machine of a Dimemas configuration, which also holds model and placement.
    fn of_dimemas(request: &MachineRequest, ranks: u32) -> Result<Machine, Failure> {
        let places = !request.host.is_empty()
            || request.hostfile.is_some()
            || request.ppn.is_some()
            || request.on_cores.is_some()
            || request.governor.is_some();
        if request.platform.is_some() || places {
            return Err(usage(format!(
                "--model {}: a Dimemas configuration holds the machine and the placement of ranks; leave out -p, -H, --hostfile, --ppn, --on-cores and --governor",
                request.model
            )));
        }
        let dimemas = Dimemas::load(&request.model).map_err(bad_platform)?;
        let placement = dimemas.placement(ranks).map_err(bad_platform)?;
        let Dimemas { platform, model, warnings, .. } = dimemas;
        let collectives = choice("--coll", &request.coll)?;
        let (platform, spec) = (Arc::new(platform), request.model.clone());
        let reference_speed = Some(REFERENCE_SPEED);
        let mut machine = Machine {
            platform,
            spec,
            model,
            collectives,
            placement,
            warnings,
            reference_speed,
            virtual_processors: None,
            governor: None,
            quantum: None,
        };
        let doubts = machine.situation(false).doubts();
        machine.warnings.extend(doubts);
        Ok(machine)
    }

    /// This machine with a network on which messages take no time.
    pub fn ideal(&self) -> Machine {
        Machine { model: self.model.on_ideal_network(), warnings: Vec::new(), ..self.clone() }
    }

    /// This machine with only some of its ranks, which keep their hosts.
    pub fn with_ranks(&self, members: &[u32]) -> Machine {
        Machine {
            placement: self.placement.only(&self.platform, members),
            warnings: Vec::new(),
            virtual_processors: self.virtual_processors.as_ref().map(|all| all.only(members)),
            ..self.clone()
        }
    }

    /// Where each rank runs, a line each.
    pub fn bindings(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.ranks() as u32).map(|rank| self.placement.describe(&self.platform, rank))
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.placement.hosts.len()
    }

    /// The speed in flops of a machine that computes like the host of rank 0.
    pub fn first_speed(&self) -> f64 {
        let host = self.placement.hosts.first().map(|&host| self.platform.host(host));
        host.and_then(|host| host.speed.comparable()).unwrap_or(UNMEASURED_SPEED)
    }

    /// Flop/s of declared work on the host of rank 0.
    pub fn first_flops(&self) -> f64 {
        self.placement.hosts.first().map_or(UNMEASURED_SPEED, |&host| self.platform.host(host).speed.flops())
    }

    /// How much slower the host of rank 0 is than a machine of `speed` flops.
    pub fn first_slowdown(&self, speed: f64) -> f64 {
        self.placement.hosts.first().map_or(1.0, |&host| self.slowdown(host, speed))
    }

    /// How much slower a host is than a machine of `speed` flops.
    pub fn slowdown(&self, host: HostId, speed: f64) -> f64 {
        self.platform.host(host).speed.slowdown(speed)
    }

    /// For each rank, how much slower its host is than a machine of `speed` flops.
    pub fn slowdowns(&self, speed: f64) -> Vec<f64> {
        self.placement.hosts.iter().map(|&host| self.slowdown(host, speed)).collect()
    }

    /// True if any host has more ranks than cores.
    pub fn is_oversubscribed(&self) -> bool {
        self.virtual_processors.is_some() || self.placement.oversubscribed
    }

    /// Is the core of rank 0 like the one on which computation is measured?
    pub(crate) fn has_cores_like_this_one(&self) -> bool {
        let host = self.placement.hosts.first().map(|&host| self.platform.host(host));
        host.is_some_and(|host| host.speed.comparable().is_none())
    }

    /// The engine's setup for a run on this machine, if computation is measured on a core of `speed` flops.
    pub(crate) fn setup(
        &self,
        captures: Vec<CaptureRequest>,
        speed: f64,
        bursts: Bursts,
        recorder: Box<dyn Recorder>,
    ) -> Result<Setup, Failure> {
        let network = self.model.captured_network_on(&self.platform, captures);
        let network = network.map_err(|error| usage(format!("cannot write a capture: {error}")))?;
        Ok(self.setup_on(network, speed, bursts, recorder))
    }

    fn setup_on(
        &self,
        network: Box<dyn NetworkModel>,
        speed: f64,
        bursts: Bursts,
        recorder: Box<dyn Recorder>,
    ) -> Setup {
        let cores: Box<dyn ComputeModel> = self.cores();
        let storages = self.platform.storages();
        let interfaces = self.platform.interfaces().of_ranks(&self.placement.hosts);
        let mut kernel = Kernel::new(network, cores)
            .with_storage(Box::new(DiskArray::new(storages)))
            .with_interfaces(interfaces);
        if let Some(memory) = self.model.memory_on(&self.platform, &self.placement) {
            let (platform, hosts) = (Arc::clone(&self.platform), self.placement.hosts.clone());
            kernel = kernel.with_memory(match self.platform.power().has_memory() {
                true => Box::new(MeteredMemory::new(memory, platform, hosts)),
                false => memory,
            });
        }
        let hosts = &self.placement.hosts;
        Setup {
            kernel,
            placement: hosts.clone(),
            jobs: Vec::new(),
            starts: Vec::new(),
            host_flops: hosts.iter().map(|&host| self.platform.host(host).speed.flops()).collect(),
            host_cores: self.placement.hosts.iter().map(|&host| self.platform.host(host).cores).collect(),
            rank_cores: self.placement.cores.iter().map(|core| core.0).collect(),
            seconds_per_nano: self.slowdowns(speed).iter().map(|slowdown| slowdown * 1e-9).collect(),
            protocol: self.model.protocol.clone(),
            collectives: self.collectives.clone(),
            accelerators: self.platform.accelerators(),
            collective_times: self.model.collective_times(&self.platform),
            bursts,
            storages: storages.clone(),
            recorder,
        }
    }
}

impl Machine {
    /// The cores of all hosts, with a meter if the platform says what hosts burn.
    fn cores(&self) -> Box<dyn ComputeModel> {
        let (platform, hosts) = (|| Arc::clone(&self.platform), self.placement.hosts.as_slice());
        if let Some(governor) = self.governor {
            return Box::new(GovernedCores::new(platform(), hosts, governor));
        }
        let (cores, core_use): (Box<dyn ComputeModel>, _) = match (&self.virtual_processors, self.quantum) {
            (Some(_), _) => (Box::new(SerialCores::new(&self.platform)), CoreUse::Bound),
            (None, Some(quantum)) => {
                (Box::new(RoundRobinCores::new(&self.platform, quantum)), CoreUse::Bound)
            }
            (None, None) => (Box::new(Cores::new(platform(), hosts)), CoreUse::Shared),
        };
        let cores = match self.platform.profiles().are_of_cores() {
            true => Box::new(ChangingCores::new(&self.platform, cores)),
            false => cores,
        };
        match self.platform.power().has_hosts() {
            true => Box::new(MeteredCores::new(cores, platform(), hosts, core_use)),
            false => cores,
        }
    }

    /// Refuses a governor that has nothing to choose, or no say.
    fn check_governor(&self, request: &MachineRequest) -> Result<(), Failure> {
        let Some(name) = &request.governor else { return Ok(()) };
        let refused = |why: &str| Err(usage(format!("--governor {name}: {why}")));
        if request.on_cores.is_some() {
            return refused("ranks that take turns on cores (--on-cores) have no governor yet");
        }
        if self.platform.profiles().are_of_cores() {
            return refused("the platform has profiles of speeds, which a governor cannot change");
        }
        if !self.platform.power().hosts().any(|(_, power)| power.states.len() > 1) {
            return refused(&format!(
                "no host of {} has several performance states; add `states` to the table [power] of the platform",
                self.spec
            ));
        }
        Ok(())
    }
}

fn model_names() -> impl Iterator<Item = &'static str> {
    mpirage_scenario::MODELS.iter().map(|model| model.name)
}

fn profile(name: &str) -> Result<&'static Profile, Failure> {
    Profile::named(name).ok_or_else(|| {
        let names = PROFILES.iter().map(|profile| profile.name);
        let meant = words::did_you_mean(name, names.clone());
        let known: Vec<&str> = names.collect();
        usage(format!("--mpi-profile: there is no profile `{name}`; there are {}{meant}", known.join(", ")))
    })
}

/// The platform of that name for so many ranks. `net` is the network that the user names; without one, built-in shapes have the network that the
/// model is for.
pub fn load_platform(
    spec: &str,
    ranks: u32,
    net: Option<&str>,
    model: &ModelRequest<'_>,
) -> Result<Platform, Failure> {
    let assumed = model.usual_network().map_err(|error| refused(error, model.spec))?;
    Platform::load_with(spec, ranks, NetworkNames { named: net, assumed }).map_err(bad_platform)
}

/// The model that is asked for. The route between the first two hosts gives the library that the user has not named.
pub fn resolve_model(
    request: &ModelRequest<'_>,
    platform: &Platform,
) -> Result<(Model, Vec<String>), Failure> {
    let mut links = Vec::new();
    let other = HostId(u32::from(platform.host_count() > 1));
    let latency = platform.route(HostId(0), other, &mut links);
    let bandwidth = links.iter().map(|&link| platform.link(link).bandwidth).fold(f64::INFINITY, f64::min);
    let sample = if links.is_empty() { (1e-6, 1e9) } else { (latency, bandwidth) };
    let resolved = Model::resolve(request.on_platform(platform), platform.settings(), sample)
        .and_then(|resolved| resolved.0.check(platform).map(|()| resolved));
    resolved.map_err(|error| refused(error, request.spec))
}

fn refused(error: ModelError, spec: &str) -> Failure {
    match error {
        ModelError::Name(_) => usage(format!("{error}{}", words::did_you_mean(spec, model_names()))),
        ModelError::Profile { .. } | ModelError::PacketAt(_) => usage(error),
        ModelError::Setting(_) | ModelError::Dimemas(_) | ModelError::Causes(_) => bad_platform(error),
    }
}

/// The algorithms of collectives that an option, such as `--coll`, names; files are read.
pub fn choice(option: &str, text: &str) -> Result<Choice, Failure> {
    let read = |file: &str| {
        let path = Path::new(file);
        let text = || mpirage_files::read_text(path, mpirage_files::LONGEST_TEXT);
        path.exists().then(|| text().map_err(|error| error.to_string()))
    };
    Choice::parse_with(text, read).map_err(|error| {
        let tables = Selector::names().map(|(name, _)| name);
        let meant = match &error {
            ChoiceError::UnknownTable(name) => words::did_you_mean(name, tables),
            ChoiceError::Rule(RuleError::NotForCollective { collective, name }) => {
                words::did_you_mean(name, collective.algorithms().map(|algorithm| algorithm.name()))
            }
            ChoiceError::Rule(RuleError::UnknownCollective(name)) => words::did_you_mean(
                name,
                mpirage_call::Collective::ALL.iter().map(|collective| collective.name()),
            ),
            _ => String::new(),
        };
        usage(format!("{option}: {error}{meant}"))
    })
}
