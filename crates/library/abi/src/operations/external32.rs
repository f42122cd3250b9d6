//! `external32`, the standard's own format for data (section 14.5): big-endian, with sizes of its own.
//!
//! Elements are converted one by one between the machine's packed form and the external one. They differ in byte order,
//! in the size of a few integers (`long` has 4 bytes outside), and in `long double`, which is IEEE's quadruple outside.

use mpirage_data::{Basic, Class, Constructor, Datatype};

/// How one number is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Another order of this many bytes.
    Swapped(usize),
    /// An integer of 8 bytes here and 4 outside.
    Shortened { signed: bool },
    /// A wide character: 4 bytes here and 2 outside.
    Wide,
    /// The x87 format in 16 bytes here, IEEE's quadruple outside.
    LongDouble,
}

/// Bytes of one element of this datatype outside.
pub(crate) fn size(datatype: &Datatype) -> usize {
    forms(datatype).iter().map(|form| form.outside()).sum()
}

/// From packed elements to the external form.
pub(crate) fn encode(datatype: &Datatype, packed: &[u8]) -> Vec<u8> {
    let (mut rest, mut out) = (packed, Vec::new());
    for form in forms(datatype).iter().cycle() {
        let Some((number, after)) = rest.split_at_checked(form.inside()).filter(|_| !rest.is_empty()) else {
            break;
        };
        form.encode(number, &mut out);
        rest = after;
    }
    out
}

/// From the external form to packed elements.
pub(crate) fn decode(datatype: &Datatype, external: &[u8]) -> Vec<u8> {
    let (mut rest, mut out) = (external, Vec::new());
    for form in forms(datatype).iter().cycle() {
        let Some((number, after)) = rest.split_at_checked(form.outside()).filter(|_| !rest.is_empty()) else {
            break;
        };
        form.decode(number, &mut out);
        rest = after;
    }
    out
}

impl Form {
    fn inside(self) -> usize {
        match self {
            Form::Swapped(size) => size,
            Form::Shortened { .. } => 8,
            Form::Wide => 4,
            Form::LongDouble => 16,
        }
    }

    fn outside(self) -> usize {
        match self {
            Form::Swapped(size) => size,
            Form::Shortened { .. } => 4,
            Form::Wide => 2,
            Form::LongDouble => 16,
        }
    }

    fn encode(self, number: &[u8], out: &mut Vec<u8>) {
        match self {
            Form::LongDouble => out.extend(quadruple(u128::from_le_bytes(array(number))).to_be_bytes()),
            _ => out.extend(number[..self.outside()].iter().rev()),
        }
    }

    fn decode(self, number: &[u8], out: &mut Vec<u8>) {
        if self == Form::LongDouble {
            return out.extend(extended(u128::from_be_bytes(array(number))).to_le_bytes());
        }
        let negative = self == Form::Shortened { signed: true } && number[0] & 0x80 != 0;
        let missing = self.inside() - self.outside();
        out.extend(number.iter().rev());
        out.extend(std::iter::repeat_n(if negative { 0xff } else { 0 }, missing));
    }
}

/// The numbers of one element, in packing order.
fn forms(datatype: &Datatype) -> Vec<Form> {
    match datatype.constructor() {
        Constructor::Named(basic) => forms_of_basic(*basic),
        Constructor::Struct { blocklengths, types, .. } => {
            let members = blocklengths.iter().zip(types);
            members.flat_map(|(&length, of)| forms(of).repeat(length as usize)).collect()
        }
        Constructor::Dup(of)
        | Constructor::Contiguous { of, .. }
        | Constructor::Vector { of, .. }
        | Constructor::Hvector { of, .. }
        | Constructor::Indexed { of, .. }
        | Constructor::Hindexed { of, .. }
        | Constructor::IndexedBlock { of, .. }
        | Constructor::HindexedBlock { of, .. }
        | Constructor::Subarray { of, .. }
        | Constructor::Darray { of, .. }
        | Constructor::Resized { of, .. } => match of.size() {
            0 => Vec::new(),
            size => forms(of).repeat(datatype.size() / size),
        },
    }
}

fn forms_of_basic(basic: Basic) -> Vec<Form> {
    if let Some((value, index)) = basic.pair() {
        return [forms_of_basic(value), forms_of_basic(index)].concat();
    }
    match basic {
        Basic::Long => vec![Form::Shortened { signed: true }],
        Basic::UnsignedLong => vec![Form::Shortened { signed: false }],
        Basic::Wchar => vec![Form::Wide],
        Basic::LongDouble => vec![Form::LongDouble],
        Basic::CLongDoubleComplex | Basic::CxxLongDoubleComplex => vec![Form::LongDouble; 2],
        _ if basic.class() == Class::Complex => vec![Form::Swapped(basic.size() / 2); 2],
        _ => vec![Form::Swapped(basic.size())],
    }
}

/// x87's 80 bits have the sign and exponent of a quadruple, then a one that the quadruple leaves out, then 63 bits.
fn quadruple(extended: u128) -> u128 {
    let sign_and_exponent = (extended >> 64) & 0xffff;
    let fraction = extended & (u128::MAX >> 65);
    (sign_and_exponent << 112) | (fraction << 49)
}

fn extended(quadruple: u128) -> u128 {
    let sign_and_exponent = quadruple >> 112;
    let fraction = (quadruple >> 49) & (u128::MAX >> 65);
    let one = if sign_and_exponent & 0x7fff == 0 { 0 } else { 1 << 63 };
    (sign_and_exponent << 64) | one | fraction
}

fn array(bytes: &[u8]) -> [u8; 16] {
    bytes.try_into().expect("sixteen bytes were split off")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_structure_is_converted_member_by_member() {
        let types = [Basic::Short.into(), Basic::Long.into(), Basic::Char.into()];
        let datatype = Datatype::structure(&[2, 1, 3], &[0, 8, 16], &types).unwrap();
        let packed = [&[1, 0, 2, 0], &(-2_i64).to_le_bytes()[..], b"xyz"].concat();
        let external = [&[0, 1, 0, 2], &(-2_i32).to_be_bytes()[..], b"xyz"].concat();
        assert_eq!(size(&datatype), external.len());
        assert_eq!(encode(&datatype, &packed.repeat(2)), external.repeat(2));
        assert_eq!(decode(&datatype, &external.repeat(2)), packed.repeat(2));
    }

    #[test]
    fn long_doubles_are_quadruples() {
        let one_and_a_half = 0x3fff_c000_0000_0000_0000_u128;
        assert_eq!(quadruple(one_and_a_half), 0x3fff_8000 << 96);
        for number in [0, one_and_a_half, one_and_a_half | (1 << 79), 0x7fff_8000_0000_0000_0000] {
            assert_eq!(extended(quadruple(number)), number);
        }
        let datatype = Datatype::basic(Basic::LongDouble);
        assert_eq!(encode(&datatype, &one_and_a_half.to_le_bytes())[..3], [0x3f, 0xff, 0x80]);
    }

    #[test]
    fn nothing_stays_nothing() {
        let nothing = Datatype::basic(Basic::Int).contiguous(0).unwrap();
        assert_eq!((size(&nothing), encode(&nothing, &[]), decode(&nothing, &[])), (0, vec![], vec![]));
    }
}
