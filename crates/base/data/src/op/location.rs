//! `MPI_MINLOC` and `MPI_MAXLOC`: an extreme value and the lowest index that has it.

use super::Op;
use super::element::{Element, elementwise};

/// A value and then its index, without padding between them.
#[derive(Clone, Copy)]
struct Located<V, I> {
    value: V,
    index: I,
}

pub(super) fn combine<V, I>(op: Op, inout: &mut [u8], input: &[u8])
where
    V: Element + PartialOrd,
    I: Element + PartialOrd,
{
    match op {
        Op::Minloc => elementwise(inout, input, |a: Located<V, I>, b| a.or_if(b, b.value < a.value)),
        Op::Maxloc => elementwise(inout, input, |a: Located<V, I>, b| a.or_if(b, b.value > a.value)),
        _ => unreachable!("{op} of pairs"),
    }
}

impl<V: PartialOrd, I: PartialOrd> Located<V, I> {
    /// The other one if it is better, or equal at a lower index.
    #[inline(always)]
    fn or_if(self, other: Self, better: bool) -> Self {
        let tie = other.value == self.value && other.index < self.index;
        if better || tie { other } else { self }
    }
}

impl<V: Element, I: Element> Element for Located<V, I> {
    const SIZE: usize = V::SIZE + I::SIZE;

    #[inline(always)]
    fn read(bytes: &[u8]) -> Self {
        Located { value: V::read(bytes), index: I::read(&bytes[V::SIZE..]) }
    }

    #[inline(always)]
    fn write(self, bytes: &mut [u8]) {
        self.value.write(bytes);
        self.index.write(&mut bytes[V::SIZE..]);
    }
}
