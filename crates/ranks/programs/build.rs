//! Makes the Fortran modules from the tables of MPI's functions and constants; `mpirage fc` compiles them.

#[path = "../../library/fortran/build/modules.rs"]
mod modules;
#[path = "../../library/fortran/build/parameter.rs"]
mod parameter;
#[path = "../../library/abi/build/table.rs"]
#[allow(dead_code)] // C needs the prototypes
mod table;

use std::path::PathBuf;
use std::{env, fs};

const FUNCTIONS: &str = "../../library/abi/functions.txt";
const CONSTANTS: &str = "../../library/abi/constants.txt";

fn main() {
    for input in
        ["build.rs", "../../library/fortran/build", "../../library/abi/build/table.rs", FUNCTIONS, CONSTANTS]
    {
        println!("cargo::rerun-if-changed={input}");
    }
    let functions = table::functions(&read(FUNCTIONS));
    let constants = table::constants(&read(CONSTANTS));
    write("mpif-constants.h", &modules::constants(&constants));
    write("mpif-needs-integers-of-4-bytes.h", modules::INTEGER_CHECK);
    write("mpif.h", modules::MPIF);
    write("mpi.f90", &modules::mpi(&functions));
    write("mpi_f08.f90", &modules::mpi_f08(&constants, &functions));
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn write(name: &str, text: &str) {
    let path = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join(name);
    fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
