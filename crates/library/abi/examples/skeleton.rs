//! Prints the beginnings of MPI functions in Rust: `cargo run -p mpirage-abi --example skeleton MPI_Send MPI_Recv`.

#[path = "../build/bodies.rs"]
#[allow(dead_code)]
mod bodies;
#[path = "../build/rust.rs"]
#[allow(dead_code)]
mod rust;
#[path = "../build/table.rs"]
#[allow(dead_code)]
mod table;

fn main() {
    let functions = table::functions(include_str!("../functions.txt"));
    for wanted in std::env::args().skip(1) {
        match functions.iter().find(|function| function.name == wanted) {
            Some(function) => println!("{}", rust::skeleton(function)),
            None => eprintln!("{wanted} is not in functions.txt"),
        }
    }
}
