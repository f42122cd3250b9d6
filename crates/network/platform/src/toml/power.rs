//! The table `[power]`, and `power` of hosts and links.

use mpirage_units::Duration;

use super::table::{Entry, Table};
use crate::core_speed::CoreSpeed;
use crate::error::PlatformError;
use crate::platform::Platform;
use crate::power::{HostPower, LinkPower, PowerState, PowerTable};

/// The keys of a performance state.
const STATE: [&str; 4] = ["speed", "idle", "one-core", "all-cores"];
/// The keys of a host; those of a single state may stand among them.
const HOST: [&str; 8] = ["states", "idle", "one-core", "all-cores", "off", "waiting", "switching", "memory"];
const LINK: [&str; 3] = ["idle", "busy", "per-byte"];
const LINKS: &str = "links";

/// Reads the table of the whole platform: it describes hosts and links that do not say more themselves.
pub(super) fn read(entry: Entry<'_>, platform: &Platform) -> Result<PowerTable, PlatformError> {
    let table = entry.table(&[&HOST[..], &[LINKS]].concat())?;
    let mut power = platform.power().clone();
    let links = table.get(LINKS);
    if HOST.iter().any(|key| table.get(key).is_some()) {
        let kinds: Vec<_> = platform.host_kinds().collect();
        for kind in &kinds {
            let end = if kinds.len() == 1 { platform.host_count() } else { kind.id.0 + 1 };
            power.add_hosts(kind.id.0..end, of_host(&table, kind.speed, kind.cores)?);
        }
    } else if links.is_none() {
        return Err(entry
            .error("`power` is empty")
            .help("write for example `idle = \"95W\"` and `all-cores = \"200W\"`"));
    }
    if let Some(links) = links {
        for link in platform.links() {
            power.add_links(link.id.0..link.id.0 + 1, link_power(links, link.bandwidth)?);
        }
    }
    Ok(power)
}

/// Reads `power` of a host.
pub(super) fn host(entry: Entry<'_>, speed: CoreSpeed, cores: u32) -> Result<HostPower, PlatformError> {
    of_host(&entry.table(&HOST)?, speed, cores)
}

fn of_host(table: &Table<'_>, speed: CoreSpeed, cores: u32) -> Result<HostPower, PlatformError> {
    let (states, first) = match table.get("states") {
        None => (vec![state(table, 1.0, cores)?], 0),
        Some(entry) => states(table, entry, speed, cores)?,
    };
    Ok(HostPower {
        states,
        first,
        off: table.or("off", 0.0, Entry::power)?,
        waiting: table.or("waiting", 0.0, Entry::part)?,
        switching: Duration::from_secs_f64(table.or("switching", 0.0, Entry::latency)?),
        memory: table.or("memory", 0.0, Entry::energy)?,
    })
}

/// All states, and the number of that with the speed of the host.
fn states(
    table: &Table<'_>,
    entry: Entry<'_>,
    speed: CoreSpeed,
    cores: u32,
) -> Result<(Vec<PowerState>, usize), PlatformError> {
    if let Some(single) = STATE[1..].iter().find_map(|key| table.get(key)) {
        return Err(single
            .error(format!("`{}` stands beside `states`", single.key))
            .help("write it into each state"));
    }
    if speed == CoreSpeed::Host {
        let message = "states have speeds, and the host has none";
        return Err(entry
            .error(message)
            .help("give the host a `speed`, that of the state in which it starts"));
    }
    let read = |entry: Entry<'_>| {
        let table = entry.table(&STATE)?;
        let state_speed = table.need("speed")?.speed()?;
        state(&table, state_speed / speed.flops(), cores)
    };
    let states: Vec<_> = entry.list()?.into_iter().map(read).collect::<Result<_, _>>()?;
    match states.iter().position(|state| state.speed == 1.0) {
        Some(first) => Ok((states, first)),
        None => Err(entry
            .error("no state has the speed of the host")
            .help("a host starts in the state whose `speed` is that of the host")),
    }
}

fn state(table: &Table<'_>, speed: f64, cores: u32) -> Result<PowerState, PlatformError> {
    let idle = table.need("idle")?.power()?;
    let full = table.need("all-cores")?.power()?;
    let active = table.maybe("one-core", |entry| active(entry, full, cores))?.unwrap_or(idle);
    Ok(PowerState { speed, idle, active, full })
}

/// The power at a load of nearly nothing of which one core more makes that of one core.
fn active(entry: Entry<'_>, full: f64, cores: u32) -> Result<f64, PlatformError> {
    let (one, part) = (entry.power()?, 1.0 / f64::from(cores));
    if cores == 1 {
        return match one == full {
            true => Ok(one),
            false => {
                Err(entry
                    .error("a host of one core has the same power with one core and with all cores busy"))
            }
        };
    }
    let active = (one - full * part) / (1.0 - part);
    match active >= 0.0 {
        true => Ok(active),
        false => Err(entry
            .error(format!("`one-core` is {one} W, less than each of the {cores} cores takes at `all-cores`"))
            .help(format!("the first core takes at least {} W", full * part))),
    }
}

/// Reads `power` of a link.
pub(super) fn link_power(entry: Entry<'_>, bandwidth: f64) -> Result<LinkPower, PlatformError> {
    let table = entry.table(&LINK)?;
    let idle = table.or("idle", 0.0, Entry::power)?;
    let per_byte = match (table.get("busy"), table.get("per-byte")) {
        (Some(busy), None) => (busy.power()? - idle) / bandwidth,
        (None, Some(per_byte)) => per_byte.energy()?,
        (None, None) => 0.0,
        (Some(busy), Some(_)) => {
            return Err(busy.error("a link has `busy` or `per-byte`: each follows from the other"));
        }
    };
    Ok(LinkPower { idle, per_byte })
}
