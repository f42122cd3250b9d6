//! Models by name, with the numbers behind the names.

use mpirage_models::Segment;
use mpirage_mpi::{
    AccessProgress, EagerSend, Envelope, Handshake, LibraryProgress, Noise, Overhead, PollCost, Protocol,
    Rendezvous, SendCost, WakeUp,
};
use mpirage_platform::{ModelSettings, NetworkSource, Platform, PlatformError, Setting};
use mpirage_units::Duration;

use crate::bus::{self, Bus};
use crate::loggops::{self, LogGops};
use crate::measured_flow::measured_flow;
use crate::network::Network;
use crate::packet::Packet;
use crate::profile::{PROFILES, Profile};
use crate::smp::{self, Smp};
use crate::{fit, keys, physics, simgrid};

/// Network and protocol of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// As the user names it.
    pub name: String,
    /// How long messages take.
    pub network: Network,
    /// How MPI behaves.
    pub protocol: Protocol,
    /// The measurements that its parameters are from, if they are known.
    pub calibration: Option<Calibration>,
    /// The library that it describes, if it tells libraries apart.
    pub profile: Option<&'static Profile>,
    /// Has neither the user nor the platform named that library?
    pub profile_is_assumed: bool,
}

/// The network on which a model was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Bytes per second of its links.
    pub bandwidth: Option<f64>,
    /// Seconds from host to host.
    pub latency: Option<f64>,
    /// The measured network, in words.
    pub on: &'static str,
}

impl Calibration {
    /// Nothing is known yet.
    pub(crate) const UNKNOWN: Calibration =
        Calibration { bandwidth: None, latency: None, on: "another network" };
    /// The factors that come with `flow` and `simgrid`.
    const GIGABIT: Calibration =
        Calibration { bandwidth: Some(125e6), latency: Some(100e-6), on: "TCP over 1 Gbit/s Ethernet" };
}

/// The user's request.
#[derive(Clone, Copy, Debug)]
pub struct ModelRequest<'r> {
    /// The name of a model, or a model file.
    pub spec: &'r str,
    /// The library, where the model tells libraries apart.
    pub profile: Option<&'static Profile>,
    /// The library that was measured on the platform's network, if the network has a name.
    pub measured_profile: Option<&'static Profile>,
    /// Is the program built for MPICH?
    pub mpich: bool,
    /// Do links of the platform change at dates? Only factors follow them.
    pub network_changes: bool,
    /// The seed of random numbers.
    pub seed: u64,
    /// Places that are simulated as frames while the rest is flows; all if it is empty.
    pub packet_at: &'r [String],
}

impl ModelRequest<'_> {
    /// The same with the library that a file's `[model]` table names, if nothing else has named one.
    fn with_profile_of(mut self, file: &ModelSettings) -> Result<Self, ModelError> {
        if let (None, Some(setting)) = (self.profile, file.get("profile")) {
            let known = PROFILES.map(|profile| profile.name).join(", ");
            let unknown =
                || setting.place.error(format!("there is no profile {}; there are {known}", setting.value));
            let named = setting.value.as_text().and_then(Profile::named);
            self.profile = Some(named.ok_or_else(unknown)?);
        }
        Ok(self)
    }

    /// The same on a platform.
    pub fn on_platform(mut self, platform: &Platform) -> Self {
        if let NetworkSource::Preset { profile: Some(name), .. } = platform.network_source() {
            self.measured_profile = Profile::named(name);
        }
        self.network_changes = platform.profiles().are_of_network();
        self
    }

    /// The network of built-in platforms of which only the shape is named: the one that the model, or the library, is for. `None`: cables of
    /// gigabit Ethernet, on which the factors of models were measured.
    pub fn usual_network(self) -> Result<Option<&'static str>, ModelError> {
        let file =
            if is_file(self.spec) { ModelSettings::load(self.spec)? } else { ModelSettings::default() };
        let request = self.with_profile_of(&file)?;
        let name = base_of(self.spec, &file);
        Ok(match request.profile {
            Some(profile) => profile.transport.usual_network(),
            None if has_factors(file.iter()) => None,
            None => [DEFAULT, PACKET, IDEAL].contains(&name).then_some(USUAL_NETWORK),
        })
    }

    /// The library that the model describes: the one that is named, the one that was measured on the network, or the usual one of the
    /// transport that cables of this latency and bandwidth have. True if it is assumed.
    fn library(&self, (latency, bandwidth): (f64, f64)) -> (&'static Profile, bool) {
        match self.profile.or(self.measured_profile) {
            Some(profile) => (profile, false),
            None => (Profile::for_cables(latency, bandwidth, self.mpich), true),
        }
    }
}

impl<'r> From<&'r str> for ModelRequest<'r> {
    fn from(spec: &'r str) -> ModelRequest<'r> {
        ModelRequest {
            spec,
            profile: None,
            measured_profile: None,
            mpich: false,
            network_changes: false,
            seed: 0,
            packet_at: &[],
        }
    }
}

/// Settings of the `[packet]` table begin with this.
const PACKET_TABLE: &str = "packet.";
const TRANSPORT: &str = "packet.transport";
/// The network of built-in platforms of which only the shape is named.
const USUAL_NETWORK: &str = "hdr200";

/// A model that comes with mpirage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelName {
    /// Its name, as users write it.
    pub name: &'static str,
    /// A description of the model.
    pub meaning: &'static str,
}

/// All of them.
pub const MODELS: [ModelName; 11] = [
    ModelName {
        name: DEFAULT,
        meaning: "messages as a library sends them over its transport (--mpi-profile), contention by max-min sharing (default)",
    },
    ModelName {
        name: "flow:factors",
        meaning: "piece-wise linear in the size, as measured on gigabit Ethernet; contention by max-min sharing",
    },
    ModelName {
        name: "flow:affine",
        meaning: "one latency (of 1 byte) and one bandwidth (92 % of the link's), with contention",
    },
    ModelName {
        name: "flow:best-fit",
        meaning: "the affine model nearest to flow:factors on this platform, with contention",
    },
    ModelName {
        name: "flow:no-contention",
        meaning: "flow:factors, but every message has its links to itself",
    },
    ModelName { name: "simgrid", meaning: "SimGrid's SMPI model, number for number" },
    ModelName {
        name: "bus",
        meaning: "Dimemas: latency and bandwidth, links per node, a number of buses; collectives by formula",
    },
    ModelName {
        name: "smp",
        meaning: "SMP-SIM: memory and network each with latency and bandwidth, no contention",
    },
    ModelName {
        name: "loggops",
        meaning: "LogGOPS: every message takes processor time on both sides, and a gap before the next",
    },
    ModelName {
        name: PACKET,
        meaning: "frames, queues and TCP connections; how the MPI library uses them is a profile (--mpi-profile)",
    },
    ModelName {
        name: IDEAL,
        meaning: "messages take no time at all: what remains is computation and waiting for each other",
    },
];

/// The model of runs for which nothing else is said, and of model files that name no base.
const DEFAULT: &str = "flow";
const PACKET: &str = "packet";
const IDEAL: &str = "ideal";

/// The part of a link's bandwidth that TCP can use, for the default affine model of paper 1.
const TCP_SHARE: f64 = 0.92;

impl Model {
    /// The model that a request and the settings of the platform describe. Parameters of a model file go before the
    /// platform's. `sample` is latency and bandwidth of a typical route, for models that are fitted. Gives warnings too.
    pub fn resolve<'r>(
        request: impl Into<ModelRequest<'r>>,
        settings: &ModelSettings,
        sample: (f64, f64),
    ) -> Result<(Model, Vec<String>), ModelError> {
        let request: ModelRequest<'_> = request.into();
        let spec = request.spec;
        let file = if is_file(spec) { ModelSettings::load(spec)? } else { ModelSettings::default() };
        let mut request = request.with_profile_of(&file)?;
        if [DEFAULT, PACKET].contains(&base_of(spec, &file)) {
            request = request.with_profile_of(settings)?;
        }
        let by_factors = request.network_changes || has_factors(settings.iter().chain(file.iter()));
        let mut model = Model::named(base_of(spec, &file), sample, &request, by_factors)?;
        spec.clone_into(&mut model.name);
        model.protocol.noise.seed = request.seed;
        model.protocol.wake_up.seed = request.seed;
        let bare = model.network.clone();
        let mut warnings = Vec::new();
        let all = || settings.iter().chain(file.iter());
        let takes_preset = model.takes_preset(&request);
        let mut ordered: Vec<_> = all().filter(|setting| takes_preset || !setting.is_of_preset()).collect();
        // The transport decides what others begin with, and what the user writes goes before what a preset says.
        ordered.sort_by_key(|setting| (setting.key != TRANSPORT, !setting.is_of_preset()));
        for setting in ordered {
            if let Some(key) = setting.key.strip_prefix(PACKET_TABLE) {
                model.set_packet(key, setting)?;
            } else if simgrid::is_name(&setting.key) {
                simgrid::apply(setting, &mut model, &mut warnings)?;
            } else if !["base", "profile"].contains(&setting.key.as_str())
                && !keys::apply(setting, &mut model, &mut warnings)?
                && !setting.is_of_preset()
            {
                let (file, line, key) = (setting.place.file(), setting.place.line(), &setting.key);
                warnings
                    .push(format!("{file}:{line}: {key} is a parameter of another model and is left aside"));
            }
        }
        simgrid::limit_receives(all(), &mut model);
        model.check_causes()?;
        model.set_detail(&request)?;
        if model.profile.is_none() && model.calibration.is_none() && model.network.has_segments_of(&bare) {
            model.calibration = Some(Calibration::GIGABIT);
        }
        model.network.shape(&mut model.protocol);
        Ok((model, warnings))
    }

    /// Do the parameters of a network preset hold? They were measured with a library on its transport, and are not factors.
    fn takes_preset(&self, request: &ModelRequest<'_>) -> bool {
        match (&self.network, self.profile, request.measured_profile) {
            (Network::Flow(_), None, _) => false,
            (_, Some(profile), Some(measured)) => profile.transport == measured.transport,
            _ => true,
        }
    }

    /// Does the result depend on random numbers?
    pub fn is_random(&self) -> bool {
        let Protocol { noise, wake_up, .. } = &self.protocol;
        !noise.is_none() || !wake_up.latest.is_zero() || matches!(self.network, Network::Packet(_))
    }

    /// A model of that network, with nothing else said.
    pub(crate) fn of_network(name: &str, network: Network) -> Model {
        let base = eager_protocol();
        let mut protocol = match &network {
            Network::Flow(_) | Network::Ideal => base,
            Network::Packet(packet) => packet.profile.protocol(base),
            Network::Bus(_) => bus::protocol(base),
            Network::Smp(_) => smp::protocol(base),
            Network::LogGops(_) => loggops::protocol(base),
        };
        network.shape(&mut protocol);
        Model {
            name: name.to_owned(),
            network,
            protocol,
            calibration: None,
            profile: None,
            profile_is_assumed: false,
        }
    }

    /// Combining and copying inside MPI costs nothing.
    pub fn without_local_work(&mut self) {
        self.protocol.reduce_seconds_per_byte = 0.0;
        self.protocol.copy_seconds_per_byte = 0.0;
        self.protocol.copy_seconds_per_block = 0.0;
    }

    /// Nothing is late: repeated runs are equal, whatever their seeds.
    pub fn without_noise(&mut self) {
        self.protocol.wake_up.latest = Duration::ZERO;
        self.protocol.noise = Noise { seed: self.protocol.noise.seed, ..Noise::default() };
        match &mut self.network {
            Network::Flow(flow) => {
                if let Some(physics) = &mut flow.physics {
                    physics.lateness.share = 0.0;
                }
            }
            Network::Packet(packet) => packet.parameters.hosts.late_share = 0.0,
            _ => {}
        }
    }

    /// The same MPI on a network on which nothing takes time, nor does handing messages to it.
    pub fn on_ideal_network(&self) -> Model {
        let envelope = match self.protocol.envelope {
            // `InOrder` needs the model's processors, which an ideal network does not have.
            Envelope::InOrder => Envelope::OnArrival,
            envelope => envelope,
        };
        let protocol = Protocol {
            envelope,
            startup: None,
            processor: None,
            copy_out_seconds_per_byte: 0.0,
            late_seconds_per_byte: 0.0,
            send_overhead: Overhead::default(),
            isend_overhead: Overhead::default(),
            recv_overhead: Overhead::default(),
            atomic_gap: Duration::ZERO,
            noise: Noise { message: 0.0, ..self.protocol.noise },
            ..self.protocol.clone()
        };
        let (name, network) = ("ideal".to_owned(), Network::Ideal);
        Model { name, network, protocol, calibration: None, ..self.clone() }
    }

    /// Sets a parameter of the `[packet]` table, which only a network of frames reads. Those of a preset that another transport has say
    /// nothing about this one.
    fn set_packet(&mut self, key: &str, setting: &Setting) -> Result<(), ModelError> {
        if let Network::Packet(packet) = &mut self.network {
            if setting.is_of_preset() && !packet.has(key) {
                return Ok(());
            }
            let problem = |problem: String| setting.place.error(format!("`{key}`: {problem}"));
            packet.set(key, &setting.value).map_err(problem)?;
        }
        Ok(())
    }

    /// Are all places that its parameters name on this platform?
    pub fn check(&self, platform: &Platform) -> Result<(), ModelError> {
        match &self.network {
            Network::Packet(packet) => packet.check(platform).map_err(|problem| {
                let key = problem.split('`').nth(1).unwrap_or_default();
                match platform.settings().get(&format!("{PACKET_TABLE}{key}")) {
                    Some(setting) => ModelError::Setting(setting.place.error(problem)),
                    None => ModelError::Dimemas(format!("{}: {problem}", self.name)),
                }
            }),
            _ => Ok(()),
        }
    }

    /// The library that the model describes, in words, and how it is known.
    pub fn library_in_words(&self) -> Option<String> {
        let Profile { name, meaning, .. } = self.profile?;
        Some(match self.profile_is_assumed {
            true => format!("assumed: {name}; choose one with --mpi-profile (`mpirage info profiles`)"),
            false => format!("{name}: {}", meaning.split(": ").next()?),
        })
    }

    /// The table of collectives that the library of its profile uses, if it has one.
    pub fn collectives(&self) -> Option<&'static str> {
        self.profile.map(|profile| profile.collectives)
    }

    /// The model of that name. `by_factors`: without a library that is named, `flow` has factors by size.
    fn named(
        name: &str,
        sample: (f64, f64),
        request: &ModelRequest<'_>,
        by_factors: bool,
    ) -> Result<Model, ModelError> {
        match name {
            PACKET => return Ok(Model::of_frames(request, sample)),
            DEFAULT if request.profile.is_some() || !by_factors => {
                return Ok(Model::of_library(request, sample));
            }
            _ => {}
        }
        if let Some(profile) = request.profile {
            return Err(ModelError::Profile { profile: profile.name, model: name.to_owned() });
        }
        let (mut flow, protocol) = (measured_flow(), eager_protocol());
        let protocol = match name {
            DEFAULT | "flow:factors" => protocol,
            "flow:no-contention" => {
                flow.contention = false;
                protocol
            }
            "flow:affine" => {
                let latency_factor = flow.segments[0].latency_factor;
                flow.segments = vec![Segment { above: 0, latency_factor, bandwidth_factor: TCP_SHARE }];
                protocol
            }
            "flow:best-fit" => {
                flow.segments = vec![fit::affine(&flow, sample)];
                protocol
            }
            "simgrid" => {
                flow.samples_power = true;
                simgrid_protocol()
            }
            "bus" => return Ok(Model::of_network(name, Network::Bus(Bus::on(sample)))),
            "smp" => return Ok(Model::of_network(name, Network::Smp(Smp::on(sample)))),
            IDEAL => return Ok(Model::of_network(name, Network::Ideal)),
            "loggops" => return Ok(Model::of_network(name, Network::LogGops(LogGops::default()))),
            _ => return Err(unknown(name)),
        };
        Ok(Model { protocol, ..Model::of_network(name, Network::Flow(flow)) })
    }

    /// Flows with the physics of a library on its transport.
    fn of_library(request: &ModelRequest<'_>, sample: (f64, f64)) -> Model {
        let (profile, profile_is_assumed) = request.library(sample);
        let flow = profile.flow(measured_flow(), request.seed);
        let protocol = profile.protocol(eager_protocol());
        let network = Network::Flow(flow);
        Model { protocol, profile: Some(profile), profile_is_assumed, ..Model::of_network(DEFAULT, network) }
    }

    /// The frames of a library on its transport.
    fn of_frames(request: &ModelRequest<'_>, sample: (f64, f64)) -> Model {
        let (profile, profile_is_assumed) = request.library(sample);
        let network = Network::Packet(Box::new(Packet::of(profile, request.seed)));
        Model { profile: Some(profile), profile_is_assumed, ..Model::of_network(PACKET, network) }
    }

    /// Applies the options of the command line, which take precedence over files.
    fn set_detail(&mut self, request: &ModelRequest<'_>) -> Result<(), ModelError> {
        match &mut self.network {
            _ if request.packet_at.is_empty() => {}
            Network::Packet(packet) => packet.only = request.packet_at.to_vec(),
            _ => return Err(ModelError::PacketAt(self.name.clone())),
        }
        Ok(())
    }

    fn check_causes(&self) -> Result<(), ModelError> {
        let problem = match &self.network {
            Network::Flow(flow) => physics::contradiction(flow),
            _ => None,
        };
        problem.map_or(Ok(()), |problem| Err(ModelError::Causes(format!("{}: {problem}", self.name))))
    }
}

/// Why a model cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// No such name.
    #[error("{0}")]
    Name(String),
    /// The model does not tell libraries apart.
    #[error(
        "--mpi-profile {profile}: profiles belong to --model packet and --model flow; model `{model}` has none"
    )]
    Profile {
        /// The profile.
        profile: &'static str,
        /// The model.
        model: String,
    },
    /// The model has no packets.
    #[error("--packet-at belongs to --model packet; model `{0}` has no packets")]
    PacketAt(String),
    /// Factors and causes at once.
    #[error("{0}")]
    Causes(String),
    /// A file of Dimemas is wrong.
    #[error("{0}")]
    Dimemas(String),
    /// A setting of a file is wrong.
    #[error("{0}")]
    Setting(#[from] PlatformError),
}

/// The model whose parameters a file changes, or the model of that name.
fn base_of<'a>(spec: &'a str, file: &'a ModelSettings) -> &'a str {
    let has_frames = || file.iter().any(|setting| setting.key.starts_with(PACKET_TABLE));
    match file.text("base") {
        _ if !is_file(spec) => spec,
        Some(base) => base,
        None => {
            if has_frames() {
                PACKET
            } else {
                DEFAULT
            }
        }
    }
}

/// Do settings give factors by size? They were measured on a whole, to which causes cannot be added.
fn has_factors<'s>(mut settings: impl Iterator<Item = &'s Setting>) -> bool {
    settings.any(|setting| setting.key == "segments" || simgrid::sets_factors(&setting.key))
}

pub(crate) fn is_file(spec: &str) -> bool {
    spec.ends_with(".toml") || spec.contains('/')
}

fn unknown(name: &str) -> ModelError {
    let known = MODELS.map(|model| model.name).join(", ");
    ModelError::Name(format!("there is no model `{name}`; there are: {known}"))
}

/// Open MPI 4.1.4 on one core of a Xeon of 2.1 GHz (Sapphire Rapids): an indexed type of 32 blocks made, committed and freed takes 1.13 us, packing,
/// unpacking and copying it 0.61 us: 54 ns for each block, as in a round of Bruck's all-to-all.
const PACKED_BLOCK: f64 = 54e-9;

/// Eager messages leave at once and are seen on arrival. The last segment's latency was measured with the
/// handshake of the rendezvous in it, so there is no separate one by default.
fn eager_protocol() -> Protocol {
    Protocol {
        eager_limit: 65_536,
        push_limit: 65_536,
        envelope: Envelope::OnArrival,
        eager: EagerSend::AtOnce,
        handshake: Handshake::None,
        rendezvous: Rendezvous::Delivered,
        copy_out_seconds_per_byte: 0.0,
        late_seconds_per_byte: 0.0,
        startup: None,
        processor: None,
        send_cost: SendCost::First,
        send_overhead: Overhead::default(),
        isend_overhead: Overhead::default(),
        recv_overhead: Overhead::default(),
        poll: PollCost::Proportional { least: Duration::from_nanos(500), share: 0.01 },
        clock_cost: Duration::from_nanos(10),
        reduce_seconds_per_byte: 0.25e-9,
        copy_seconds_per_byte: 0.1e-9,
        copy_seconds_per_block: PACKED_BLOCK,
        progress: LibraryProgress::Background,
        one_sided: AccessProgress::Interface,
        atomic_gap: Duration::ZERO,
        wake_up: WakeUp::default(),
        noise: Noise::default(),
    }
}

fn simgrid_protocol() -> Protocol {
    Protocol {
        push_limit: 0,
        envelope: Envelope::AtSend,
        poll: PollCost::First { test: Duration::from_nanos(100_000), probe: Duration::from_nanos(100_000) },
        reduce_seconds_per_byte: 0.0,
        copy_seconds_per_byte: 0.0,
        copy_seconds_per_block: 0.0,
        ..eager_protocol()
    }
}

#[cfg(test)]
mod tests {
    use mpirage_models::FlowParameters;

    use super::*;

    const GIGABIT: (f64, f64) = (100e-6, 125e6);

    fn flow(model: &Model) -> &FlowParameters {
        match &model.network {
            Network::Flow(flow) => flow,
            other => panic!("{other:?} is no flow"),
        }
    }

    #[test]
    fn every_name_resolves_and_every_other_is_refused() {
        for model in MODELS {
            assert!(Model::resolve(model.name, &ModelSettings::default(), GIGABIT).is_ok(), "{}", model.name);
        }
        let error = Model::resolve("pocket", &ModelSettings::default(), GIGABIT).unwrap_err().to_string();
        assert!(error.contains("there is no model"), "{error}");
    }

    #[test]
    fn a_model_file_goes_before_the_platform() {
        let path = std::env::temp_dir().join(format!("mpirage-model-{}.toml", std::process::id()));
        std::fs::write(&path, "[model]\nbase = \"simgrid\"\neager-limit = 7\n").unwrap();
        let platform = ModelSettings::from_text("p", "[model]\neager-limit = 9\nheader = 5\n").unwrap();
        let (model, _) = Model::resolve(path.to_str().unwrap(), &platform, GIGABIT).unwrap();
        assert_eq!((model.protocol.eager_limit, model.protocol.push_limit, flow(&model).header), (7, 0, 5));
        std::fs::remove_file(&path).unwrap();
        let error = Model::resolve("nowhere.toml", &platform, GIGABIT).unwrap_err().to_string();
        assert!(error.contains("nowhere.toml"), "{error}");
    }

    #[test]
    fn the_library_is_named_or_the_usual_one_of_such_cables() {
        let library = |spec: &str, settings: &str, sample: (f64, f64)| {
            let settings = ModelSettings::from_text("p", &format!("[model]\n{settings}\n")).unwrap();
            let (model, _) = Model::resolve(spec, &settings, sample).unwrap();
            model.profile.map(|profile| (profile.name, model.profile_is_assumed))
        };
        let (fast, near) = ((20e-6, 2.5e9), (4e-6, 125e6));
        assert_eq!(library("flow", "", GIGABIT), Some(("openmpi-tcp", true)));
        for sample in [fast, near] {
            assert_eq!(library("flow", "", sample), Some(("ucx-ib", true)));
            assert_eq!(library("packet", "", sample), Some(("ucx-ib", true)));
        }
        let of_mpich = ModelRequest { mpich: true, ..ModelRequest::from("flow") };
        let (model, _) = Model::resolve(of_mpich, &ModelSettings::default(), GIGABIT).unwrap();
        assert_eq!(model.profile.map(|profile| profile.name), Some("mpich-tcp"));
        let named = "profile = \"mpich-tcp\"";
        assert_eq!(library("flow", named, fast), Some(("mpich-tcp", false)));
        let factors = "segments = [{ above = 0, latency = 1.5, bandwidth = 0.9 }]";
        for (spec, settings) in [("flow", factors), ("flow:factors", ""), ("simgrid", named)] {
            assert_eq!(library(spec, settings, fast), None, "{spec}");
        }
    }

    #[test]
    fn a_preset_has_parameters_of_libraries_on_its_transport() {
        let platform = Platform::load("cluster:2,net=hdr200", 2).unwrap();
        let delays = |spec: &str, profile: Option<&str>| {
            let profile = profile.and_then(Profile::named);
            let request = ModelRequest { profile, ..spec.into() }.on_platform(&platform);
            let (model, _) = Model::resolve(request, platform.settings(), GIGABIT).unwrap();
            !flow(&model).interface_delay.sections().is_empty()
        };
        assert!(delays("flow", None) && delays("flow", Some("ucx-ib")));
        assert!(
            !delays("flow", Some("mpich-tcp")) && !delays("flow:factors", None) && !delays("simgrid", None)
        );
    }

    #[test]
    fn a_message_alone_takes_what_simgrid_says() {
        let (model, _) = Model::resolve("simgrid", &ModelSettings::default(), GIGABIT).unwrap();
        let round = flow(&model).uncontended(1024, GIGABIT.0, GIGABIT.1);
        // 100,000 messages of 1 KiB take 21.935841024513 s with one clock reading in between.
        assert!((round * 1e5 - 21.935841024513).abs() / 21.9 < 1e-7, "{round}");
    }

    #[test]
    fn the_fitted_model_errs_less_than_the_default_affine_one() {
        let error = |name: &str| {
            let (model, _) = Model::resolve(name, &ModelSettings::default(), GIGABIT).unwrap();
            fit::log_error(flow(&model), &measured_flow(), GIGABIT)
        };
        assert!(error("flow:best-fit") < error("flow:affine"));
        assert_eq!(error("flow:factors"), 0.0);
    }
}
