//! Makes the Rust constants and the exported entry points from the two tables and the bodies in `src/functions/`.

#[path = "build/bodies.rs"]
mod bodies;
#[path = "build/rust.rs"]
#[allow(dead_code)] // skeletons are for the example of that name
mod rust;
#[path = "build/table.rs"]
#[allow(dead_code)] // the header, made by a test, also needs the prototypes
mod table;

use std::path::{Path, PathBuf};
use std::{env, fs};

const BODIES: &str = "src/functions";

fn main() {
    for input in ["build", "constants.txt", "functions.txt", BODIES] {
        println!("cargo::rerun-if-changed={input}");
    }
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmpi_abi.so.1");

    let functions = table::functions(&read("functions.txt"));
    let bodies = bodies::bodies(Path::new(BODIES));
    refuse_unknown_bodies(&bodies, &functions);
    let constants = table::constants(&read("constants.txt"));
    write("constants.rs", &rust::constants(&constants));
    write("constant_values.rs", &rust::constant_values(&constants));
    write("names.rs", &rust::names(&functions));
    write("bodies.rs", &rust::body_list(&functions, &bodies));
    write("trampolines.rs", &rust::trampolines(&functions, &bodies));
    write("signatures.rs", &rust::signatures(&functions, &bodies));
}

fn refuse_unknown_bodies(bodies: &[bodies::Body], functions: &[table::Function]) {
    for body in bodies {
        let known = functions.iter().any(|function| function.name == body.name);
        assert!(known, "{} is not in functions.txt", body.path);
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn write(name: &str, text: &str) {
    let path = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join(name);
    fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
