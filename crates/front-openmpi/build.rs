//! Generates the translations, the data symbols whose addresses are Open MPI's predefined handles, and their numbers in Fortran.

#[path = "../front/build/generate.rs"]
mod generate;

use generate::dialect::HandleValue;
use std::collections::BTreeSet;
use std::fmt::Write;

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
        writeln!(classes, "handle!({name}, [{fortran}]);").expect("a string");
    }
    for handle in generated.dialect.handles.iter().filter(|handle| handle.name.is_none()) {
        let HandleValue::Symbol { name, size, .. } = &handle.value else { panic!("a number without a name") };
        symbol(&mut symbols, name, *size, 0xbad);
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
