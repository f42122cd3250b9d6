//! The predefined elementary datatypes of MPI, as one table.
//!
//! Every derived datatype is in the end a sequence of these at displacements. Sizes are those of
//! the LP64 model on x86-64 (`long` 8 bytes, `long double` 16 bytes of which 10 carry the value).
//!
//! `size` counts data bytes, `extent` the bytes from one array element to the next. They differ
//! only for pair types with padding: `MPI_DOUBLE_INT` has size 12 and extent 16.

/// The class of a basic datatype, which decides the reductions it allows (MPI 5.0, section 6.9.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Signed and unsigned C integers.
    CInteger,
    /// `INTEGER` of Fortran and its sized variants.
    FortranInteger,
    /// Real floating point, C and Fortran.
    Floating,
    /// `LOGICAL` of Fortran, `_Bool` of C, `bool` of C++.
    Logical,
    /// Complex floating point, C, C++ and Fortran.
    Complex,
    /// Uninterpreted bytes: `MPI_BYTE`.
    Byte,
    /// `MPI_AINT`, `MPI_COUNT`, `MPI_OFFSET`: the same in every language.
    MultiLanguage,
    /// A value and an index, for `MPI_MINLOC` and `MPI_MAXLOC`.
    Pair,
    /// Printable characters and `MPI_PACKED`: moved, not computed with.
    Text,
}

macro_rules! basics {
    ($($variant:ident $name:literal $size:literal $extent:literal $alignment:literal $class:ident;)*) => {
        /// A predefined elementary datatype.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Basic {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl Basic {
            /// All of them, in the order of the table.
            pub const ALL: &[Basic] = &[$(Basic::$variant,)*];

            const fn facts(self) -> &'static Facts {
                match self {
                    $(Basic::$variant => &Facts {
                        name: $name, size: $size, extent: $extent, alignment: $alignment, class: Class::$class,
                    },)*
                }
            }
        }
    };
}

struct Facts {
    name: &'static str,
    size: usize,
    extent: usize,
    alignment: usize,
    class: Class,
}

// variant, name, size, extent, alignment, class
basics! {
    Char "MPI_CHAR" 1 1 1 Text;
    SignedChar "MPI_SIGNED_CHAR" 1 1 1 CInteger;
    UnsignedChar "MPI_UNSIGNED_CHAR" 1 1 1 CInteger;
    Byte "MPI_BYTE" 1 1 1 Byte;
    Packed "MPI_PACKED" 1 1 1 Text;
    Wchar "MPI_WCHAR" 4 4 4 Text;
    Short "MPI_SHORT" 2 2 2 CInteger;
    UnsignedShort "MPI_UNSIGNED_SHORT" 2 2 2 CInteger;
    Int "MPI_INT" 4 4 4 CInteger;
    Unsigned "MPI_UNSIGNED" 4 4 4 CInteger;
    Long "MPI_LONG" 8 8 8 CInteger;
    UnsignedLong "MPI_UNSIGNED_LONG" 8 8 8 CInteger;
    LongLong "MPI_LONG_LONG" 8 8 8 CInteger;
    UnsignedLongLong "MPI_UNSIGNED_LONG_LONG" 8 8 8 CInteger;
    Int8 "MPI_INT8_T" 1 1 1 CInteger;
    Int16 "MPI_INT16_T" 2 2 2 CInteger;
    Int32 "MPI_INT32_T" 4 4 4 CInteger;
    Int64 "MPI_INT64_T" 8 8 8 CInteger;
    Uint8 "MPI_UINT8_T" 1 1 1 CInteger;
    Uint16 "MPI_UINT16_T" 2 2 2 CInteger;
    Uint32 "MPI_UINT32_T" 4 4 4 CInteger;
    Uint64 "MPI_UINT64_T" 8 8 8 CInteger;
    Float "MPI_FLOAT" 4 4 4 Floating;
    Double "MPI_DOUBLE" 8 8 8 Floating;
    LongDouble "MPI_LONG_DOUBLE" 16 16 16 Floating;
    CBool "MPI_C_BOOL" 1 1 1 Logical;
    CFloatComplex "MPI_C_FLOAT_COMPLEX" 8 8 4 Complex;
    CDoubleComplex "MPI_C_DOUBLE_COMPLEX" 16 16 8 Complex;
    CLongDoubleComplex "MPI_C_LONG_DOUBLE_COMPLEX" 32 32 16 Complex;
    CxxBool "MPI_CXX_BOOL" 1 1 1 Logical;
    CxxFloatComplex "MPI_CXX_FLOAT_COMPLEX" 8 8 4 Complex;
    CxxDoubleComplex "MPI_CXX_DOUBLE_COMPLEX" 16 16 8 Complex;
    CxxLongDoubleComplex "MPI_CXX_LONG_DOUBLE_COMPLEX" 32 32 16 Complex;
    Aint "MPI_AINT" 8 8 8 MultiLanguage;
    Count "MPI_COUNT" 8 8 8 MultiLanguage;
    Offset "MPI_OFFSET" 8 8 8 MultiLanguage;
    Character "MPI_CHARACTER" 1 1 1 Text;
    Logical "MPI_LOGICAL" 4 4 4 Logical;
    Logical1 "MPI_LOGICAL1" 1 1 1 Logical;
    Logical2 "MPI_LOGICAL2" 2 2 2 Logical;
    Logical4 "MPI_LOGICAL4" 4 4 4 Logical;
    Logical8 "MPI_LOGICAL8" 8 8 8 Logical;
    Logical16 "MPI_LOGICAL16" 16 16 16 Logical;
    Integer "MPI_INTEGER" 4 4 4 FortranInteger;
    Integer1 "MPI_INTEGER1" 1 1 1 FortranInteger;
    Integer2 "MPI_INTEGER2" 2 2 2 FortranInteger;
    Integer4 "MPI_INTEGER4" 4 4 4 FortranInteger;
    Integer8 "MPI_INTEGER8" 8 8 8 FortranInteger;
    Integer16 "MPI_INTEGER16" 16 16 16 FortranInteger;
    Real "MPI_REAL" 4 4 4 Floating;
    Real2 "MPI_REAL2" 2 2 2 Floating;
    Real4 "MPI_REAL4" 4 4 4 Floating;
    Real8 "MPI_REAL8" 8 8 8 Floating;
    Real16 "MPI_REAL16" 16 16 16 Floating;
    DoublePrecision "MPI_DOUBLE_PRECISION" 8 8 8 Floating;
    Complex "MPI_COMPLEX" 8 8 4 Complex;
    Complex4 "MPI_COMPLEX4" 4 4 2 Complex;
    Complex8 "MPI_COMPLEX8" 8 8 4 Complex;
    Complex16 "MPI_COMPLEX16" 16 16 8 Complex;
    Complex32 "MPI_COMPLEX32" 32 32 16 Complex;
    DoubleComplex "MPI_DOUBLE_COMPLEX" 16 16 8 Complex;
    FloatInt "MPI_FLOAT_INT" 8 8 4 Pair;
    DoubleInt "MPI_DOUBLE_INT" 12 16 8 Pair;
    LongInt "MPI_LONG_INT" 12 16 8 Pair;
    TwoInt "MPI_2INT" 8 8 4 Pair;
    ShortInt "MPI_SHORT_INT" 6 8 4 Pair;
    LongDoubleInt "MPI_LONG_DOUBLE_INT" 20 32 16 Pair;
    TwoReal "MPI_2REAL" 8 8 4 Pair;
    TwoDoublePrecision "MPI_2DOUBLE_PRECISION" 16 16 8 Pair;
    TwoInteger "MPI_2INTEGER" 8 8 4 Pair;
}

impl Basic {
    /// The name MPI gives it, such as `"MPI_INT"`.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The type of that name.
    pub fn from_name(name: &str) -> Option<Basic> {
        Basic::ALL.iter().copied().find(|basic| basic.name() == name)
    }

    /// Data bytes, without padding.
    pub const fn size(self) -> usize {
        self.facts().size
    }

    /// Bytes from one element of an array to the next.
    pub const fn extent(self) -> usize {
        self.facts().extent
    }

    /// The alignment a C or Fortran compiler gives it.
    pub const fn alignment(self) -> usize {
        self.facts().alignment
    }

    /// The class, which decides the reductions it allows.
    pub const fn class(self) -> Class {
        self.facts().class
    }

    /// The types of value and index, if this is a pair type.
    pub const fn pair(self) -> Option<(Basic, Basic)> {
        Some(match self {
            Basic::FloatInt => (Basic::Float, Basic::Int),
            Basic::DoubleInt => (Basic::Double, Basic::Int),
            Basic::LongInt => (Basic::Long, Basic::Int),
            Basic::TwoInt => (Basic::Int, Basic::Int),
            Basic::ShortInt => (Basic::Short, Basic::Int),
            Basic::LongDoubleInt => (Basic::LongDouble, Basic::Int),
            Basic::TwoReal => (Basic::Real, Basic::Real),
            Basic::TwoDoublePrecision => (Basic::DoublePrecision, Basic::DoublePrecision),
            Basic::TwoInteger => (Basic::Integer, Basic::Integer),
            _ => return None,
        })
    }

    /// Where the index of a pair lies in memory: after the value, at its own alignment.
    pub(crate) fn index_displacement(value: Basic, index: Basic) -> usize {
        value.size().next_multiple_of(index.alignment())
    }
}

impl std::fmt::Display for Basic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_consistent() {
        for &basic in Basic::ALL {
            assert!(basic.extent().is_multiple_of(basic.alignment()), "{basic}");
            assert!(basic.extent() >= basic.size(), "{basic}");
            assert_eq!(Basic::from_name(basic.name()), Some(basic));
            assert_eq!(basic.pair().is_some(), basic.class() == Class::Pair, "{basic}");
        }
    }

    #[test]
    fn pairs_are_structs_of_value_and_index() {
        for &basic in Basic::ALL {
            let Some((value, index)) = basic.pair() else { continue };
            assert_eq!(basic.size(), value.size() + index.size(), "{basic}");
            let end = Basic::index_displacement(value, index) + index.size();
            assert_eq!(basic.extent(), end.next_multiple_of(basic.alignment()), "{basic}");
        }
    }
}
