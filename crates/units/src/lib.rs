//! Quantities of simulated machines: instants, bytes, rates, and how people write them.
//!
//! Time is an integer number of picoseconds, so that equal dates are equal and results do not
//! depend on the order of floating-point additions. Rates stay `f64`; a date computed from a rate
//! is rounded to the nearest picosecond.

mod parse;
mod time;

pub use parse::{ParseUnitError, parse_bandwidth, parse_bytes, parse_duration, parse_speed};
pub use time::{Duration, Time};
