//! Vivaldi coordinates: latencies between hosts that come from where the hosts are, not from links.
//!
//! Two hosts at (x, y, height) are a plane distance and both heights apart, in milliseconds. Dabek, Cox, Kaashoek, Morris: *Vivaldi: a
//! decentralized network coordinate system* (SIGCOMM 2004). SimGrid adds this to the latency of the route, in zones with
//! `routing="Vivaldi"`.

use crate::host::HostId;
use crate::platform::Platform;
use crate::zone::{StarZone, Zone, ZoneKind};

/// Seconds between two hosts besides those of their links; zero unless the platform has coordinates.
///
/// # Panics
/// When the platform has coordinates and no such host.
pub fn distance(platform: &Platform, from: HostId, to: HostId) -> f64 {
    // Only the outermost zone can have coordinates, and its hosts are all hosts.
    let Some(Zone { kind: ZoneKind::Star(star), .. }) = platform.zones().first() else { return 0.0 };
    if star.coordinates.is_empty() {
        return 0.0;
    }
    let [a, b] = [from, to].map(|host| star.coordinates[host.0 as usize]);
    let square = |axis: usize| (a[axis] - b[axis]) * (a[axis] - b[axis]);
    ((square(0) + square(1)).sqrt() + a[2].abs() + b[2].abs()) / 1000.0
}

/// Has a platform coordinates?
pub fn has_coordinates(platform: &Platform) -> bool {
    let root = platform.zones().first().map(|zone| &zone.kind);
    matches!(root, Some(ZoneKind::Star(StarZone { coordinates, .. })) if !coordinates.is_empty())
}

/// Reads `25.5 9.4 1.4`.
pub(crate) fn parse(text: &str) -> Result<[f64; 3], String> {
    let number = |word: &str| word.parse::<f64>().ok().filter(|number| number.is_finite());
    let numbers: Option<Vec<f64>> = text.split_whitespace().map(number).collect();
    numbers
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| format!("`{text}` is not three numbers, as in 25.5 9.4 1.4"))
}
