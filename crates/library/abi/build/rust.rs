//! The Rust text made from the tables: constants, entry points, and a check of every body's signature.

use super::bodies::Body;
use super::table::{CType, Constant, Function, Group, GroupKind, Value};

/// `pub const MPI_COMM_WORLD: MPI_Comm = MPI_Comm(0x101);` and its like.
pub fn constants(groups: &[Group]) -> String {
    let of_group = |group: &Group| -> String {
        group.constants.iter().map(|constant| self::constant(constant, &group.kind, &group.title)).collect()
    };
    groups.iter().map(of_group).collect()
}

/// `("MPI_COMM_WORLD", MPI_COMM_WORLD.0 as i64),` and its like, as one array: for the test that C agrees.
pub fn constant_values(groups: &[Group]) -> String {
    let of_group = |group: &Group| -> String {
        let number = as_number(&group.kind);
        group
            .constants
            .iter()
            .map(|Constant { name, .. }| format!("    (\"{name}\", {name}{number}),\n"))
            .collect()
    };
    format!("[\n{}]\n", groups.iter().map(of_group).collect::<String>())
}

/// One `entry!` per function with a body, one `missing!` per function without.
pub fn trampolines(functions: &[Function], bodies: &[Body]) -> String {
    let entries: String =
        functions.iter().enumerate().map(|(index, function)| entry(index, function, bodies)).collect();
    format!("{entries}\n{}", missing_list(functions, bodies))
}

/// The bodies of all functions, by index, for fronts.
pub fn body_list(functions: &[Function], bodies: &[Body]) -> String {
    let entry = |function: &Function| match body_of(function, bodies) {
        // SAFETY of the generated code: a front casts the address back to the type of the prototype.
        Some(body) => {
            let of = signature(function);
            format!("    Some(unsafe {{ core::mem::transmute::<{of}, Body>({}) }}),\n", body.path)
        }
        None => "    None,\n".to_owned(),
    };
    let entries: String = functions.iter().map(entry).collect();
    format!("/// By index.\nstatic BODIES: [Option<Body>; {}] = [\n{entries}];\n", functions.len())
}

/// The names of all functions, by index.
pub fn names(functions: &[Function]) -> String {
    let names: String = functions.iter().map(|function| format!("    \"{}\",\n", function.name)).collect();
    format!("static NAMES: [&str; {}] = [\n{names}];\n", functions.len())
}

/// The names of functions without a body, where `mpirage info functions` finds them in the library's file.
fn missing_list(functions: &[Function], bodies: &[Body]) -> String {
    let missing = functions.iter().filter(|function| body_of(function, bodies).is_none());
    let names: Vec<&str> = missing.map(|function| function.name.as_str()).collect();
    let text = format!("mpirage functions not there yet: {}\\0", names.join(" "));
    let length = text.len() - 1;
    format!("#[used]\nstatic MISSING: [u8; {length}] = *b\"{text}\";\n")
}

/// The type of every function, and assignments the compiler accepts only if the bodies have these types.
pub fn signatures(functions: &[Function], bodies: &[Body]) -> String {
    let of_function = |function: &Function| {
        let name = &function.name;
        let check = body_of(function, bodies).map(|body| format!("const _: {name} = {};\n", body.path));
        format!("type {name} = {};\n{}", signature(function), check.unwrap_or_default())
    };
    functions.iter().map(of_function).collect()
}

/// The beginning of a body, to be continued by hand.
pub fn skeleton(function: &Function) -> String {
    let arguments: Vec<String> = function
        .arguments
        .iter()
        .map(|argument| format!("{}: {}", argument.name, rust_type(&argument.of)))
        .collect();
    let (name, returns) = (&function.name, rust_type(&function.returns));
    format!(
        "pub(crate) unsafe extern \"C-unwind\" fn {name}({}) -> {returns} {{\n    todo!()\n}}\n",
        arguments.join(", ")
    )
}

fn constant(constant: &Constant, kind: &GroupKind, title: &str) -> String {
    let of = match kind {
        GroupKind::Macros(of) => rust_constant_type(of),
        GroupKind::Enumeration(name) => name.clone(),
    };
    let value = match &constant.value {
        Value::Alias(other) => other.clone(),
        Value::Number(number) => rust_value(kind, number),
    };
    format!("/// {title}.\npub const {}: {of} = {value};\n", constant.name)
}

/// As an argument's type, but a predefined callback is a number: no Rust function has the address 1.
fn rust_constant_type(of: &CType) -> String {
    if is_callback(of) { "usize".to_owned() } else { rust_type(of) }
}

fn rust_value(kind: &GroupKind, number: &str) -> String {
    match kind {
        GroupKind::Macros(of) if is_callback(of) => number.to_owned(),
        GroupKind::Macros(of) if of.pointers > 0 => format!("core::ptr::without_provenance_mut({number})"),
        GroupKind::Macros(of) if is_handle(of) => format!("{}({number})", of.base),
        _ => number.to_owned(),
    }
}

fn as_number(kind: &GroupKind) -> &'static str {
    match kind {
        GroupKind::Macros(of) if of.pointers > 0 && !is_callback(of) => ".addr() as i64",
        GroupKind::Macros(of) if of.pointers == 0 && is_handle(of) => ".0 as i64",
        _ => " as i64",
    }
}

fn entry(index: usize, function: &Function, bodies: &[Body]) -> String {
    let name = &function.name;
    match body_of(function, bodies) {
        Some(body) => format!("entry!({index}, {name}, P{name}, {});\n", body.path),
        None => format!("missing!({index}, {name}, P{name});\n"),
    }
}

fn body_of<'a>(function: &Function, bodies: &'a [Body]) -> Option<&'a Body> {
    bodies.iter().find(|body| body.name == function.name)
}

fn signature(function: &Function) -> String {
    let arguments: Vec<String> = function.arguments.iter().map(|argument| rust_type(&argument.of)).collect();
    format!("unsafe extern \"C-unwind\" fn({}) -> {}", arguments.join(", "), rust_type(&function.returns))
}

fn rust_type(of: &CType) -> String {
    if is_callback(of) {
        return format!("Option<{}>", of.base);
    }
    let pointee = match of.row {
        Some(row) => format!("[{}; {row}]", rust_base(of)),
        None => rust_base(of),
    };
    let innermost = if of.constant { "*const " } else { "*mut " };
    match of.pointers {
        0 => pointee,
        depth => format!("{}{innermost}{pointee}", "*mut ".repeat(depth - 1)),
    }
}

fn rust_base(of: &CType) -> String {
    match of.base.as_str() {
        "int" => "c_int",
        "char" => "c_char",
        "void" => "c_void",
        "double" => "f64",
        other => other,
    }
    .to_owned()
}

fn is_callback(of: &CType) -> bool {
    of.pointers == 1 && (of.base.ends_with("_function") || of.base.ends_with("_function_c"))
}

/// Handles are the standard's types that are neither numbers nor enumerations.
fn is_handle(of: &CType) -> bool {
    of.base.starts_with("MPI_")
        && !matches!(of.base.as_str(), "MPI_Aint" | "MPI_Count" | "MPI_Offset" | "MPI_Fint")
}
