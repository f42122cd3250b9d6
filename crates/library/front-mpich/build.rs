//! Generates the translations, the conversions of MPICH's predefined handles, and what Fortran's modules have of handles.

#[path = "../front/build/generate.rs"]
mod generate;

use generate::dialect::{Does, HandleValue, LOWER_BOUND, UPPER_BOUND};
use std::fmt::Write;

/// The bits of MPICH's handles that say the class of an object.
const CLASS_BITS: u64 = 0x3c00_0000;

fn main() {
    let generated = generate::generate("libmpi.so.12");
    generate::fortran_with_descriptors();
    write_modules(&generated);
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

/// Datatypes of MPICH's modules that the MPI 5 ABI does not have.
const BOUNDS: [(&str, u64); 2] = [("mpi_lb", 0x4c00_0010), ("mpi_ub", 0x4c00_0011)];

/// Handles as constants of `mpi_f08`, and the names of functions that compare and convert handles.
fn write_modules(generated: &generate::Generated) {
    let mut constants = String::new();
    let named = generated
        .dialect
        .handles
        .iter()
        .filter_map(|handle| Some((handle.name.as_ref()?.to_lowercase(), &handle.value)));
    let numbers = named.map(|(name, value)| match value {
        HandleValue::Number(number) => (name, *number),
        HandleValue::Symbol { .. } => panic!("{name} is a symbol"),
    });
    for (name, number) in numbers.chain(BOUNDS.map(|(name, number)| (name.to_owned(), number))) {
        writeln!(
            constants,
            "#[unsafe(no_mangle)]\nstatic __mpi_f08_compile_constants_MOD_{name}: c_int = {number:#x}_u32 as c_int;"
        )
        .expect("a string");
    }
    generate::write("f08_constants.rs", &constants);
    let (mut comparisons, mut conversions) = (String::new(), String::new());
    for (class, _) in generated.handles() {
        let (handle, short) = (class.to_lowercase(), class.trim_start_matches("MPI_").to_lowercase());
        for middle in ["", "_f08", "_f"] {
            let end = match middle {
                "_f08" => "_f",
                "_f" => "_f08",
                _ => "",
            };
            let of = |what: &str| format!("__mpi_f08_types_MOD_{handle}{middle}_{what}{end}");
            writeln!(comparisons, "{} {}", of("eq"), of("neq")).expect("a string");
        }
        writeln!(comparisons, "__mpi_constants_MOD_{short}eq __mpi_constants_MOD_{short}neq")
            .expect("a string");
        for way in ["c2f", "f2c"] {
            writeln!(conversions, "__mpi_f08_types_MOD_{handle}_{way}").expect("a string");
        }
    }
    generate::write("extensions.rs", &extensions(generated));
    generate::write(
        "f08_handles.rs",
        &format!("comparisons! {{\n{comparisons}}}\nconversions! {{\n{conversions}}}\n"),
    );
}

/// Fortran's names of functions beyond the standard that end the run.
fn extensions(generated: &generate::Generated) -> String {
    let absent = generated.dialect.functions.iter().filter(|function| matches!(function.does, Does::Nothing));
    let mut text = String::new();
    for name in absent.map(|function| &function.name).filter(|name| name.starts_with("MPIX_")) {
        let rest = name.trim_start_matches("MPIX_").to_lowercase();
        for (profiling, end) in [("pmpix", "_"), ("pmpixr", "_f08_")] {
            let (plain, profiling) = (format!("mpix_{rest}{end}"), format!("{profiling}_{rest}{end}"));
            writeln!(text, "unknown!({plain}, {profiling}, c\"{name}\");").expect("a string");
        }
    }
    text
}
