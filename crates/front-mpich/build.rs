//! Generates the translations, and the conversions of MPICH's predefined handles.

#[path = "../front/build/generate.rs"]
mod generate;

use generate::dialect::{HandleValue, LOWER_BOUND, UPPER_BOUND};
use std::fmt::Write;

/// The bits of MPICH's handles that say the class of an object.
const CLASS_BITS: u64 = 0x3c00_0000;

fn main() {
    let generated = generate::generate("libmpi.so.12");
    let mut text = String::new();
    for (class, handles) in generated.handles() {
        let Some((_, HandleValue::Number(first))) = handles.first() else { panic!("{class} has no handle") };
        let bits = first & CLASS_BITS;
        let (mut to, mut from) = (String::new(), String::new());
        let (mut known_theirs, mut known_abi) = (Vec::new(), Vec::new());
        for (abi, value) in &handles {
            let HandleValue::Number(theirs) = value else { panic!("{class} has a symbol") };
            if !known_theirs.contains(theirs) {
                write!(to, "{theirs:#x} => {abi:#x}, ").expect("a string");
                known_theirs.push(*theirs);
            }
            if !known_abi.contains(abi) {
                write!(from, "{abi:#x} => {theirs:#x}, ").expect("a string");
                known_abi.push(*abi);
            }
        }
        let name = class.trim_start_matches("MPI_");
        if name == "Datatype" {
            write!(to, "0x4c000010 => {LOWER_BOUND:#x}, 0x4c000011 => {UPPER_BOUND:#x}, ").expect("a string");
        }
        let kind = if name == "File" { "pointer" } else { "integer" };
        writeln!(text, "{kind}_handle!({name}, {bits:#x}, {{ {to} }}, {{ {from} }});").expect("a string");
    }
    generate::write("handles.rs", &text);
}
