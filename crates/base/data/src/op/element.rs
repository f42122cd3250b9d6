//! Numbers as they lie in packed bytes, and the loop over two vectors of them.

use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Sub};

/// Something of a fixed number of bytes.
pub(super) trait Element: Copy {
    const SIZE: usize;
    /// Reads the `SIZE` first bytes.
    fn read(bytes: &[u8]) -> Self;
    /// Writes the `SIZE` first bytes.
    fn write(self, bytes: &mut [u8]);
}

/// Integers that wrap. Truth is any value but zero.
pub(super) trait Integer:
    Element + Ord + From<bool> + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    const FALSE: Self;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

/// Floating-point numbers.
pub(super) trait Floating:
    Element + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
}

/// A complex number, real part first.
#[derive(Clone, Copy)]
pub(super) struct Complex<T> {
    re: T,
    im: T,
}

/// Bytes from which on wide registers are worth asking for.
#[cfg(target_arch = "x86_64")]
const WORTH_WIDE: usize = 256;

/// `inout[i] = f(inout[i], input[i])`. Long vectors use the wide registers of the processor, if it has some; each element is computed as without them.
pub(super) fn elementwise<T: Element>(inout: &mut [u8], input: &[u8], f: impl Fn(T, T) -> T) {
    #[cfg(target_arch = "x86_64")]
    if inout.len() >= WORTH_WIDE && std::is_x86_feature_detected!("avx2") {
        #[allow(unsafe_code)]
        // SAFETY: the processor has AVX2.
        return unsafe { wide(inout, input, f) };
    }
    one_by_one(inout, input, f);
}

/// The same, compiled for AVX2: 64-bit integers have comparisons and 32-bit ones products there.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn wide<T: Element>(inout: &mut [u8], input: &[u8], f: impl Fn(T, T) -> T) {
    one_by_one(inout, input, f);
}

/// Chunks of a constant size let the compiler vectorise, whatever the alignment.
#[inline(always)]
fn one_by_one<T: Element>(inout: &mut [u8], input: &[u8], f: impl Fn(T, T) -> T) {
    for (a, b) in inout.chunks_exact_mut(T::SIZE).zip(input.chunks_exact(T::SIZE)) {
        f(T::read(a), T::read(b)).write(a);
    }
}

impl<T: Floating> Complex<T> {
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }

    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl<T: Element> Element for Complex<T> {
    const SIZE: usize = 2 * T::SIZE;

    #[inline(always)]
    fn read(bytes: &[u8]) -> Self {
        Complex { re: T::read(bytes), im: T::read(&bytes[T::SIZE..]) }
    }

    #[inline(always)]
    fn write(self, bytes: &mut [u8]) {
        self.re.write(bytes);
        self.im.write(&mut bytes[T::SIZE..]);
    }
}

macro_rules! native_element {
    ($($number:ty)*) => {$(
        impl Element for $number {
            const SIZE: usize = size_of::<$number>();

            #[inline(always)]
            fn read(bytes: &[u8]) -> Self {
                <$number>::from_ne_bytes(bytes[..Self::SIZE].try_into().expect("sliced to its size"))
            }

            #[inline(always)]
            fn write(self, bytes: &mut [u8]) {
                bytes[..Self::SIZE].copy_from_slice(&self.to_ne_bytes());
            }
        }
    )*};
}

macro_rules! native_integer {
    ($($number:ty)*) => {$(
        impl Integer for $number {
            const FALSE: Self = 0;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }
    )*};
}

native_element!(i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 f32 f64);
native_integer!(i8 u8 i16 u16 i32 u32 i64 u64 i128 u128);
impl Floating for f32 {}
impl Floating for f64 {}
