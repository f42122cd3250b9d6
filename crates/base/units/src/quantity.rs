//! Quantities that people write: the units they may have, the range they must be in, and what looks like a mistake.
//!
//! Every number of an input (command line, platform and model files, configurations, traces, recorded costs) is read
//! through one of these, so that nothing infinite, negative or "not a number" gets any further:
//!
//! ```
//! use mpirage_units::BANDWIDTH;
//!
//! let read = BANDWIDTH.read("1Gbps").unwrap();
//! assert_eq!((read.value(), read.doubt()), (125e6, None));
//! assert!(BANDWIDTH.read("100").unwrap().doubt().unwrap().contains("100 B/s"));
//! assert!(BANDWIDTH.read("-1GBps").is_err() && BANDWIDTH.check(f64::NAN).is_err());
//! ```

use thiserror::Error;

use crate::parse::{bits_or_bytes, flops, joules, number_len, rate, seconds, watts};

/// A kind of quantity.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    name: &'static str,
    /// Something that would be accepted.
    example: &'static str,
    /// The factor of a unit; none if there is no such unit.
    unit: fn(&str) -> Option<f64>,
    /// The unit of a number without a unit.
    base: &'static str,
    /// Why it cannot be zero; empty if it can.
    if_zero: &'static str,
    /// The least value besides zero, and the largest.
    range: (f64, f64),
    /// Values outside of this are allowed, and unlikely to be meant.
    likely: (f64, f64),
}

/// An error in the text of a quantity.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum QuantityError {
    /// It is no number, or its unit is unknown.
    #[error("`{text}` is not a {what}; write for example {example}")]
    Unreadable {
        /// The text as the user wrote it.
        text: String,
        /// The kind of quantity that was expected.
        what: &'static str,
        /// Something that would be accepted.
        example: &'static str,
    },
    /// It is less than zero.
    #[error("`{text}`: a {what} is not negative; write for example {example}")]
    Negative {
        /// The text as the user wrote it.
        text: String,
        /// The kind of quantity that was expected.
        what: &'static str,
        /// Something that would be accepted.
        example: &'static str,
    },
    /// It is zero, and must not be.
    #[error("`{text}`: {why}; write for example {example}")]
    Zero {
        /// The text as the user wrote it.
        text: String,
        /// Why it must not be zero.
        why: &'static str,
        /// Something that would be accepted.
        example: &'static str,
    },
    /// It is too large, or too close to zero.
    #[error("`{text}` is not possible: a {what} is between {least:e} and {most:e} {base}")]
    OutOfRange {
        /// The text as the user wrote it.
        text: String,
        /// The kind of quantity that was expected.
        what: &'static str,
        /// The least value that is possible.
        least: f64,
        /// The largest.
        most: f64,
        /// The unit that both have in common.
        base: &'static str,
    },
    /// It has a fraction, and must not.
    #[error("`{text}` is not a whole {what}; write for example {example}")]
    Fraction {
        /// The text as the user wrote it.
        text: String,
        /// The kind of quantity that was expected.
        what: &'static str,
        /// Something that would be accepted.
        example: &'static str,
    },
}

/// A quantity that was read: finite and in its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading<'t> {
    text: &'t str,
    value: f64,
    bare: bool,
    base: &'static str,
    example: &'static str,
    likely: (f64, f64),
}

/// Longer than any simulated time: 2^64 picoseconds, in seconds.
const LONGEST: f64 = 18_446_744.0;
/// The largest number of bytes.
const MOST_BYTES: f64 = 9_223_372_036_854_775_808.0;
/// Any value is likely.
const ANY: (f64, f64) = (0.0, f64::INFINITY);

/// Bytes per second of a link. `Bps` counts bytes, `bps` bits.
pub const BANDWIDTH: Quantity = Quantity {
    name: "bandwidth",
    example: "\"125MBps\" or \"1Gbps\"",
    unit: rate,
    base: "B/s",
    if_zero: "a bandwidth of 0 moves nothing",
    range: (1e-3, 1e24),
    likely: (1e3, 1e24),
};

/// Seconds that a message takes on a link.
pub const LATENCY: Quantity = Quantity {
    name: "latency",
    example: "\"50us\" or \"1.5ms\"",
    unit: seconds,
    base: "s",
    if_zero: "",
    range: (0.0, LONGEST),
    likely: (0.0, 1.0),
};

/// Seconds that something takes.
pub const DURATION: Quantity = Quantity { name: "duration", likely: ANY, ..LATENCY };

/// Seconds after which something is given up.
pub const TIMEOUT: Quantity = Quantity {
    name: "time limit",
    example: "60 (seconds) or \"5m\"",
    if_zero: "a time limit of 0 leaves no time at all",
    range: (1e-9, LONGEST),
    ..DURATION
};

/// Seconds by which something may be late.
pub const LAG: Quantity = Quantity {
    name: "lag",
    example: "\"50us\" or \"1ms\"",
    if_zero: "a simulator is always a little behind",
    range: (1e-9, LONGEST),
    ..DURATION
};

/// Floating-point operations per second of a core.
pub const SPEED: Quantity = Quantity {
    name: "speed",
    example: "\"1Gf\" or \"38.1Gf\"",
    unit: flops,
    base: "flop/s",
    if_zero: "a host of speed 0 never finishes anything",
    range: (1e-3, 1e36),
    likely: (1e6, 1e36),
};

/// Floating-point operations.
pub const WORK: Quantity = Quantity {
    name: "number of floating-point operations",
    example: "\"2Mf\"",
    base: "flops",
    if_zero: "",
    range: (0.0, 1e36),
    likely: ANY,
    ..SPEED
};

/// Bytes of a message or a buffer. `B` counts bytes, `b` bits.
pub const BYTES: Quantity = Quantity {
    name: "number of bytes",
    example: "\"64KiB\" or \"65536\"",
    unit: bits_or_bytes,
    base: "bytes",
    if_zero: "",
    range: (0.0, MOST_BYTES),
    likely: ANY,
};

/// Watts of a host or a link.
pub const POWER: Quantity = Quantity {
    name: "power",
    example: "\"95W\" or \"1.2kW\"",
    unit: watts,
    base: "W",
    if_zero: "",
    range: (0.0, 1e12),
    likely: (0.0, 1e6),
};

/// Joules that something costs.
pub const ENERGY: Quantity = Quantity {
    name: "energy",
    example: "\"60pJ\" or \"1nJ\"",
    unit: joules,
    base: "J",
    if_zero: "",
    range: (0.0, 1e12),
    likely: (0.0, 1e-3),
};

/// A factor that may be zero.
pub const FACTOR: Quantity = Quantity {
    name: "factor",
    example: "1.5",
    unit: none,
    base: "",
    if_zero: "",
    range: (0.0, 1e15),
    likely: ANY,
};

/// A factor by which something is divided.
pub const DIVISOR: Quantity =
    Quantity { if_zero: "a factor of 0 stops every message", range: (1e-12, 1e15), ..FACTOR };

fn none(unit: &str) -> Option<f64> {
    unit.is_empty().then_some(1.0)
}

impl Quantity {
    /// Reads a number and its unit; a bare number counts the base unit.
    pub fn read<'t>(&self, text: &'t str) -> Result<Reading<'t>, QuantityError> {
        let unreadable =
            || QuantityError::Unreadable { text: text.to_owned(), what: self.name, example: self.example };
        let trimmed = text.trim();
        let (number, unit) = trimmed.split_at(number_len(trimmed));
        let (unit, number): (_, f64) = (unit.trim(), number.parse().map_err(|_| unreadable())?);
        let factor = (self.unit)(unit).ok_or_else(unreadable)?;
        let value = self.in_range(number * factor, text)?;
        // Zero is zero in any unit.
        let bare = unit.is_empty() && value != 0.0 && !self.base.is_empty();
        let Quantity { base, example, likely, .. } = *self;
        Ok(Reading { text, value, bare, base, example, likely })
    }

    /// The same for what is a number already, in the base unit.
    pub fn check(&self, number: f64) -> Result<f64, QuantityError> {
        self.in_range(number, &number.to_string())
    }

    /// Reads what cannot have a fraction.
    pub fn read_whole(&self, text: &str) -> Result<u64, QuantityError> {
        self.whole(self.read(text)?.value, text)
    }

    /// The same for what is a number already.
    pub fn check_whole(&self, number: f64) -> Result<u64, QuantityError> {
        let text = number.to_string();
        self.whole(self.in_range(number, &text)?, &text)
    }

    fn whole(&self, value: f64, text: &str) -> Result<u64, QuantityError> {
        match value.fract() == 0.0 {
            true => Ok(value as u64),
            false => {
                Err(QuantityError::Fraction { text: text.to_owned(), what: self.name, example: self.example })
            }
        }
    }

    fn in_range(&self, value: f64, text: &str) -> Result<f64, QuantityError> {
        let Quantity { name: what, example, base, if_zero: why, range: (least, most), .. } = *self;
        let text = || text.to_owned();
        match value {
            _ if value.is_nan() => Err(QuantityError::Unreadable { text: text(), what, example }),
            _ if value < 0.0 => Err(QuantityError::Negative { text: text(), what, example }),
            0.0 if !why.is_empty() => Err(QuantityError::Zero { text: text(), why, example }),
            // Not `-0.0`, which some of the arithmetic behind would hand on.
            0.0 => Ok(0.0),
            _ if (least..=most).contains(&value) => Ok(value),
            _ => Err(QuantityError::OutOfRange { text: text(), what, least, most, base }),
        }
    }
}

impl Reading<'_> {
    /// In the base unit.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// A warning for the user: a number without a unit, or of an unlikely size.
    pub fn doubt(&self) -> Option<String> {
        self.bare_doubt().or_else(|| self.unlikely_doubt())
    }

    /// The same where a bare number is as good as one with a unit.
    pub fn unlikely_doubt(&self) -> Option<String> {
        let how = self.unlikely()?;
        Some(format!(
            "`{}` is {} {}, which is very {how}: is the unit right?",
            self.text, self.value, self.base
        ))
    }

    fn bare_doubt(&self) -> Option<String> {
        if !self.bare {
            return None;
        }
        let hardly = self.unlikely().map_or(String::new(), |how| format!(", which is very {how}"));
        Some(format!(
            "`{}` has no unit and is read as {} {}{hardly}; write for example {}",
            self.text, self.value, self.base, self.example
        ))
    }

    fn unlikely(&self) -> Option<&'static str> {
        match self.value {
            0.0 => None,
            value if value < self.likely.0 => Some("little"),
            value if value > self.likely.1 => Some("much"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Quantity; 11] =
        [BANDWIDTH, LATENCY, DURATION, TIMEOUT, SPEED, WORK, BYTES, FACTOR, DIVISOR, POWER, ENERGY];

    #[test]
    fn nothing_but_finite_numbers_that_are_not_negative_gets_through() {
        for quantity in ALL {
            for text in ["nan", "inf", "-inf", "infinity", "-1", "1e999", "-1e-5", "", " ", "x", "1e", "--1"]
            {
                assert!(quantity.read(text).is_err(), "{text} as {}", quantity.name);
            }
            for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, f64::MAX] {
                assert!(quantity.check(number).is_err(), "{number} as {}", quantity.name);
            }
        }
    }

    #[test]
    fn zero_is_refused_where_something_is_divided_by_it() {
        for quantity in [BANDWIDTH, SPEED, DIVISOR, TIMEOUT] {
            assert!(matches!(quantity.read("0"), Err(QuantityError::Zero { .. })), "{}", quantity.name);
            assert!(matches!(quantity.read("1e-300"), Err(QuantityError::OutOfRange { .. })));
        }
        assert_eq!(LATENCY.read("-0").unwrap().value().to_bits(), 0);
    }

    #[test]
    fn bare_and_unlikely_numbers_are_doubted() {
        let doubt = |quantity: Quantity, text| quantity.read(text).unwrap().doubt().unwrap_or_default();
        assert!(doubt(BANDWIDTH, "100").contains("no unit and is read as 100 B/s, which is very little"));
        assert!(doubt(LATENCY, "5").contains("read as 5 s, which is very much"));
        assert!(doubt(BANDWIDTH, "125e6").contains("has no unit"));
        assert!(doubt(BANDWIDTH, "100bps").contains("12.5 B/s, which is very little"));
        for (quantity, text) in
            [(BANDWIDTH, "1kBps"), (LATENCY, "1s"), (LATENCY, "0"), (SPEED, "1Gf"), (FACTOR, "3")]
        {
            assert_eq!(doubt(quantity, text), "", "{text}");
        }
    }

    #[test]
    fn bytes_are_whole() {
        assert_eq!(BYTES.read_whole("1.5KiB"), Ok(1536));
        assert!(matches!(BYTES.read_whole("1.5"), Err(QuantityError::Fraction { .. })));
        assert!(BYTES.check_whole(1e30).is_err());
    }

    proptest! {
        /// Whatever is written, what comes out is finite, not negative, and in range.
        #[test]
        fn what_is_read_is_in_range(text in r"[-+]?[0-9naif]{0,4}(\.[0-9]{0,3})?(e[-+]?[0-9]{1,3})? ?[kMGTPiBbpsfmuµnwdh]{0,4}") {
            for quantity in ALL {
                if let Ok(read) = quantity.read(&text) {
                    let (value, (least, most)) = (read.value(), quantity.range);
                    prop_assert!(value == 0.0 && quantity.if_zero.is_empty() || (least..=most).contains(&value));
                }
            }
        }
    }
}
