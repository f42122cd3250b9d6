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
    /// The seed of random numbers.
    pub seed: u64,
    /// Places that are simulated as frames while the rest is flows; all if it is empty.
    pub packet_at: &'r [String],
}

impl ModelRequest<'_> {
    /// The same with the library that a model file names, if the user names none.
    fn with_profile_of(mut self, file: &ModelSettings) -> Result<Self, ModelError> {
        if let (None, Some(name)) = (self.profile, file.text("profile")) {
            let known = PROFILES.map(|profile| profile.name).join(", ");
            let unknown = || {
                ModelError::Causes(format!("{}: there is no profile `{name}`; there are {known}", self.spec))
            };
            self.profile = Some(Profile::named(name).ok_or_else(unknown)?);
        }
        Ok(self)
    }

    /// The same with the library that was measured on the platform's network, if the user names none and the model knows it.
    pub fn for_network(mut self, network: &NetworkSource) -> Self {
        if let (None, "packet", NetworkSource::Preset { profile: Some(name), .. }) =
            (self.profile, self.spec, network)
        {
            self.profile = Profile::named(name);
        }
        self
    }
}

impl<'r> From<&'r str> for ModelRequest<'r> {
    fn from(spec: &'r str) -> ModelRequest<'r> {
        ModelRequest { spec, profile: None, seed: 0, packet_at: &[] }
    }
}

/// Settings of the `[packet]` table begin with this.
const PACKET_TABLE: &str = "packet.";
const TRANSPORT: &str = "packet.transport";

/// A model that comes with mpirage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelName {
    /// Its name, as users write it.
    pub name: &'static str,
    /// A description of the model.
    pub meaning: &'static str,
}

/// All of them.
pub const MODELS: [ModelName; 10] = [
    ModelName {
        name: "flow",
        meaning: "piece-wise linear in the size, contention by max-min sharing; eager messages leave when sent (default)",
    },
    ModelName {
        name: "flow:affine",
        meaning: "one latency (of 1 byte) and one bandwidth (92 % of the link's), with contention",
    },
    ModelName {
        name: "flow:best-fit",
        meaning: "the affine model nearest to flow on this platform, with contention",
    },
    ModelName { name: "flow:no-contention", meaning: "flow, but every message has its links to itself" },
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
        name: "packet",
        meaning: "frames, queues and TCP connections; how the MPI library uses them is a profile (--mpi-profile)",
    },
    ModelName {
        name: "ideal",
        meaning: "messages take no time at all: what remains is computation and waiting for each other",
    },
];

/// The model of runs for which nothing else is said, and of model files that name no base.
const DEFAULT: &str = "flow";

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
        let base =
            if is_file(spec) { file.text("base").unwrap_or_else(|| default_base(&file)) } else { spec };
        let request = request.with_profile_of(&file)?;
        let mut model = Model::named(base, sample, &request)?;
        spec.clone_into(&mut model.name);
        model.protocol.noise.seed = request.seed;
        model.protocol.wake_up.seed = request.seed;
        let preset = model.network.clone();
        let mut warnings = Vec::new();
        let is_transport = |setting: &&Setting| setting.key == TRANSPORT;
        let all = || settings.iter().chain(file.iter());
        // The transport decides what others begin with.
        for setting in all().filter(is_transport).chain(all().filter(|setting| !is_transport(setting))) {
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
        if model.profile.is_none() && model.calibration.is_none() && model.network.has_segments_of(&preset) {
            model.calibration = Some(Calibration::GIGABIT);
        }
        model.network.shape(&mut model.protocol);
        Ok((model, warnings))
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
        Model { name: name.to_owned(), network, protocol, calibration: None, profile: None }
    }

    /// Computation costs nothing: neither does combining and copying inside MPI.
    pub fn without_computation(&mut self) {
        self.protocol.reduce_seconds_per_byte = 0.0;
        self.protocol.copy_seconds_per_byte = 0.0;
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
        Model { name, network, protocol, calibration: None, profile: self.profile }
    }

    /// Sets a parameter of the `[packet]` table, which only a network of frames reads.
    fn set_packet(&mut self, key: &str, setting: &Setting) -> Result<(), ModelError> {
        if let Network::Packet(packet) = &mut self.network {
            let problem = |problem: String| setting.place.error(format!("`{key}`: {problem}"));
            packet.set(key, &setting.value).map_err(problem)?;
        }
        Ok(())
    }

    /// Are all places that its parameters name on this platform?
    pub fn check(&self, platform: &Platform) -> Result<(), ModelError> {
        match &self.network {
            Network::Packet(packet) => packet.check(platform).map_err(|problem| {
                let key = if problem.starts_with("`only`") { "packet.only" } else { "packet.faults" };
                match platform.settings().get(key) {
                    Some(setting) => ModelError::Setting(setting.place.error(problem)),
                    None => ModelError::Dimemas(format!("{}: {problem}", self.name)),
                }
            }),
            _ => Ok(()),
        }
    }

    /// The table of collectives that the library of its profile uses, if it has one.
    pub fn collectives(&self) -> Option<&'static str> {
        self.profile.map(|profile| profile.collectives)
    }

    fn named(name: &str, sample: (f64, f64), request: &ModelRequest<'_>) -> Result<Model, ModelError> {
        if name == "packet" {
            let profile = request.profile.unwrap_or(&PROFILES[0]);
            let packet = Packet::of(profile, request.seed);
            let mut model = Model::of_network(name, Network::Packet(Box::new(packet)));
            model.profile = Some(profile);
            return Ok(model);
        }
        if let Some(profile) = request.profile {
            if name == "flow" {
                return Ok(Model::of_library(profile, request.seed));
            }
            return Err(ModelError::Profile { profile: profile.name, model: name.to_owned() });
        }
        let (mut flow, protocol) = (measured_flow(), eager_protocol());
        let protocol = match name {
            "flow" => protocol,
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
            "simgrid" => simgrid_protocol(),
            "bus" => return Ok(Model::of_network(name, Network::Bus(Bus::on(sample)))),
            "smp" => return Ok(Model::of_network(name, Network::Smp(Smp::on(sample)))),
            "ideal" => return Ok(Model::of_network(name, Network::Ideal)),
            "loggops" => return Ok(Model::of_network(name, Network::LogGops(LogGops::default()))),
            _ => return Err(unknown(name)),
        };
        let network = Network::Flow(flow);
        Ok(Model { name: name.to_owned(), network, protocol, calibration: None, profile: None })
    }

    /// Flows with the physics of a library on its transport.
    fn of_library(profile: &'static Profile, seed: u64) -> Model {
        let flow = profile.flow(measured_flow(), seed);
        let protocol = profile.protocol(eager_protocol());
        let network = Network::Flow(flow);
        Model { name: DEFAULT.to_owned(), network, protocol, calibration: None, profile: Some(profile) }
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

/// The base of a model file that names none.
fn default_base(file: &ModelSettings) -> &'static str {
    if file.iter().any(|setting| setting.key.starts_with(PACKET_TABLE)) { "packet" } else { DEFAULT }
}

fn is_file(spec: &str) -> bool {
    spec.ends_with(".toml") || spec.contains('/')
}

fn unknown(name: &str) -> ModelError {
    let known = MODELS.map(|model| model.name).join(", ");
    ModelError::Name(format!("there is no model `{name}`; there are: {known}"))
}

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
        assert_eq!(error("flow"), 0.0);
    }
}
