//! The properties of SimGrid's energy plugins: `wattage_per_state` and `wattage_off` of hosts, `wattage_range` of links.
//!
//! `wattage_per_state` has one entry per performance state, `Idle:Epsilon:AllCores` or `Idle:AllCores`; `wattage_range` is `idle:busy`,
//! where busy is the power of a link that is used completely.

use std::ops::Range;

use mpirage_units::{Duration, POWER};

use super::Reader;
use super::element::Element;
use crate::error::PlatformError;
use crate::link::LinkId;
use crate::power::{HostPower, LinkPower, PowerState};
use crate::quantity;

/// What SimGrid called the properties before version 3.28.
const FORMER: [(&str, &str); 3] =
    [("watt_per_state", "wattage_per_state"), ("watt_off", "wattage_off"), ("watt_range", "wattage_range")];

impl Reader {
    /// The power of hosts, as the properties of an element say; they start in performance state `first`.
    pub(super) fn host_power(
        &mut self,
        element: &Element<'_>,
        hosts: Range<u32>,
        first: usize,
    ) -> Result<(), PlatformError> {
        warn_of_former(element)?;
        let off = property(element, "wattage_off", watts)?.unwrap_or(0.0);
        let Some(ranges) =
            property(element, "wattage_per_state", |text| text.split(',').map(range).collect())?
        else {
            return Ok(());
        };
        let ranges: Vec<[f64; 3]> = ranges;
        let speed = if self.version_3 { "power" } else { "speed" };
        let speeds = element.read(speed, quantity::speeds)?;
        if speeds.len() != ranges.len() {
            let message =
                format!("`wattage_per_state` has {} entries for {} speeds", ranges.len(), speeds.len());
            return Err(element
                .error(message)
                .help("write one entry, Idle:Epsilon:AllCores, for each speed"));
        }
        let usual = speeds.get(first).copied().unwrap_or(1.0);
        let state = |(&speed, [idle, active, full]): (&f64, [f64; 3])| PowerState {
            speed: speed / usual,
            idle,
            active,
            full,
        };
        let states = speeds.iter().zip(ranges).map(state).collect();
        let power = HostPower { states, first, off, waiting: 0.0, switching: Duration::ZERO, memory: 0.0 };
        self.builder.power.add_hosts(hosts, power);
        Ok(())
    }

    /// The power of the links of a cable.
    pub(super) fn link_power(
        &mut self,
        element: &Element<'_>,
        links: &[LinkId],
        bandwidth: f64,
    ) -> Result<(), PlatformError> {
        warn_of_former(element)?;
        let Some([idle, busy]) = property(element, "wattage_range", exactly)? else {
            return Ok(());
        };
        for link in links {
            let power = LinkPower { idle, per_byte: (busy - idle) / bandwidth };
            self.builder.power.add_links(link.0..link.0 + 1, power);
        }
        Ok(())
    }
}

/// A property of an element, if it has it.
fn property<T>(
    element: &Element<'_>,
    name: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, PlatformError> {
    let children = element.children()?;
    let prop = children.iter().find(|child| child.tag() == "prop" && child.get("id") == Some(name));
    let wrong = |prop: &Element<'_>, problem| prop.wrong("value", format!("`{name}`: {problem}"));
    prop.map(|prop| read(prop.text("value")?).map_err(|problem| wrong(prop, problem))).transpose()
}

fn warn_of_former(element: &Element<'_>) -> Result<(), PlatformError> {
    for child in element.children()? {
        let former = FORMER.iter().find(|(former, _)| child.get("id") == Some(former));
        if let Some((former, name)) = former {
            child.source.doubt(
                child.node.range(),
                format!("`{former}` is not read: SimGrid calls it `{name}` since 3.28"),
            );
        }
    }
    Ok(())
}

fn watts(text: &str) -> Result<f64, String> {
    POWER.read(text.trim()).map(|read| read.value()).map_err(|problem| problem.to_string())
}

/// `95:120:200`, or `95:200` for a power that grows from the idle one.
fn range(text: &str) -> Result<[f64; 3], String> {
    match text.split(':').count() {
        2 => exactly(text).map(|[idle, full]| [idle, idle, full]),
        3 => exactly(text),
        _ => Err(format!("`{}` is neither Idle:AllCores nor Idle:Epsilon:AllCores", text.trim())),
    }
}

fn exactly<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let numbers: Vec<f64> = text.split(':').map(watts).collect::<Result<_, _>>()?;
    numbers
        .try_into()
        .map_err(|_| format!("`{}` does not have {N} numbers of watts with colons between them", text.trim()))
}
