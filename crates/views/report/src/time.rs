//! Times as the page has them.

/// Picoseconds as seconds.
pub(crate) fn seconds(picos: u64) -> f64 {
    mpirage_units::Time::from_picos(picos).as_secs_f64()
}
