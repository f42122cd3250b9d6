//! `mpirage platform`.

use std::io::{self, Write};
use std::path::Path;

use mpirage_files::OutputFile;
use mpirage_import::ImportRequest;
use mpirage_platform::{Disks, HopClass, NetworkFigures, Platform, StorageSpec};
use mpirage_scenario::Network;
use mpirage_simulation::{load_platform, resolve_model, words::count};
use serde_json::{Value, json};

use crate::arguments::{ImportArguments, PlatformAction};
use crate::conflicts::check_json;
use crate::exit::{Failure, bad_platform, usage};
use crate::output::{self, say};
use crate::results::JsonOutput;

/// Hosts of a built-in platform without a size, such as `cluster`.
const RANKS: u32 = 16;

/// Checks, shows or imports a platform.
pub fn command(action: &PlatformAction) -> Result<u8, Failure> {
    match action {
        PlatformAction::Check { platform } => check(platform),
        PlatformAction::Show { platform, net, packet: true, .. } => {
            show_packet(&load(platform, net.as_deref(), "packet")?)
        }
        PlatformAction::Show { platform, net, model, json, .. } if json.is_wanted() => {
            check_json(json, "the platform", platform)?;
            show_json(&load(platform, net.as_deref(), model)?, JsonOutput::open(json)?)
        }
        PlatformAction::Show { platform, model, net, .. } => {
            show(&load(platform, net.as_deref(), model)?, model)
        }
        PlatformAction::Import(arguments) => import(arguments),
    }
}

fn load(spec: &str, net: Option<&str>, model: &str) -> Result<Platform, Failure> {
    load_platform(spec, RANKS, net, &model.into())
}

fn check(spec: &str) -> Result<u8, Failure> {
    let platform = load(spec, None, "flow")?;
    let (_, warnings) = resolve_model(&"flow".into(), &platform)?;
    resolve_model(&"packet".into(), &platform)?;
    for warning in platform.doubts().iter().chain(&warnings).chain(&platform.doubtful_routes()) {
        output::warn(warning);
    }
    output::line(format_args!(
        "{spec}: OK ({}, {})",
        count(platform.host_count() as u64, "host"),
        count(platform.link_count() as u64, "link")
    ));
    Ok(0)
}

fn show(platform: &Platform, model: &str) -> Result<u8, Failure> {
    for line in platform.describe().iter().chain(&platform.network_figures().describe()) {
        output::line(format_args!("{line}"));
    }
    output::line(format_args!("  rates {}", platform.network_source().describe()));
    let (model, warnings) = resolve_model(&model.into(), platform)?;
    for warning in platform.doubts().iter().chain(&warnings) {
        output::warn(warning);
    }
    if let Network::Packet(packet) = &model.network {
        output::line(format_args!("\n[packet]"));
        packet.describe().iter().for_each(|line| output::line(format_args!("{line}")));
    }
    output::line(format_args!("\n[model]  # {}", model.name));
    for line in model.describe() {
        output::line(format_args!("{line}"));
    }
    Ok(0)
}

/// Shows the parameters of a network of frames as a table that can be put into a platform file.
fn show_packet(platform: &Platform) -> Result<u8, Failure> {
    let (model, _) = resolve_model(&"packet".into(), platform)?;
    let Network::Packet(packet) = &model.network else { unreachable!("packet is a network of frames") };
    output::line(format_args!("[packet]"));
    for line in packet.explain() {
        output::line(format_args!("{line}"));
    }
    Ok(0)
}

fn show_json(platform: &Platform, output: JsonOutput) -> Result<u8, Failure> {
    let classes = platform.link_classes();
    let links = classes.iter().filter(|class| class.links > 0).map(
        |class| json!({ "name": class.name, "links": class.links, "bytes_per_second": class.bandwidth }),
    );
    let shown = json!({
        "name": platform.name(),
        "topology": platform.topology().to_string(),
        "hosts": platform.host_count(),
        "links": platform.link_count(),
        "link_classes": links.collect::<Vec<_>>(),
        "rates": platform.network_source().describe(),
        "storage": platform.storages().iter().map(storage).collect::<Vec<_>>(),
        "network": figures(&platform.network_figures()),
    });
    output.write(&shown).map(|()| 0)
}

fn storage(storage: &StorageSpec) -> Value {
    let (servers, stripes) = match &storage.disks {
        Disks::Local => (None, None),
        Disks::Servers(hosts, stripes) => (Some(hosts.len()), Some(stripes)),
    };
    json!({
        "name": storage.name,
        "mounts": storage.mounts.iter().map(|mount| if mount.is_empty() { "/" } else { mount }).collect::<Vec<_>>(),
        "servers": servers,
        "stripe_bytes": stripes.map(|stripes| stripes.size),
        "stripe_count": stripes.map(|stripes| stripes.count),
        "read_bytes_per_second": storage.disk.read,
        "write_bytes_per_second": storage.disk.write,
        "latency_seconds": storage.disk.latency,
        "metadata_seconds": storage.disk.metadata,
        "default": storage.is_default,
    })
}

fn figures(figures: &NetworkFigures) -> Value {
    let class = |class: &HopClass| {
        json!({
            "links": class.links,
            "pairs": class.pairs,
            "share": class.share,
            "least_seconds": class.least,
            "median_seconds": class.median,
            "most_seconds": class.most,
        })
    };
    json!({
        "bisection": figures.bisection.map(|(bandwidth, method)| json!({
            "bytes_per_second": bandwidth,
            "method": method.to_string(),
        })),
        "diameter": figures.diameter.map(|diameter| json!({
            "links": diameter.links,
            "seconds": diameter.latency,
            "method": diameter.method.to_string(),
        })),
        "latency_by_links": figures.by_links.iter().map(class).collect::<Vec<_>>(),
        "method": figures.method.to_string(),
    })
}

/// Writes a platform file from the files of a site. Remarks go to standard error.
fn import(arguments: &ImportArguments) -> Result<u8, Failure> {
    let ImportArguments {
        files,
        output,
        force,
        name,
        speed,
        net,
        bandwidth,
        latency,
        oversubscription,
        nodes,
        cores,
    } = arguments.clone();
    let request = ImportRequest { name, speed, net, bandwidth, latency, oversubscription, nodes, cores };
    let imported = mpirage_import::import(&files, &request).map_err(bad_platform)?;
    for note in &imported.notes {
        say!("mpirage: {note}");
    }
    let Some(path) = output else {
        output::try_line(imported.text.trim_end())?;
        return Ok(0);
    };
    if path.exists() && !force {
        return Err(usage(format!("{} exists; --force replaces it", path.display())));
    }
    write(&path, &imported.text)
        .map_err(|error| usage(format!("cannot write {}: {error}", path.display())))?;
    Ok(0)
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OutputFile::create(path)?;
    file.write_all(text.as_bytes())?;
    file.finish()
}
