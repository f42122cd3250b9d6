//! `mpirage platform`.

use mpirage_platform::Platform;
use mpirage_scenario::Network;

use crate::arguments::PlatformAction;
use crate::exit::{Failure, bad_platform, usage};
use crate::machine::resolve_model;
use crate::output::{self, say};
use crate::words::count;

/// Hosts of a built-in platform without a size, such as `cluster`.
const RANKS: u32 = 16;

/// Checks or shows a platform.
pub fn command(action: &PlatformAction) -> Result<u8, Failure> {
    match action {
        PlatformAction::Check { platform } => check(platform),
        PlatformAction::Show { platform, packet: true, .. } => show_packet(platform),
        PlatformAction::Show { platform, model, .. } => show(platform, model),
        PlatformAction::Import { platform } => Err(usage(format!(
            "import of {platform} is not implemented yet; SimGrid XML files can be used as they are"
        ))),
    }
}

fn check(spec: &str) -> Result<u8, Failure> {
    let platform = Platform::load(spec, RANKS).map_err(bad_platform)?;
    let (_, warnings) = resolve_model(&"flow".into(), &platform)?;
    resolve_model(&"packet".into(), &platform)?;
    for warning in platform.doubts().iter().chain(&warnings) {
        say!("mpirage: warning: {warning}");
    }
    output::line(format_args!(
        "{spec}: OK ({}, {})",
        count(platform.host_count() as u64, "host"),
        count(platform.link_count() as u64, "link")
    ));
    Ok(0)
}

fn show(spec: &str, model: &str) -> Result<u8, Failure> {
    let platform = Platform::load(spec, RANKS).map_err(bad_platform)?;
    for line in platform.describe() {
        output::line(format_args!("{line}"));
    }
    let (model, warnings) = resolve_model(&model.into(), &platform)?;
    for warning in platform.doubts().iter().chain(&warnings) {
        say!("mpirage: warning: {warning}");
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
fn show_packet(spec: &str) -> Result<u8, Failure> {
    let platform = Platform::load(spec, RANKS).map_err(bad_platform)?;
    let (model, _) = resolve_model(&"packet".into(), &platform)?;
    let Network::Packet(packet) = &model.network else { unreachable!("packet is a network of frames") };
    output::line(format_args!("[packet]"));
    for line in packet.explain() {
        output::line(format_args!("{line}"));
    }
    Ok(0)
}
