//! `mpirage info`.

mod collectives;

use mpirage_call::standard_function_names;
use mpirage_platform::{BUILTINS, NetworkPreset};
use mpirage_scenario::{MODELS, PROFILES};
use mpirage_trace::{KEYS, KeyInfo, PATTERNS, TRAINING, TRAINING_KEYS, models};

use crate::arguments::{InfoArguments, InfoTopic};
use crate::exit::{Failure, bad_platform, usage};
use crate::output;
use mpirage_programs::install::{self, Install};

/// Prints a list.
pub fn command(arguments: &InfoArguments) -> Result<u8, Failure> {
    let InfoArguments { topic, collective, show, selector, n, ranks_per_node, .. } = arguments;
    let about_collectives = collective.is_some()
        || show.is_some()
        || selector.is_some()
        || n.is_some()
        || ranks_per_node.is_some();
    if about_collectives && !matches!(topic, InfoTopic::Collectives) {
        return Err(usage(
            "COLLECTIVE, --show, --selector, -n and --ranks-per-node are for `mpirage info collectives`",
        ));
    }
    match topic {
        InfoTopic::Models => {
            MODELS.iter().for_each(|model| output::line(format_args!("{:<20} {}", model.name, model.meaning)))
        }
        InfoTopic::Profiles => PROFILES.iter().for_each(|profile| {
            output::line(format_args!("{:<20} {}", profile.name, profile.meaning));
        }),
        InfoTopic::Platforms => BUILTINS
            .iter()
            .for_each(|platform| output::line(format_args!("{:<23} {}", platform.usage, platform.meaning))),
        InfoTopic::Networks => list_networks()?,
        InfoTopic::Collectives => collectives::command(arguments)?,
        InfoTopic::Functions => list_functions()?,
        InfoTopic::Workloads => list_workloads(),
        InfoTopic::Traces => TRACES.iter().for_each(|(ending, meaning, how)| {
            output::line(format_args!("{ending:<20} {how:<16} {meaning}"))
        }),
    }
    Ok(0)
}

/// Lists networks, each with what it follows and its sources.
fn list_networks() -> Result<(), Failure> {
    for name in NetworkPreset::names() {
        let preset = NetworkPreset::named(name).map_err(bad_platform)?;
        output::line(format_args!("{name:<20} {}", preset.meaning));
        output::line(format_args!("{:<20}   follows {}", "", preset.follows));
        for source in &preset.sources {
            output::line(format_args!("{:<20}   {source}", ""));
        }
    }
    Ok(())
}

/// Formats of traces: ending, meaning, and whether mpirage writes or replays them.
const TRACES: [(&str, &str, &str); 14] = [
    (".mpirage", "mpirage: exact, compressed", "written, replayed"),
    ("FOLDER/, .ti", "SimGrid's time-independent traces", "written, replayed"),
    (".dim", "Dimemas", "written, replayed"),
    (".goal", "LogGOPSim's schedules as text", "written, replayed"),
    (".bin", "LogGOPSim's schedules, compiled", "written, replayed"),
    (".meta", "DUMPI", "replayed"),
    (".otf2", "OTF2: Score-P, Vampir, with .def and a folder", "written, replayed"),
    (".et", "Chakra's execution traces, one file per rank: PREFIX.RANK.et", "replayed"),
    ("gen:…", "patterns made from parameters: `mpirage info workloads`", "replayed"),
    (".prv", "Paraver, with .pcf and .row; also of Extrae", "written, replayed"),
    (".pftrace", "Perfetto: ui.perfetto.dev", "written"),
    (".paje", "Paje", "written"),
    (".parquet", "a folder of tables for pandas and polars", "written"),
    (".csv", "a folder of tables, as text", "written"),
];

fn list_workloads() {
    for pattern in PATTERNS {
        let keys = pattern.keys.join(", ");
        output::line(format_args!("gen:{:<12} {}; {keys}", pattern.name, pattern.meaning));
    }
    output::line(format_args!("gen:{:<12} {}", TRAINING.name, TRAINING.meaning));
    output::line(format_args!("\nparameters: gen:NAME,key=value,…"));
    list_keys(KEYS);
    output::line(format_args!("\nparameters of gen:{}", TRAINING.name));
    list_keys(TRAINING_KEYS);
    output::line(format_args!("\nmodels of gen:{}", TRAINING.name));
    for (name, source) in models() {
        output::line(format_args!("  {name:<15} {source}"));
    }
}

fn list_keys(keys: &[KeyInfo]) {
    for key in keys {
        let default = if key.default.is_empty() { String::new() } else { format!(" [{}]", key.default) };
        output::line(format_args!("  {:<15} {}{default}", key.name, key.meaning));
    }
}

/// Lists MPI functions. The library contains the names of those that are not implemented.
fn list_functions() -> Result<(), Failure> {
    let missing = missing_functions(&Install::locate()?);
    for name in standard_function_names() {
        let state =
            if missing.iter().any(|other| other == name) { "not implemented yet" } else { "implemented" };
        output::line(format_args!("{name:<40} {state}"));
    }
    Ok(())
}

fn missing_functions(install: &Install) -> Vec<String> {
    const MARK: &[u8] = b"mpirage functions not there yet:";
    let library = std::fs::read(install.library.join(install::LOADED)).unwrap_or_default();
    let Some(at) = library.windows(MARK.len()).position(|window| window == MARK) else { return Vec::new() };
    let list = &library[at + MARK.len()..];
    let end = list.iter().position(|&byte| byte == 0).unwrap_or(0);
    String::from_utf8_lossy(&list[..end]).split_ascii_whitespace().map(str::to_owned).collect()
}
