//! Quantities of simulated machines: instants, bytes, rates, and how people write them.
//!
//! Time is an integer number of picoseconds, so that equal dates are equal and results do not
//! depend on the order of floating-point additions. Rates stay `f64`; a date computed from a rate
//! is rounded to the nearest picosecond.

mod parse;
mod quantity;
mod random;
mod size;
mod time;
mod words;

pub use parse::{parse_bandwidth, parse_bytes, parse_duration, parse_speed};
pub use quantity::{
    BANDWIDTH, BYTES, DIVISOR, DURATION, ENERGY, FACTOR, LAG, LATENCY, POWER, Quantity, QuantityError,
    Reading, SPEED, TIMEOUT, WORK,
};
pub use random::{Consumer, Random, draw, scramble};
pub use size::{parse_size, written_size};
pub use time::{Duration, Time};
pub use words::{counted, did_you_mean, plural_ending, time_text};
