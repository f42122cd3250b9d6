//! Languages, their compilers, and words of command lines.

use std::ffi::{OsStr, OsString};

/// A language of MPI programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cxx,
    /// Fortran.
    Fortran,
}

impl Language {
    pub(super) fn command(self) -> &'static str {
        match self {
            Language::C => "mpirage cc",
            Language::Cxx => "mpirage cxx",
            Language::Fortran => "mpirage fc",
        }
    }

    pub(super) fn example(self) -> &'static str {
        match self {
            Language::C => "-O2 ring.c -o ring",
            Language::Cxx => "-O2 ring.cpp -o ring",
            Language::Fortran => "-O2 ring.f90 -o ring",
        }
    }

    /// The compiler: named by an environment variable, or the system's.
    pub(super) fn compiler(self) -> OsString {
        let (variables, system) = match self {
            Language::C => (["MPIRAGE_CC", "MPICH_CC", "OMPI_CC"], "cc"),
            Language::Cxx => (["MPIRAGE_CXX", "MPICH_CXX", "OMPI_CXX"], "c++"),
            Language::Fortran => (["MPIRAGE_FC", "MPICH_FC", "OMPI_FC"], "gfortran"),
        };
        variables.iter().find_map(std::env::var_os).unwrap_or_else(|| system.into())
    }
}

/// A word with something in front of it.
pub(super) fn prefixed(prefix: &str, rest: &OsStr) -> OsString {
    let mut word = OsString::from(prefix);
    word.push(rest);
    word
}
