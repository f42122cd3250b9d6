//! Generates what a front's crate includes, from the tables of `abi` and the front's `dialect.txt`.

#[path = "../../abi/build/bodies.rs"]
#[allow(dead_code)] // only the names of bodies matter here
mod bodies;
#[path = "conversions.rs"]
mod conversions;
#[path = "../../fortran/build/descriptors.rs"]
#[allow(dead_code)] // MPICH's alone
mod descriptors;
#[path = "dialect.rs"]
pub mod dialect;
#[path = "entries.rs"]
mod entries;
#[path = "../../fortran/build/parameter.rs"]
#[allow(dead_code)] // modules need more of it
mod parameter;
#[path = "../../abi/build/table.rs"]
#[allow(dead_code)] // the header also needs the prototypes
mod table;
#[path = "../../fortran/build/wrappers.rs"]
#[allow(dead_code)] // not every front has entry points for Fortran
mod wrappers;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use dialect::{Dialect, HandleValue};

/// The data that a front's build script gets.
pub struct Generated {
    /// Names of the MPI 5 ABI with their types and numbers.
    pub standard: HashMap<String, (String, i64)>,
    pub dialect: Dialect,
}

/// Writes `conversions.rs`, `translations.rs` and `entry_points.rs`, and names the library.
pub fn generate(soname: &str) -> Generated {
    let folder = "../abi/";
    for input in ["functions.txt", "constants.txt", "build", "src/functions"] {
        println!("cargo::rerun-if-changed={folder}{input}");
    }
    for input in ["build.rs", "dialect.txt", "../front/build"] {
        println!("cargo::rerun-if-changed={input}");
    }
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{soname}");
    let functions = table::functions(&read("../abi/functions.txt"));
    let standard = dialect::standard(&table::constants(&read("../abi/constants.txt")));
    let dialect = dialect::dialect(&read("dialect.txt"));
    let knowledge = entries::Knowledge { standard: &standard, dialect: &dialect };
    write("translations.rs", &entries::functions(&functions, &knowledge));
    let bodies = bodies::bodies(Path::new("../abi/src/functions"));
    write("entry_points.rs", &entries::trampolines(&functions, &bodies, &dialect));
    write("conversions.rs", &conversions::integers(&standard, &dialect));
    write("indices.rs", &format!("const MPI_TYPE_GET_ENVELOPE_C: usize = {};\n", position(&functions)));
    Generated { standard, dialect }
}

/// Writes `fortran.rs`: the entry points of Fortran, which call the front's functions.
#[allow(dead_code)] // Open MPI's
pub fn fortran() {
    write(
        "fortran.rs",
        &wrappers::wrappers(&fortran_table(), wrappers::Target::Front, wrappers::common_names),
    );
}

/// Writes `fortran.rs` for MPICH, in whose `mpi_f08` buffers are descriptors.
#[allow(dead_code)] // MPICH's
pub fn fortran_with_descriptors() {
    let functions = fortran_table();
    let plain = wrappers::wrappers(&functions, wrappers::Target::Front, descriptors::names);
    let with_descriptors =
        descriptors::wrappers(&functions, wrappers::Target::Front, descriptors::names_of_mpich);
    write("fortran.rs", &(plain + &with_descriptors));
}

fn fortran_table() -> Vec<table::Function> {
    println!("cargo::rerun-if-changed=../fortran/build");
    table::functions(&read("../abi/functions.txt"))
}

fn position(functions: &[table::Function]) -> usize {
    functions.iter().position(|function| function.name == "MPI_Type_get_envelope_c").expect("in the table")
}

impl Generated {
    /// The predefined handles of each class: `(MPI_Comm, [(0x101, value)])`.
    pub fn handles(&self) -> Vec<(&'static str, Vec<(i64, &HandleValue)>)> {
        let mut all = conversions::handles(&self.standard, &self.dialect);
        table::HANDLES.iter().map(|&class| (class, all.remove(class).unwrap_or_default())).collect()
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Writes a file that the crate includes.
pub fn write(name: &str, text: &str) {
    let path = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join(name);
    fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
