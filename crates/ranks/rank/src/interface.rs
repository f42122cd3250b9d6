//! Finds out for which MPI a program was built, by the names of the libraries that it links.
//!
//! Three binary interfaces of MPI are in use: the MPI 5 ABI, which is ours; MPICH's, which Intel MPI, MVAPICH and Cray MPICH share;
//! and Open MPI's. A library's name and version say which one a program needs.

/// A binary interface of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// The MPI 5 ABI: `libmpi_abi.so.1`.
    Mpi5,
    /// MPICH's: `libmpi.so.12`, `libmpich.so.12`.
    Mpich,
    /// Open MPI's: `libmpi.so.40`.
    OpenMpi,
}

/// Libraries that stand for an interface: those that a front replaces, and companions that call only those.
const LIBRARIES: [(&str, Interface); 12] = [
    ("libmpi_abi.so.1", Interface::Mpi5),
    ("libmpi.so.12", Interface::Mpich),
    ("libmpich.so.12", Interface::Mpich),
    ("libmpicxx.so.12", Interface::Mpich),
    ("libmpichcxx.so.12", Interface::Mpich),
    ("libmpifort.so.12", Interface::Mpich),
    ("libmpichfort.so.12", Interface::Mpich),
    ("libmpi.so.40", Interface::OpenMpi),
    ("libmpi_cxx.so.40", Interface::OpenMpi),
    ("libmpi_mpifh.so.40", Interface::OpenMpi),
    ("libmpi_usempif08.so.40", Interface::OpenMpi),
    ("libmpi_usempi_ignore_tkr.so.40", Interface::OpenMpi),
];

/// Those that mpirage brings, under these names.
const REPLACED: [&str; 8] = [
    "libmpi_abi.so.1",
    "libmpi_fortran.so.1",
    "libmpi.so.12",
    "libmpich.so.12",
    "libmpifort.so.12",
    "libmpichfort.so.12",
    "libmpi.so.40",
    "libmpi_mpifh.so.40",
];

/// Does mpirage bring a library of this name?
pub fn is_replaced(library: &str) -> bool {
    REPLACED.contains(&library)
}

impl Interface {
    /// The interface that a library belongs to.
    pub fn of_library(library: &str) -> Option<Interface> {
        let name = library.rsplit('/').next().unwrap_or(library);
        LIBRARIES.iter().find(|(known, _)| *known == name).map(|(_, interface)| *interface)
    }

    /// The name of its owner, for messages.
    pub fn owner(self) -> &'static str {
        match self {
            Interface::Mpi5 => "the MPI 5 ABI",
            Interface::Mpich => "MPICH",
            Interface::OpenMpi => "Open MPI",
        }
    }
}

/// Is this the name of a library of MPI, such as `libmpich.so.12` or `libmpi.so.40`, that is not ours?
pub fn is_other_mpi(library: &str) -> bool {
    let name = library.rsplit('/').next().unwrap_or(library);
    let ours = name.starts_with("libmpi_abi.so") || name.starts_with("libmpirage");
    let rest = name.strip_prefix("libmpi").or_else(|| name.strip_prefix("libpmpi"));
    !ours && rest.is_some_and(|rest| is_part_of_mpi(rest) && name.contains(".so"))
}

/// Is this the file of a companion, such as `/usr/lib/libmpi_cxx.so.40.30.1`? It calls the library that a front replaces, and works with the front.
pub fn is_companion(library: &str) -> bool {
    let name = library.rsplit('/').next().unwrap_or(library);
    let is =
        |known: &str| name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    LIBRARIES.iter().any(|(known, _)| !is_replaced(known) && is(known))
}

/// True for the text after `libmpi` in names of MPICH's, Open MPI's, Intel's and Cray's libraries, unlike a program's own libraries.
fn is_part_of_mpi(rest: &str) -> bool {
    const PARTS: [&str; 14] = [
        ".so", "ch", "cxx", "fort", "f77", "f90", "f08", "_cxx", "_mpifh", "_usempi", "_gnu", "_cray",
        "_intel", "_nvidia",
    ];
    PARTS.iter().any(|part| rest.starts_with(part))
}

/// The interface that a program with these libraries needs, none if it links no MPI but ours. `Err` is a library that cannot be
/// replaced.
pub fn needed_interface(libraries: &[String]) -> Result<Option<Interface>, String> {
    let mut found = None;
    for library in libraries.iter().filter(|library| is_other_mpi(library)) {
        match (Interface::of_library(library), found) {
            (Some(interface), None) => found = Some(interface),
            (Some(interface), Some(first)) if interface == first => {}
            _ => return Err(library.clone()),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needed(libraries: &[&str]) -> Result<Option<Interface>, String> {
        needed_interface(&libraries.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn other_libraries_are_recognised() {
        let others = ["libmpi.so.40", "libmpich.so.12", "/usr/lib/libmpichcxx.so.12", "libmpi_cxx.so.40"];
        for name in others.into_iter().chain(["libmpifort.so.12", "libmpicxx.so", "libmpi_gnu_91.so.12"]) {
            assert!(is_other_mpi(name), "{name}");
        }
        for name in ["libmpi_abi.so.1", "libmpirage_mpich.so", "libmpfr.so.6", "libmpi_mine.so", "libmpi.txt"]
        {
            assert!(!is_other_mpi(name), "{name}");
        }
    }

    #[test]
    fn companions_work_with_a_front() {
        for name in ["libmpi_cxx.so.40", "/usr/lib/libmpi_cxx.so.40.30.1", "libmpi_usempif08.so.40.30.0"] {
            assert!(is_companion(name), "{name}");
        }
        for name in
            ["/usr/lib/libmpi.so.40.30.4", "libmpich.so.12.2.1", "libmpi_cxx.so.20", "libmpi_cxx.so.401"]
        {
            assert!(!is_companion(name), "{name}");
        }
    }

    #[test]
    fn the_libraries_name_the_interface() {
        assert_eq!(needed(&["libc.so.6", "libmpi_abi.so.1"]), Ok(None));
        assert_eq!(needed(&["libmpichfort.so.12", "libmpich.so.12"]), Ok(Some(Interface::Mpich)));
        assert_eq!(needed(&["libmpi_cxx.so.40", "libmpi.so.40"]), Ok(Some(Interface::OpenMpi)));
        assert_eq!(needed(&["libmpi_usempif08.so.40", "libmpi_mpifh.so.40"]), Ok(Some(Interface::OpenMpi)));
    }

    #[test]
    fn libraries_without_a_front_are_named() {
        assert_eq!(needed(&["libmpi.so.20"]), Err("libmpi.so.20".to_owned()));
        assert_eq!(needed(&["libmpi.so.40", "libmpi_usempi.so.40"]), Err("libmpi_usempi.so.40".to_owned()));
        assert_eq!(needed(&["libmpi.so.12", "libmpi.so.40"]), Err("libmpi.so.40".to_owned()));
    }
}
