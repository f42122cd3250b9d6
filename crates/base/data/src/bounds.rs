//! Where a datatype begins and ends, in bytes relative to the buffer address.
//!
//! ```text
//!      lb       true_lb          true_ub     ub
//!      |...........|####..####..####|.........|      # data, . gaps
//!      |<---------------- extent ------------>|
//! ```

use crate::error::DatatypeError;

/// An interval of displacements, `low..high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub low: i64,
    pub high: i64,
}

impl Interval {
    pub fn new(low: i64, high: i64) -> Interval {
        Interval { low, high }
    }

    pub fn len(self) -> Result<i64, DatatypeError> {
        self.high.checked_sub(self.low).ok_or(DatatypeError::Overflow)
    }

    fn shift(self, by: i64) -> Result<Interval, DatatypeError> {
        Ok(Interval::new(add(self.low, by)?, add(self.high, by)?))
    }

    fn union(self, other: Interval) -> Interval {
        Interval::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// `count` > 0 copies, each `stride` after the one before; the stride may be negative.
    fn repeat(self, count: i64, stride: i64) -> Result<Interval, DatatypeError> {
        Ok(self.union(self.shift(mul(count - 1, stride)?)?))
    }
}

/// Both intervals of a datatype. `None` is a type map without any entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// From the lower to the upper bound, as user and padding have it.
    pub marked: Option<Interval>,
    /// From the first to behind the last byte of data.
    pub data: Option<Interval>,
}

impl Bounds {
    pub const NOTHING: Bounds = Bounds { marked: None, data: None };

    pub fn shift(self, by: i64) -> Result<Bounds, DatatypeError> {
        self.map(|interval| interval.shift(by))
    }

    pub(crate) fn repeat(self, count: i64, stride: i64) -> Result<Bounds, DatatypeError> {
        if count == 0 {
            return Ok(Bounds::NOTHING);
        }
        self.map(|interval| interval.repeat(count, stride))
    }

    pub fn union(self, other: Bounds) -> Bounds {
        Bounds { marked: union(self.marked, other.marked), data: union(self.data, other.data) }
    }

    pub fn resized(self, lb: i64, extent: i64) -> Result<Bounds, DatatypeError> {
        Ok(Bounds { marked: Some(Interval::new(lb, add(lb, extent)?)), ..self })
    }

    /// Moves the upper bound so that the extent is a multiple of `alignment`.
    pub fn padded(self, alignment: i64) -> Result<Bounds, DatatypeError> {
        let Some(marked) = self.marked else { return Ok(self) };
        let excess = marked.len()?.rem_euclid(alignment);
        let padding = if excess == 0 { 0 } else { alignment - excess };
        Ok(Bounds { marked: Some(Interval::new(marked.low, add(marked.high, padding)?)), ..self })
    }

    /// Checks that extent and true extent can be represented.
    pub fn checked(self) -> Result<Bounds, DatatypeError> {
        self.map(|interval| interval.len().map(|_| interval))
    }

    fn map(self, f: impl Fn(Interval) -> Result<Interval, DatatypeError>) -> Result<Bounds, DatatypeError> {
        Ok(Bounds { marked: self.marked.map(&f).transpose()?, data: self.data.map(&f).transpose()? })
    }
}

fn union(a: Option<Interval>, b: Option<Interval>) -> Option<Interval> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.union(b)),
        (a, b) => a.or(b),
    }
}

pub(crate) fn add(a: i64, b: i64) -> Result<i64, DatatypeError> {
    a.checked_add(b).ok_or(DatatypeError::Overflow)
}

pub(crate) fn mul(a: i64, b: i64) -> Result<i64, DatatypeError> {
    a.checked_mul(b).ok_or(DatatypeError::Overflow)
}
