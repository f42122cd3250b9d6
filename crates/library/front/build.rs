//! The positions in the table of the functions that this crate calls itself, and constants that it compares with.

#[path = "../abi/build/table.rs"]
#[allow(dead_code)] // fronts need all of it
mod table;

use std::path::PathBuf;
use std::{env, fs};

const CALLED: [&str; 8] = [
    "MPI_Comm_rank",
    "MPI_Comm_remote_size",
    "MPI_Comm_size",
    "MPI_Comm_test_inter",
    "MPI_Cartdim_get",
    "MPI_Dist_graph_neighbors_count",
    "MPI_Graph_neighbors_count",
    "MPI_Topo_test",
];

const COMPARED: [&str; 3] = ["MPI_CART", "MPI_GRAPH", "MPI_DIST_GRAPH"];

fn main() {
    let tables = ["../abi/functions.txt", "../abi/constants.txt"];
    for input in ["build.rs", "../abi/build/table.rs"].iter().chain(&tables) {
        println!("cargo::rerun-if-changed={input}");
    }
    let read = |path: &str| fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let functions = table::functions(&read(tables[0]));
    let groups = table::constants(&read(tables[1]));
    let index = |name: &&str| {
        let at = functions.iter().position(|function| function.name == **name).expect("in the table");
        format!("const {}: usize = {at};\n", name.to_uppercase())
    };
    let constants = groups.iter().flat_map(|group| &group.constants);
    let compared = constants.filter(|constant| COMPARED.contains(&constant.name.as_str())).map(|constant| {
        let table::Value::Number(value) = &constant.value else { panic!("{} is an alias", constant.name) };
        format!("const {}: i64 = {value};\n", constant.name.trim_start_matches("MPI_"))
    });
    let text: String = CALLED.iter().map(index).chain(compared).collect();
    let path = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("indices.rs");
    fs::write(path, text).expect("the folder can be written");
}
