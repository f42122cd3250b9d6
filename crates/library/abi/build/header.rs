//! The C header, made from its template and the two tables.

use super::table::{CType, Constant, Function, Group, GroupKind, Value};
use std::fmt::Write;

/// Where a long prototype continues on the next line.
const WIDTH: usize = 118;

/// The text of `mpi.h`.
pub fn header(template: &str, groups: &[Group], functions: &[Function]) -> String {
    let prototypes =
        |prefix: &str| functions.iter().map(|function| prototype(function, prefix)).collect::<String>();
    template
        .replace("@CONSTANTS@\n", &groups.iter().map(group).collect::<String>())
        .replace("@FUNCTIONS@\n", &prototypes(""))
        .replace("@PROFILING_FUNCTIONS@\n", &prototypes("P"))
}

fn group(group: &Group) -> String {
    let body = match &group.kind {
        GroupKind::Macros(of) => group.constants.iter().map(|constant| define(constant, of)).collect(),
        GroupKind::Enumeration(name) => enumeration(name, &group.constants),
    };
    format!("/* {}. */\n\n{body}\n", group.title)
}

fn define(constant: &Constant, of: &CType) -> String {
    let value = match &constant.value {
        Value::Alias(other) => other.clone(),
        Value::Number(number) if of.base == "int" && of.pointers == 0 => parenthesised_if_negative(number),
        Value::Number(number) => format!("(({}){number})", spelling(of)),
    };
    format!("#define {:<34} {value}\n", constant.name)
}

fn parenthesised_if_negative(number: &str) -> String {
    if number.starts_with('-') { format!("({number})") } else { number.to_owned() }
}

fn enumeration(name: &str, constants: &[Constant]) -> String {
    let members: Vec<String> = constants
        .iter()
        .map(|constant| match &constant.value {
            Value::Number(value) | Value::Alias(value) => format!("    {} = {value}", constant.name),
        })
        .collect();
    format!("typedef enum {name} {{\n{}\n}} {name};\n", members.join(",\n"))
}

fn spelling(of: &CType) -> String {
    let space = if of.pointers > 0 { " " } else { "" };
    format!("{}{space}{}", of.base, "*".repeat(of.pointers))
}

/// The prototype with its name prefixed, broken between arguments where it would be too wide.
fn prototype(function: &Function, prefix: &str) -> String {
    let whole = function.prototype.replacen(&function.name, &format!("{prefix}{}", function.name), 1);
    let whole = weights_as_pointers(&whole);
    let mut text = String::new();
    let mut column = 0;
    for (nth, word) in whole.split_inclusive(", ").enumerate() {
        if nth > 0 && column + word.trim_end().len() + 1 > WIDTH {
            text.truncate(text.trim_end().len());
            text.push_str("\n    ");
            column = 4;
        }
        column += word.len();
        write!(text, "{word}").expect("writing to a string");
    }
    text + ";\n"
}

/// Weights may be `MPI_UNWEIGHTED`, an address without an array behind it, of which compilers warn if they are told of one.
fn weights_as_pointers(prototype: &str) -> String {
    let argument = |argument: &str| match argument.strip_suffix("weights[]") {
        Some(start) => {
            let (of, name) = start.rsplit_once(' ').expect("a type before the name");
            format!("{of} *{name}weights")
        }
        None => argument.to_owned(),
    };
    prototype.split(", ").map(argument).collect::<Vec<_>>().join(", ")
}
