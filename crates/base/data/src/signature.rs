//! Type signatures: the sequence of basic datatypes without their displacements.
//!
//! Sender and receiver must agree on it, and the number of received bytes is translated into
//! elements along it. Both are answered without expanding the sequence: it is kept as loops, and
//! its fingerprint is a polynomial hash modulo 2^61 - 1, which can be computed of a concatenation
//! from the fingerprints of its parts and of a repetition by squaring.
//!
//! A pair type counts as two elements, its value and its index, as the standard defines it.

use std::sync::Arc;

use crate::basic::Basic;
use crate::bounds::{add, mul};
use crate::error::DatatypeError;

/// The fingerprint of a type signature, to compare what was sent with what is received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeSignature {
    elements: u64,
    hash: u64,
    untyped: bool,
}

impl TypeSignature {
    /// Number of basic elements.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// Hash of the sequence of basic datatypes.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Does it consist of `MPI_BYTE` or `MPI_PACKED` only?
    pub fn is_untyped(&self) -> bool {
        self.untyped
    }

    /// Whether data of one signature may be received as the other. Signatures of only
    /// `MPI_BYTE` or `MPI_PACKED` agree with any.
    pub fn agrees_with(&self, other: &TypeSignature) -> bool {
        self.untyped || other.untyped || (self.elements == other.elements && self.hash == other.hash)
    }
}

/// A summary of a sequence of basics: how many, of how many bytes, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    pub elements: i64,
    pub size: i64,
    hash: u64,
    /// The hash base to the power of `elements`.
    power: u64,
    untyped: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub summary: Summary,
    pattern: Pattern,
}

#[derive(Clone, Debug)]
enum Pattern {
    Basic(Basic),
    Repeat { count: i64, body: Arc<Signature> },
    Sequence(Arc<[Signature]>),
}

impl Signature {
    pub fn basic(basic: Basic) -> Signature {
        match basic.pair() {
            None => Signature { summary: Summary::basic(basic), pattern: Pattern::Basic(basic) },
            Some((value, index)) => {
                let parts = [Signature::basic(value), Signature::basic(index)];
                let summary = parts[0].summary.then(parts[1].summary);
                Signature { summary, pattern: Pattern::Sequence(parts.into()) }
            }
        }
    }

    pub fn nothing() -> Signature {
        Signature { summary: Summary::NOTHING, pattern: Pattern::Sequence([].into()) }
    }

    pub fn repeat(&self, count: i64) -> Result<Signature, DatatypeError> {
        if count == 1 {
            return Ok(self.clone());
        }
        let summary = self.summary.times(count)?;
        let pattern = match &self.pattern {
            Pattern::Repeat { count: inner, body } => {
                Pattern::Repeat { count: mul(*inner, count)?, body: body.clone() }
            }
            _ => Pattern::Repeat { count, body: Arc::new(self.clone()) },
        };
        Ok(Signature { summary, pattern })
    }

    pub fn sequence(parts: Vec<Signature>) -> Result<Signature, DatatypeError> {
        let parts = join_equal(parts)?;
        let mut summary = Summary::NOTHING;
        for part in &parts {
            summary = summary.checked_then(part.summary)?;
        }
        match <[Signature; 1]>::try_from(parts) {
            Ok([only]) => Ok(only),
            Err(parts) => Ok(Signature { summary, pattern: Pattern::Sequence(parts.into()) }),
        }
    }

    /// The longest prefix of whole basics within `bytes`.
    pub fn prefix(&self, bytes: i64) -> Summary {
        if bytes >= self.summary.size {
            return self.summary;
        }
        match &self.pattern {
            Pattern::Basic(_) => Summary::NOTHING,
            Pattern::Repeat { body, .. } => {
                let whole = bytes / body.summary.size;
                let head = body.summary.times(whole).expect("shorter than the checked whole");
                head.then(body.prefix(bytes - head.size))
            }
            Pattern::Sequence(parts) => {
                let mut head = Summary::NOTHING;
                for part in parts.iter() {
                    let left = bytes - head.size;
                    head = head.then(part.prefix(left));
                    if part.summary.size > left {
                        break;
                    }
                }
                head
            }
        }
    }

    /// The basic it repeats and how often, if it is but one basic.
    fn as_series(&self) -> Option<(Basic, i64)> {
        match &self.pattern {
            Pattern::Basic(basic) => Some((*basic, 1)),
            Pattern::Repeat { count, body } => match body.pattern {
                Pattern::Basic(basic) => Some((basic, *count)),
                _ => None,
            },
            Pattern::Sequence(_) => None,
        }
    }
}

/// Drops empty parts and makes one series of neighbours that repeat the same basic.
fn join_equal(parts: Vec<Signature>) -> Result<Vec<Signature>, DatatypeError> {
    let mut joined: Vec<Signature> = Vec::new();
    for part in parts.into_iter().filter(|part| part.summary.elements > 0) {
        match (joined.last_mut().and_then(|last| Some((last.as_series()?, last))), part.as_series()) {
            (Some(((basic, n), last)), Some((same, more))) if basic == same => {
                *last = Signature::basic(basic).repeat(add(n, more)?)?;
            }
            _ => joined.push(part),
        }
    }
    Ok(joined)
}

impl Summary {
    pub const NOTHING: Summary = Summary { elements: 0, size: 0, hash: 0, power: 1, untyped: true };

    fn basic(basic: Basic) -> Summary {
        Summary {
            elements: 1,
            size: basic.size() as i64,
            hash: basic as u64 + 1,
            power: BASE,
            untyped: matches!(basic, Basic::Byte | Basic::Packed),
        }
    }

    /// Concatenation. Overflow of the counts is for [`Summary::checked_then`] to find.
    pub fn then(self, next: Summary) -> Summary {
        Summary {
            elements: self.elements + next.elements,
            size: self.size + next.size,
            hash: add_mod(mul_mod(self.hash, next.power), next.hash),
            power: mul_mod(self.power, next.power),
            untyped: self.untyped && next.untyped,
        }
    }

    fn checked_then(self, next: Summary) -> Result<Summary, DatatypeError> {
        add(self.size, next.size)?;
        Ok(self.then(next))
    }

    /// `count` copies, by doubling.
    pub fn times(self, count: i64) -> Result<Summary, DatatypeError> {
        mul(self.size, count)?;
        let (mut result, mut doubled, mut left) = (Summary::NOTHING, self, count);
        while left > 0 {
            if left & 1 == 1 {
                result = result.then(doubled);
            }
            left >>= 1;
            if left > 0 {
                doubled = doubled.then(doubled);
            }
        }
        Ok(result)
    }

    pub fn fingerprint(&self) -> TypeSignature {
        TypeSignature { elements: self.elements as u64, hash: self.hash, untyped: self.untyped }
    }
}

const MODULUS: u64 = (1 << 61) - 1;
/// Any large residue will do; this one is 2^64 divided by the golden ratio, reduced.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15 % MODULUS;

/// Since 2^61 is 1 modulo 2^61 - 1, the high bits of a product are added to the low ones.
fn mul_mod(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    add_mod(product as u64 & MODULUS, (product >> 61) as u64)
}

fn add_mod(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= MODULUS { sum - MODULUS } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int() -> Signature {
        Signature::basic(Basic::Int)
    }

    fn double() -> Signature {
        Signature::basic(Basic::Double)
    }

    #[test]
    fn the_fingerprint_sees_only_the_sequence() {
        let nested = Signature::sequence(vec![int(), double()]).unwrap().repeat(3).unwrap();
        let flat = Signature::sequence(vec![int(), double(), int(), double(), int(), double()]).unwrap();
        assert_eq!(nested.summary, flat.summary);
        let swapped = Signature::sequence(vec![double(), int()]).unwrap().repeat(3).unwrap();
        assert_ne!(nested.summary, swapped.summary);
    }

    #[test]
    fn products_are_reduced() {
        for (a, b) in [(MODULUS - 1, MODULUS - 1), (BASE, BASE), (1, MODULUS - 1), (0, BASE)] {
            assert_eq!(u128::from(mul_mod(a, b)), u128::from(a) * u128::from(b) % u128::from(MODULUS));
        }
    }

    #[test]
    fn a_prefix_ends_at_a_whole_basic() {
        let signature = Signature::sequence(vec![int(), double().repeat(2).unwrap()]).unwrap();
        let ends: Vec<_> = (0..=20).map(|bytes| signature.prefix(bytes).elements).collect();
        assert_eq!(ends, [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3]);
    }

    #[test]
    fn a_pair_is_two_elements() {
        let pair = Signature::basic(Basic::DoubleInt);
        assert_eq!(pair.summary, Signature::sequence(vec![double(), int()]).unwrap().summary);
        assert_eq!(pair.prefix(8).elements, 1);
    }

    #[test]
    fn a_long_list_of_one_basic_is_one_series() {
        let list = Signature::sequence(vec![int(); 1000]).unwrap();
        assert_eq!(list.as_series(), Some((Basic::Int, 1000)));
    }
}
