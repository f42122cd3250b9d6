//! Makes the Fortran entry points from the table of MPI functions.

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
    let functions = table::functions(&read(FUNCTIONS));
    write("wrappers.rs", &wrappers::wrappers(&functions, wrappers::Target::Bodies, wrappers::common_names));
    write("constants.rs", &wrappers::constants(&table::constants(&read(CONSTANTS))));
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn write(name: &str, text: &str) {
    let path = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join(name);
    fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
