//! The speed of a core: `speed` for declared work, `sustained` for measured work.

use super::table::{Entry, Table};
use crate::core_speed::CoreSpeed;
use crate::error::PlatformError;

/// A core like the one on which computation is measured.
const HOST: &str = "host";
/// A published figure of all cores of a machine, and how many they are.
const FIGURE: [&str; 2] = ["specrate2017-int", "cores"];

/// Reads the keys of a table of hosts. Without them, cores are like the one on which computation is measured.
pub(super) fn read(table: &Table<'_>) -> Result<CoreSpeed, PlatformError> {
    let nominal = match table.get("speed") {
        Some(entry) if entry.is_text(HOST) => None,
        Some(entry) => Some(entry.speed()?),
        None => None,
    };
    let Some(entry) = table.get("sustained") else {
        return Ok(nominal.map_or(CoreSpeed::Host, CoreSpeed::Nominal));
    };
    if nominal.is_none() && table.get("speed").is_some() {
        return Err(entry
            .error("`speed = \"host\"` is the speed of this machine; give `sustained` or this, not both"));
    }
    let sustained = sustained(entry)?;
    Ok(CoreSpeed::Sustained { nominal: nominal.unwrap_or(sustained), sustained })
}

/// A measured speed, or a published figure.
fn sustained(entry: Entry<'_>) -> Result<f64, PlatformError> {
    if !entry.is_table() {
        return entry.speed();
    }
    let figure = entry.table(&FIGURE)?;
    let [points, cores] = FIGURE.map(|key| figure.need(key).and_then(Entry::count));
    Ok(CoreSpeed::of_specrate(f64::from(points?) / f64::from(cores?)))
}
