//! The predefined datatypes: their handles in the ABI and what they are.

use crate::constants::*;
use crate::types::MPI_Datatype;
use mpirage_data::Basic;

/// The handle of a predefined datatype.
pub(crate) fn handle_of(basic: Basic) -> MPI_Datatype {
    let found = PREDEFINED.iter().find(|&&(_, other)| other == basic);
    found.map_or(MPI_DATATYPE_NULL, |&(handle, _)| handle)
}

/// The name that a program sees; of two synonyms the standard chooses the longer integer and the shorter complex.
pub(crate) fn default_name(basic: Basic) -> &'static str {
    match basic {
        Basic::LongLong => "MPI_LONG_LONG_INT",
        Basic::CFloatComplex => "MPI_C_COMPLEX",
        _ => basic.name(),
    }
}

/// All of them, by handle.
pub(crate) const PREDEFINED: [(MPI_Datatype, Basic); 70] = [
    (MPI_CHAR, Basic::Char),
    (MPI_SIGNED_CHAR, Basic::SignedChar),
    (MPI_UNSIGNED_CHAR, Basic::UnsignedChar),
    (MPI_BYTE, Basic::Byte),
    (MPI_PACKED, Basic::Packed),
    (MPI_WCHAR, Basic::Wchar),
    (MPI_SHORT, Basic::Short),
    (MPI_UNSIGNED_SHORT, Basic::UnsignedShort),
    (MPI_INT, Basic::Int),
    (MPI_UNSIGNED, Basic::Unsigned),
    (MPI_LONG, Basic::Long),
    (MPI_UNSIGNED_LONG, Basic::UnsignedLong),
    (MPI_LONG_LONG, Basic::LongLong),
    (MPI_UNSIGNED_LONG_LONG, Basic::UnsignedLongLong),
    (MPI_INT8_T, Basic::Int8),
    (MPI_INT16_T, Basic::Int16),
    (MPI_INT32_T, Basic::Int32),
    (MPI_INT64_T, Basic::Int64),
    (MPI_UINT8_T, Basic::Uint8),
    (MPI_UINT16_T, Basic::Uint16),
    (MPI_UINT32_T, Basic::Uint32),
    (MPI_UINT64_T, Basic::Uint64),
    (MPI_FLOAT, Basic::Float),
    (MPI_DOUBLE, Basic::Double),
    (MPI_LONG_DOUBLE, Basic::LongDouble),
    (MPI_C_BOOL, Basic::CBool),
    (MPI_C_FLOAT_COMPLEX, Basic::CFloatComplex),
    (MPI_C_DOUBLE_COMPLEX, Basic::CDoubleComplex),
    (MPI_C_LONG_DOUBLE_COMPLEX, Basic::CLongDoubleComplex),
    (MPI_CXX_BOOL, Basic::CxxBool),
    (MPI_CXX_FLOAT_COMPLEX, Basic::CxxFloatComplex),
    (MPI_CXX_DOUBLE_COMPLEX, Basic::CxxDoubleComplex),
    (MPI_CXX_LONG_DOUBLE_COMPLEX, Basic::CxxLongDoubleComplex),
    (MPI_AINT, Basic::Aint),
    (MPI_COUNT, Basic::Count),
    (MPI_OFFSET, Basic::Offset),
    (MPI_CHARACTER, Basic::Character),
    (MPI_LOGICAL, Basic::Logical),
    (MPI_LOGICAL1, Basic::Logical1),
    (MPI_LOGICAL2, Basic::Logical2),
    (MPI_LOGICAL4, Basic::Logical4),
    (MPI_LOGICAL8, Basic::Logical8),
    (MPI_LOGICAL16, Basic::Logical16),
    (MPI_INTEGER, Basic::Integer),
    (MPI_INTEGER1, Basic::Integer1),
    (MPI_INTEGER2, Basic::Integer2),
    (MPI_INTEGER4, Basic::Integer4),
    (MPI_INTEGER8, Basic::Integer8),
    (MPI_INTEGER16, Basic::Integer16),
    (MPI_REAL, Basic::Real),
    (MPI_REAL2, Basic::Real2),
    (MPI_REAL4, Basic::Real4),
    (MPI_REAL8, Basic::Real8),
    (MPI_REAL16, Basic::Real16),
    (MPI_DOUBLE_PRECISION, Basic::DoublePrecision),
    (MPI_COMPLEX, Basic::Complex),
    (MPI_COMPLEX4, Basic::Complex4),
    (MPI_COMPLEX8, Basic::Complex8),
    (MPI_COMPLEX16, Basic::Complex16),
    (MPI_COMPLEX32, Basic::Complex32),
    (MPI_DOUBLE_COMPLEX, Basic::DoubleComplex),
    (MPI_FLOAT_INT, Basic::FloatInt),
    (MPI_DOUBLE_INT, Basic::DoubleInt),
    (MPI_LONG_INT, Basic::LongInt),
    (MPI_2INT, Basic::TwoInt),
    (MPI_SHORT_INT, Basic::ShortInt),
    (MPI_LONG_DOUBLE_INT, Basic::LongDoubleInt),
    (MPI_2REAL, Basic::TwoReal),
    (MPI_2DOUBLE_PRECISION, Basic::TwoDoublePrecision),
    (MPI_2INTEGER, Basic::TwoInteger),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::unnecessary_cast)]
    fn every_datatype_has_the_handle_of_its_name() {
        let constants: &[(&str, i64)] = &include!(concat!(env!("OUT_DIR"), "/constant_values.rs"));
        assert_eq!(PREDEFINED.len(), Basic::ALL.len());
        for (handle, basic) in PREDEFINED {
            assert!(constants.contains(&(basic.name(), handle.0 as i64)), "{basic}");
            assert_eq!(handle_of(basic), handle);
        }
    }
}
