//! Platform files of our own, in TOML.
//!
//! Either one table names a topology by formula ([`fabrics`]), or hosts, links and routes are given
//! one by one ([`explicit`]). What users read about it is `FORMAT.md`.

mod core_speed;
mod explicit;
mod fabrics;
mod families;
mod model;
mod node;
mod power;
mod preset;
mod storage;
mod table;

use ::toml::Spanned;
use ::toml::de::DeTable;

use crate::builder::{Builder, Unfinished};
use crate::error::{PlatformError, Source};
use crate::platform::Platform;
use crate::preset::{NetworkPreset, NetworkSource};
use crate::settings::ModelSettings;
pub(crate) use node::KEYS as NODE_KEYS;
use table::{Entry, Table};

/// The tables of which a file has one.
const TOPOLOGIES: [&str; 8] =
    ["cluster", "cabinets", "fat-tree", "torus", "dragonfly", "dragonfly-plus", "rails", "full"];
/// The keys of a file with explicit hosts.
const EXPLICIT: [&str; 6] = ["host", "router", "link", "route", "routing", "loopback"];
const ALWAYS: [&str; 3] = ["name", "model", "packet"];
/// Keys of every platform that model files do not have.
const PROCESSOR: &str = "processor";
const INSIDE: &str = "node";
const NET: &str = "net";
const STORAGE: &str = "storage";
const POWER: &str = "power";
/// The tables of settings, and what the settings of each begin with.
const SETTINGS: [(&str, &str); 2] = [("model", ""), ("packet", "packet.")];

/// Reads a model file: the tables of settings alone.
pub(crate) fn read_model(source: &Source<'_>) -> Result<ModelSettings, PlatformError> {
    let document = parse(source)?;
    let file = Table::new(source, "a model file", 0..0, document.get_ref(), &ALWAYS)?;
    let mut settings = ModelSettings::default();
    if file.get("packet").is_none() {
        file.need("model")?;
    }
    read_settings(&file, &mut settings)?;
    Ok(settings)
}

fn read_settings(file: &Table<'_>, settings: &mut ModelSettings) -> Result<(), PlatformError> {
    for (table, prefix) in SETTINGS {
        if let Some(entry) = file.get(table) {
            model::read(entry, prefix, settings)?;
        }
    }
    Ok(())
}

/// Reads a platform. `net` is a network that was named beside it.
pub(crate) fn read(
    source: &Source<'_>,
    file_stem: &str,
    net: Option<&str>,
) -> Result<Platform, PlatformError> {
    let document = parse(source)?;
    let known = [&TOPOLOGIES[..], &EXPLICIT, &ALWAYS, &[PROCESSOR, INSIDE, NET, STORAGE, POWER]].concat();
    let file = Table::new(source, "", 0..0, document.get_ref(), &known)?;
    let name = file.or("name", file_stem, |entry| entry.name())?;
    let processor = file.maybe(PROCESSOR, Entry::name)?;
    let mut builder = Builder::default();
    read_settings(&file, &mut builder.settings)?;
    let preset = network(&file, net)?;
    if let Some(preset) = &preset {
        builder.settings.add_missing(preset.settings());
    }
    let node = file.maybe(INSIDE, |entry| Ok((entry, node::read(entry)?)))?;
    builder.cores = node.as_ref().and_then(|(_, read)| read.cores);
    match topology_of(&file)? {
        Some(topology) => fabrics::read(&file, topology, name, preset.as_ref(), &mut builder)?,
        None => explicit::read(&file, name, preset.as_ref(), &mut builder)?,
    }
    let mut platform = builder.finish(name.to_owned()).map_err(|problem| {
        let place = ["route", "host"].into_iter().find_map(|key| file.get(key));
        let error =
            place.map_or_else(|| file.error(problem.to_string()), |entry| entry.error(problem.to_string()));
        error.help(match problem {
            Unfinished::NoHosts => "add a [[host]]",
            Unfinished::NoRoute { .. } => {
                "add a [[route]], or say `routing = \"shortest\"` if routes join neighbours only"
            }
        })
    })?;
    if let Some((entry, read)) = &node {
        node::check(&platform, entry, read)?;
    }
    let storages = file.get(STORAGE).map(|entry| storage::read(entry, &platform)).transpose()?;
    platform = platform.with_insides(node.map(|(_, read)| read.node), storages);
    if let Some(entry) = file.get(POWER) {
        let power = power::read(entry, &platform)?;
        platform = platform.with_power(power);
    }
    if platform.node_spec().is_none() && platform.power().hosts().any(|(_, host)| host.memory > 0.0) {
        let error =
            file.error("the power of hosts has `memory`, and the platform says nothing about their memory");
        return Err(error.help("add a table [node], or leave out `memory`"));
    }
    if let Some(preset) = &preset {
        platform = platform.with_network(NetworkSource::of(preset));
    }
    platform = platform.with_processor(processor.map(str::to_owned));
    Ok(platform.with_doubts(source.take_doubts()))
}

/// The network that the file or the command line names.
fn network(file: &Table<'_>, beside: Option<&str>) -> Result<Option<NetworkPreset>, PlatformError> {
    match (file.get(NET), beside) {
        (Some(entry), Some(_)) => {
            Err(entry.error("this platform names its network; --net cannot name another"))
        }
        (Some(entry), None) => {
            let found = NetworkPreset::named(entry.name()?);
            found.map(Some).map_err(|error| entry.error(error.message()).maybe_help(error.advice()))
        }
        (None, Some(name)) => NetworkPreset::named(name).map(Some),
        (None, None) => Ok(None),
    }
}

fn parse<'t>(source: &Source<'t>) -> Result<Spanned<DeTable<'t>>, PlatformError> {
    DeTable::parse(source.text()).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        source.error(span, format!("this is not TOML: {}", error.message()))
    })
}

/// The advice for a file without a topology. A file of `mpirage calibrate` has a model alone.
fn no_platform(file: &Table<'_>) -> String {
    let needed = format!(
        "it needs one of the tables [{}], or [[host]], [[link]] and [[route]]",
        TOPOLOGIES.join("], [")
    );
    match file.get("model") {
        Some(_) => format!(
            "it is a model: name the file with --model, and a platform with -p. To be a platform, {needed}"
        ),
        None => needed,
    }
}

/// The one topology the file names, or none when it lists hosts.
fn topology_of(file: &Table<'_>) -> Result<Option<&'static str>, PlatformError> {
    let mut named = TOPOLOGIES.into_iter().filter(|topology| file.get(topology).is_some());
    let explicit = EXPLICIT.into_iter().find_map(|key| file.get(key));
    match (named.next(), named.next(), explicit) {
        (None, _, None) => Err(file.error("this file describes no platform").help(no_platform(file))),
        (Some(one), Some(other), _) => {
            let entry = file.get(other);
            let message = format!("a platform is a `{one}` or a `{other}`, not both");
            Err(entry.map_or_else(|| file.error(message.as_str()), |entry| entry.error(message.as_str())))
        }
        (Some(topology), None, Some(entry)) => Err(entry
            .error(format!("`{}` cannot be added to a `{topology}`, whose routes are computed", entry.key))),
        (topology, _, _) => Ok(topology),
    }
}
