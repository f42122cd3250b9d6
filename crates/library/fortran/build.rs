//! Makes the Fortran entry points from the table of MPI functions.

#[path = "build/descriptors.rs"]
#[allow(dead_code)] // MPICH has more names
mod descriptors;
#[path = "build/parameter.rs"]
#[allow(dead_code)] // the modules, made by a test, need more of it
mod parameter;
#[path = "../abi/build/table.rs"]
#[allow(dead_code)] // of the constants only modules need the values
mod table;
#[path = "build/wrappers.rs"]
mod wrappers;

use std::path::PathBuf;
use std::{env, fs};

const FUNCTIONS: &str = "../abi/functions.txt";
const CONSTANTS: &str = "../abi/constants.txt";

fn main() {
    for input in ["build", "../abi/build/table.rs", FUNCTIONS, CONSTANTS] {
        println!("cargo::rerun-if-changed={input}");
    }
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmpi_fortran.so.1");
    // A filter: the dynamic linker loads libmpi_abi.so.1 and searches it just before this library. A Fortran program itself needs nothing of
    // libmpi_abi.so.1, and an ordinary dependency of this library would come after the C library, whose clocks would then be the program's.
    println!("cargo::rustc-cdylib-link-arg=-Wl,--filter=libmpi_abi.so.1");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-rpath,$ORIGIN");
    let functions = table::functions(&read(FUNCTIONS));
    let plain = wrappers::wrappers(&functions, wrappers::Target::Bodies, wrappers::common_names);
    let with_descriptors =
        descriptors::wrappers(&functions, wrappers::Target::Bodies, descriptors::standard_names);
    write("wrappers.rs", &(plain + &with_descriptors));
    write("datatype_functions.rs", &positions(&functions));
    write("constants.rs", &wrappers::constants(&table::constants(&read(CONSTANTS))));
}

/// Where the functions are in the table that make datatypes of array sections.
fn positions(functions: &[table::Function]) -> String {
    let named = functions.iter().enumerate().filter(|(_, function)| function.name.starts_with("MPI_Type_"));
    let line = |(index, function): (usize, &table::Function)| {
        format!("#[allow(dead_code)]\npub(super) const {}: usize = {index};\n", function.name)
    };
    named.map(line).collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn write(name: &str, text: &str) {
    let path = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join(name);
    fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
