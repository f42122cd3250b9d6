//! The x87 extended format behind `long double`, in software.
//!
//! ```text
//!   bytes 0..8   significand, 64 bits with the leading one explicit
//!   bytes 8..10  sign (1 bit) and biased exponent (15 bits)
//!   bytes 10..16 padding, written as zero
//! ```
//!
//! Sums and products are exact up to one rounding to nearest, ties to even, as the processor does
//! them; subnormals included. Of two NaNs either may come out, quieted.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use super::element::{Element, Floating};

/// An 80-bit floating-point number.
#[derive(Clone, Copy, Debug)]
pub(super) struct LongDouble {
    negative: bool,
    exponent: u16,
    significand: u64,
}

const EXPONENT_MAX: u16 = 0x7fff;
const LEADING_ONE: u64 = 1 << 63;
const QUIET: u64 = 1 << 62;
/// Power of two of the significand's last bit where the biased exponent is 0.
const SCALE: i32 = -16383 - 63;
/// Bits below the significand kept while two numbers are aligned for addition.
const GUARD: u32 = 62;

impl LongDouble {
    const INDEFINITE: LongDouble =
        LongDouble { negative: true, exponent: EXPONENT_MAX, significand: LEADING_ONE | QUIET };

    fn infinity(negative: bool) -> LongDouble {
        LongDouble { negative, exponent: EXPONENT_MAX, significand: LEADING_ONE }
    }

    fn is_infinite(self) -> bool {
        self.exponent == EXPONENT_MAX && self.significand == LEADING_ONE
    }

    /// NaNs, and the encodings without a leading one that processors since the 387 refuse.
    fn is_nan(self) -> bool {
        let without_leading_one = self.exponent != 0 && self.significand & LEADING_ONE == 0;
        without_leading_one || (self.exponent == EXPONENT_MAX && self.significand != LEADING_ONE)
    }

    fn is_zero(self) -> bool {
        self.significand == 0
    }

    fn quieted(self) -> LongDouble {
        LongDouble { exponent: EXPONENT_MAX, significand: self.significand | LEADING_ONE | QUIET, ..self }
    }

    fn negated(self) -> LongDouble {
        LongDouble { negative: !self.negative, ..self }
    }

    /// Subnormals have the scale of exponent 1.
    fn scale_exponent(self) -> i32 {
        i32::from(self.exponent.max(1))
    }

    /// Orders absolute values as integers.
    fn magnitude(self) -> i128 {
        if self.is_zero() {
            0
        } else {
            i128::from(self.scale_exponent()) << 64 | i128::from(self.significand)
        }
    }

    fn signed_magnitude(self) -> i128 {
        if self.negative { -self.magnitude() } else { self.magnitude() }
    }

    /// `significand * 2^power`, rounded. The last bit of the significand may stand for any
    /// non-zero rest below it.
    fn rounded(negative: bool, significand: u128, power: i32) -> LongDouble {
        if significand == 0 {
            return LongDouble { negative, exponent: 0, significand: 0 };
        }
        let top = 127 - significand.leading_zeros() as i32;
        let exponent = power - SCALE + top - 63;
        let below_normal = (1 - exponent).max(0);
        let rounded = shift_to_even(significand, top - 63 + below_normal);
        let (rounded, carry) = if rounded >> 64 == 1 { (rounded >> 1, 1) } else { (rounded, 0) };
        let became_normal = i32::from(rounded >> 63 == 1);
        let exponent = if below_normal > 0 { became_normal } else { exponent + carry };
        if exponent >= i32::from(EXPONENT_MAX) {
            return LongDouble::infinity(negative);
        }
        LongDouble { negative, exponent: exponent as u16, significand: rounded as u64 }
    }

    /// Sum of two finite numbers, the first not smaller in magnitude.
    fn add_finite(larger: LongDouble, smaller: LongDouble) -> LongDouble {
        let power = larger.scale_exponent() + SCALE - GUARD as i32;
        let distance = (larger.scale_exponent() - smaller.scale_exponent()) as u32;
        let a = u128::from(larger.significand) << GUARD;
        let b = shift_sticky(u128::from(smaller.significand) << GUARD, distance);
        let same_sign = larger.negative == smaller.negative;
        let sum = if same_sign { a + b } else { a - b };
        let negative = larger.negative && (same_sign || sum != 0);
        LongDouble::rounded(negative, sum, power)
    }
}

/// `value / 2^by` to the nearest integer, ties to even; a multiplication if `by` is negative.
fn shift_to_even(value: u128, by: i32) -> u128 {
    match by {
        ..=0 => value << -by,
        128 => u128::from(value > 1 << 127),
        129.. => 0,
        _ => {
            let (quotient, rest) = (value >> by, value & ((1 << by) - 1));
            let half = 1 << (by - 1);
            let up = rest > half || (rest == half && quotient & 1 == 1);
            quotient + u128::from(up)
        }
    }
}

/// `value / 2^by` downwards, with the last bit set if anything was lost.
fn shift_sticky(value: u128, by: u32) -> u128 {
    let kept = value.checked_shr(by).unwrap_or(0);
    let lost = kept.checked_shl(by).unwrap_or(0) != value;
    kept | u128::from(lost)
}

impl Add for LongDouble {
    type Output = LongDouble;

    fn add(self, other: LongDouble) -> LongDouble {
        match (self, other) {
            (nan, _) | (_, nan) if nan.is_nan() => nan.quieted(),
            (a, b) if a.is_infinite() && b.is_infinite() && a.negative != b.negative => {
                LongDouble::INDEFINITE
            }
            (infinite, _) | (_, infinite) if infinite.is_infinite() => infinite,
            (a, b) if a.magnitude() >= b.magnitude() => LongDouble::add_finite(a, b),
            (a, b) => LongDouble::add_finite(b, a),
        }
    }
}

impl Sub for LongDouble {
    type Output = LongDouble;

    fn sub(self, other: LongDouble) -> LongDouble {
        self.add(other.negated())
    }
}

impl Mul for LongDouble {
    type Output = LongDouble;

    fn mul(self, other: LongDouble) -> LongDouble {
        let negative = self.negative != other.negative;
        match (self, other) {
            (nan, _) | (_, nan) if nan.is_nan() => nan.quieted(),
            (a, b) | (b, a) if a.is_infinite() && b.is_zero() => LongDouble::INDEFINITE,
            (a, _) | (_, a) if a.is_infinite() => LongDouble::infinity(negative),
            (a, b) => {
                let product = u128::from(a.significand) * u128::from(b.significand);
                let power = a.scale_exponent() + b.scale_exponent() + 2 * SCALE;
                LongDouble::rounded(negative, product, power)
            }
        }
    }
}

impl PartialEq for LongDouble {
    fn eq(&self, other: &LongDouble) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for LongDouble {
    fn partial_cmp(&self, other: &LongDouble) -> Option<Ordering> {
        if self.is_nan() || other.is_nan() {
            return None;
        }
        Some(self.signed_magnitude().cmp(&other.signed_magnitude()))
    }
}

impl Element for LongDouble {
    const SIZE: usize = 16;

    fn read(bytes: &[u8]) -> LongDouble {
        let significand = u64::read(bytes);
        let sign_exponent = u16::read(&bytes[8..]);
        LongDouble { negative: sign_exponent >> 15 == 1, exponent: sign_exponent & EXPONENT_MAX, significand }
    }

    fn write(self, bytes: &mut [u8]) {
        self.significand.write(bytes);
        (u16::from(self.negative) << 15 | self.exponent).write(&mut bytes[8..]);
        bytes[10..16].fill(0);
    }
}

impl Floating for LongDouble {}

#[cfg(test)]
mod tests;
