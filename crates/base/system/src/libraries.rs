//! Libraries that belong to the system: to the C and C++ compilers, and to mpirage itself.

/// Prefixes of their file names.
const PREFIXES: [&str; 12] = [
    "libc.so",
    "libm.so",
    "libgcc_s.so",
    "libstdc++.so",
    "libmpi_abi.so",
    "libmpi_fortran.so",
    "libpthread.so",
    "libdl.so",
    "librt.so",
    "libquadmath.so",
    "libmvec.so",
    "ld-linux",
];

/// Does the library belong to the system? Such libraries link no MPI, and keep no state that folded ranks would notice.
pub fn is_system_library(file_name: &str) -> bool {
    PREFIXES.iter().any(|prefix| file_name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::is_system_library;

    #[test]
    fn versions_do_not_matter_but_names_do() {
        assert!(is_system_library("libc.so.6") && is_system_library("ld-linux-x86-64.so.2"));
        assert!(!is_system_library("libcublas.so.12") && !is_system_library("libmpi.so.40"));
    }
}
