//! The Fortran files of `include/` are those that the tables give. `UPDATE_MODULES=1` writes them.

#[path = "../build/modules.rs"]
mod modules;
#[path = "../build/parameter.rs"]
mod parameter;
#[path = "../../abi/build/table.rs"]
#[allow(dead_code)] // C needs the prototypes
mod table;

use std::fs;
use std::path::Path;

#[test]
fn the_files_are_those_of_the_tables() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let functions = table::functions(&read("../abi/functions.txt"));
    let constants = table::constants(&read("../abi/constants.txt"));
    for (name, text) in [
        ("mpif-constants.h", modules::constants(&constants)),
        ("mpif.h", modules::mpif()),
        ("mpi.f90", modules::mpi(&functions)),
        ("mpi_f08.f90", modules::mpi_f08(&constants, &functions)),
    ] {
        let path = root.join("include").join(name);
        if std::env::var_os("UPDATE_MODULES").is_some() {
            fs::write(&path, &text).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(found == text, "{name} is old; UPDATE_MODULES=1 cargo test -p mpirage-fortran writes it");
    }
}
