//! Generates the translations, the data symbols whose addresses are Open MPI's predefined handles, and their numbers in Fortran.

#[path = "../front/build/generate.rs"]
mod generate;

use generate::dialect::{HandleValue, LOWER_BOUND, UPPER_BOUND};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The symbols of `MPI_LB` and `MPI_UB`, their numbers in the library, and those in Fortran.
const BOUNDS: [(&str, i64, i64); 2] = [("ompi_mpi_lb", LOWER_BOUND, 4), ("ompi_mpi_ub", UPPER_BOUND, 3)];

fn main() {
    let generated = generate::generate("libmpi.so.40");
    generate::fortran();
    let (mut symbols, mut addresses, mut classes) = (String::new(), String::new(), String::new());
    let mut known = BTreeSet::new();
    for (class, handles) in generated.handles() {
        let mut fortran = String::new();
        for (abi, value) in handles {
            let HandleValue::Symbol { name, size, fortran: number } = value else {
                panic!("{class} has a number")
            };
            if !known.insert(name.clone()) {
                continue;
            }
            symbol(&mut symbols, name, *size, abi);
            writeln!(addresses, "    table[{abi:#x}] = Address((&raw const {name}).cast());")
                .expect("a string");
            if *number >= 0 {
                write!(fortran, "({abi:#x}, {number}), ").expect("a string");
            }
        }
        let name = class.trim_start_matches("MPI_");
        if name == "Datatype" {
            for (symbol, abi, number) in BOUNDS {
                writeln!(addresses, "    table[{abi:#x}] = Address((&raw const {symbol}).cast());")
                    .expect("a string");
                write!(fortran, "({abi:#x}, {number}), ").expect("a string");
            }
        }
        writeln!(classes, "handle!({name}, [{fortran}]);").expect("a string");
    }
    for handle in generated.dialect.handles.iter().filter(|handle| handle.name.is_none()) {
        let HandleValue::Symbol { name, size, .. } = &handle.value else { panic!("a number without a name") };
        let bound = BOUNDS.iter().find(|(symbol, ..)| symbol == name);
        symbol(&mut symbols, name, *size, bound.map_or(0xbad, |(_, abi, _)| *abi));
    }
    generate::write("symbols.rs", &symbols);
    generate::write(
        "addresses.rs",
        &format!("{{\n    let mut table = [NO_ADDRESS; COUNT];\n{addresses}    table\n}}\n"),
    );
    generate::write("handles.rs", &classes);
}

/// A predefined object. Its first words are its number in the MPI 5 ABI and a mark.
fn symbol(text: &mut String, name: &str, size: usize, number: i64) {
    writeln!(
        text,
        "/// A predefined object.\n#[unsafe(no_mangle)]\npub static mut {name}: [usize; {}] = predefined({number:#x});",
        size / size_of::<usize>()
    )
    .expect("a string");
}
