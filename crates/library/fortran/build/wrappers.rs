//! The Rust text of the Fortran entry points: each translates its arguments, calls the body of the C function, and translates results.

use super::parameter::{Shape, has_error_code, is_fortran, parameters, starts_processes};
use super::table::{Argument, Constant, Direction, Function, Group, GroupKind, Value};

/// The functions that the entry points call.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)] // each library has one of them
pub enum Target {
    /// The bodies in `libmpi_abi.so.1`, in which handles are words.
    Bodies,
    /// The functions of a front for another MPI, in which handles have types.
    Front,
}

/// The names under which programs call a function.
pub type Names = fn(&Function) -> Vec<String>;

/// The entry points of all functions, in the order of the table.
pub fn wrappers(functions: &[Function], target: Target, names: Names) -> String {
    let wanted = translated(functions, target);
    wanted.map(|(index, function)| wrapper(index, function, target, names)).collect()
}

/// The functions that have an entry point, with their positions in the table.
pub fn translated(functions: &[Function], target: Target) -> impl Iterator<Item = (usize, &Function)> {
    let numbered = functions.iter().enumerate().filter(|(_, function)| is_fortran(function));
    numbered.filter(move |(_, function)| target == Target::Bodies || !is_of_abi(&function.name))
}

/// gfortran's names of a procedure: those of `mpif.h` and `mpi`, and with `_f08` those of `mpi_f08`.
#[allow(dead_code)] // not every library has these
pub fn common_names(function: &Function) -> Vec<String> {
    let name = function.name.to_lowercase();
    ["_", "_f08_"].map(|end| [format!("{name}{end}"), format!("p{name}{end}")]).concat()
}

/// The name of the function that entry points lead to.
pub fn target_name(function: &Function) -> String {
    format!("{}_translated", function.name.to_lowercase())
}

/// The text of entry points that lead to a function.
pub fn entries(index: usize, names: &[String], target: &str) -> String {
    names.iter().map(|entry| format!("entry_point!({index}, {entry}, {target});\n")).collect()
}

/// The parameters that Fortran passes, as Rust declares them.
#[allow(dead_code)] // for descriptors
pub fn declarations(function: &Function, target: Target) -> Vec<String> {
    let parts: Vec<Part> = parameters(function)
        .iter()
        .map(|(argument, shape)| fitted(function, argument, shape, target))
        .collect();
    declared(function, &parts)
}

fn declared(function: &Function, parts: &[Part]) -> Vec<String> {
    let ends: Vec<String> = parts.iter().filter_map(|part| part.fortran.clone()).collect();
    let code = if has_error_code(function) { vec!["ierror: *mut c_int".to_owned()] } else { Vec::new() };
    let lengths: Vec<String> = parts.iter().filter_map(|part| part.length.clone()).collect();
    [ends, code, lengths].concat()
}

/// Fronts have no function that tells the version of the MPI 5 ABI.
fn is_of_abi(name: &str) -> bool {
    name.starts_with("MPI_Abi_")
}

fn wrapper(index: usize, function: &Function, target: Target, names: Names) -> String {
    let name = target_name(function);
    let entries = entries(index, &names(function), &name);
    let parts: Vec<Part> = parameters(function)
        .iter()
        .map(|(argument, shape)| fitted(function, argument, shape, target))
        .collect();
    let body = call(index, function, &parts, target);
    let result = result(function);
    let list = declared(function, &parts).join(", ");
    format!(
        "{entries}\
         unsafe extern \"C-unwind\" fn {name}({list}){result} {{\n{body}}}\n"
    )
}

/// The type of a function's result, unless that is an error code.
fn result(function: &Function) -> &'static str {
    match function.returns.base.as_str() {
        "double" => " -> f64",
        "MPI_Aint" => " -> i64",
        _ => "",
    }
}

fn call(index: usize, function: &Function, parts: &[Part], target: Target) -> String {
    let types: Vec<&str> = parts.iter().map(|part| part.of).collect();
    let before: String =
        at_root(function, target).into_iter().chain(parts.iter().map(|part| part.before.clone())).collect();
    let after: String = parts.iter().map(|part| part.after.as_str()).collect();
    let values: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
    let returns = if result(function).is_empty() { " -> c_int" } else { result(function) };
    let end = match (has_error_code(function), result(function)) {
        (true, _) => "        finish(ierror, code);\n",
        (false, "") => "        let _ = code;\n",
        (false, _) => "        code as _\n",
    };
    let signature = format!("unsafe extern \"C-unwind\" fn({}){returns}", types.join(", "));
    let body = match target {
        Target::Bodies => format!("body!({index}, {signature})"),
        Target::Front => format!("c::{}", function.name),
    };
    format!(
        "    // SAFETY: the type is that of the body in the table; the program passes what the standard says.\n    \
         unsafe {{\n        let body = {body};\n{before}        \
         let code = body({});\n{after}{end}    }}\n",
        values.join(", ")
    )
}

/// Whether this rank is the one whose arguments count.
fn at_root(function: &Function, target: Target) -> Option<String> {
    starts_processes(function)
        .then(|| format!("        let at_root = is_root({}, *root_);\n", communicator(target)))
}

/// The part of a parameter with the type that the target has.
fn fitted(function: &Function, argument: &Argument, shape: &Shape, target: Target) -> Part {
    let part = part(function, argument, shape, target);
    let is_handle = matches!(shape, Shape::Handle | Shape::HandlePlace | Shape::Handles(_));
    let is_text = matches!(
        shape,
        Shape::TextIn | Shape::TextOut | Shape::Arguments | Shape::Texts(_) | Shape::ArgumentTable(_)
    );
    if target == Target::Bodies || is_handle || is_text {
        return part;
    }
    let value = match (shape, argument.of.pointers, argument.of.base.as_str()) {
        (Shape::Procedure, ..) => format!("{}.expose_provenance()", part.value),
        (Shape::Absent, 0, _) => "0".to_owned(),
        (Shape::Absent, ..) => part.value,
        (_, 0, "MPI_Aint") => format!("({}) as isize", part.value),
        (_, 0, _) => part.value,
        _ => format!("({}).cast()", part.value),
    };
    Part { value, ..part }
}

/// The generated code for one parameter.
struct Part {
    /// Its declaration in the Fortran entry point, if Fortran passes it.
    fortran: Option<String>,
    /// The declaration of the length that Fortran passes after all others.
    length: Option<String>,
    /// The type in C.
    of: &'static str,
    /// Statements before the call.
    before: String,
    /// The argument of the call.
    value: String,
    /// Statements after the call.
    after: String,
}

const POINTER: &str = "*mut c_void";
const INTEGER: &str = "*mut c_int";

fn part(function: &Function, argument: &Argument, shape: &Shape, target: Target) -> Part {
    let x = format!("{}_", argument.name);
    let stored = argument.meaning.direction != Direction::In;
    let plain = |of: &'static str, fortran: &str, value: String| Part {
        fortran: Some(format!("{x}: {fortran}")),
        length: None,
        of,
        before: String::new(),
        value,
        after: String::new(),
    };
    let translated = |function: &str| plain(POINTER, POINTER, format!("{function}({x})"));
    let word = if argument.of.base == "int" || argument.of.base == "MPI_Fint" { "c_int" } else { "i64" };
    match shape {
        Shape::Value => plain(word, &format!("*const {word}"), format!("*{x}")),
        Shape::Key => plain(word, INTEGER, format!("key(*{x})")),
        Shape::Place | Shape::CAddress => plain(POINTER, POINTER, x.clone()),
        Shape::Handle => plain("usize", INTEGER, format!("handle({x})")),
        Shape::HandlePlace => Part {
            before: format!("        let mut {x}c = handle({x});\n"),
            after: format!("        store({x}, {x}c);\n"),
            ..plain("*mut usize", INTEGER, format!("&raw mut {x}c"))
        },
        Shape::Handles(length) => Part {
            before: format!("        let mut {x}c = handles({x}, {});\n", number(function, length, target)),
            after: if stored { format!("        store_all({x}, &{x}c);\n") } else { String::new() },
            ..plain("*mut usize", INTEGER, format!("{x}c.as_mut_ptr()"))
        },
        Shape::Buffer => translated("address"),
        Shape::Status => translated("status"),
        Shape::Statuses => translated("statuses"),
        Shape::Weights => translated("weights"),
        Shape::Procedure if function.name == "MPI_Keyval_create" => translated("small_procedure"),
        Shape::Procedure => translated("procedure"),
        Shape::TextIn => Part {
            length: Some(format!("{x}length: usize")),
            before: format!("        let {x}c = {}({x}, {x}length);\n", reader_of_texts(function)),
            ..plain("*const c_char", "*mut c_char", format!("{x}c.as_ptr()"))
        },
        Shape::TextOut => Part {
            length: Some(format!("{x}length: usize")),
            before: format!("        let mut {x}c = room({x}length);\n"),
            after: format!("        store_text({x}, {x}length, &{x}c);\n"),
            ..plain(POINTER, "*mut c_char", format!("{x}c.as_mut_ptr().cast()"))
        },
        Shape::Arguments => Part {
            length: Some(format!("{x}length: usize")),
            before: format!("        let {x}c = arguments(at_root, {x}, {x}length);\n"),
            ..plain("*mut *mut c_char", "*mut c_char", format!("{x}c.pointer()"))
        },
        Shape::Texts(count) => Part {
            length: Some(format!("{x}length: usize")),
            before: format!("        let {x}c = texts(at_root, {x}, {x}length, *{count}_);\n"),
            ..plain("*mut *mut c_char", "*mut c_char", format!("{x}c.pointer()"))
        },
        Shape::ArgumentTable(count) => Part {
            length: Some(format!("{x}length: usize")),
            before: format!("        let {x}c = argument_table(at_root, {x}, {x}length, *{count}_);\n"),
            ..plain("*mut *mut *mut c_char", "*mut c_char", format!("{x}c.pointer()"))
        },
        Shape::ErrorCodes => translated("error_codes"),
        Shape::TextLength => Part {
            before: format!("        let mut {x}c = with_terminator({x});\n"),
            after: format!("        *{x} = {x}c - 1;\n"),
            ..plain(INTEGER, INTEGER, format!("&raw mut {x}c"))
        },
        Shape::Word => plain(POINTER, "*const usize", format!("pointer(*{x})")),
        Shape::SmallWord => plain(POINTER, "*const c_int", format!("pointer(*{x} as usize)")),
        Shape::AttributePlace => {
            attribute(function, plain("*mut usize", "*mut i64", String::new()), &x, "store_attribute")
        }
        Shape::SmallAttributePlace => {
            attribute(function, plain("*mut usize", INTEGER, String::new()), &x, "store_small_attribute")
        }
        Shape::Index => {
            Part { after: format!("        from_one({x}, 1);\n"), ..plain(INTEGER, INTEGER, x.clone()) }
        }
        Shape::Indices(number) => Part {
            after: format!("        from_one({x}, *{number}_.cast::<c_int>());\n"),
            ..plain(INTEGER, INTEGER, x.clone())
        },
        Shape::SmallAddress => plain("i64", "*const c_int", format!("i64::from(*{x})")),
        Shape::SmallAddresses(length) => Part {
            before: format!("        let mut {x}c = addresses({x}, {});\n", number(function, length, target)),
            ..plain("*mut i64", INTEGER, format!("{x}c.as_mut_ptr()"))
        },
        Shape::SmallAddressPlace => Part {
            before: format!("        let mut {x}c = 0_i64;\n"),
            after: format!("        {x}.write({x}c as c_int);\n"),
            ..plain("*mut i64", INTEGER, format!("&raw mut {x}c"))
        },
        Shape::Absent => {
            Part { fortran: None, ..plain(POINTER, POINTER, "core::ptr::null_mut()".to_owned()) }
        }
    }
}

/// The standard strips blanks before commands, and before keys and values of info objects, too.
fn reader_of_texts(function: &Function) -> &'static str {
    let strips = function.name.starts_with("MPI_Info_") || starts_processes(function);
    if strips { "stripped_text" } else { "text" }
}

/// The value of an attribute: the key is the second parameter, whether there is one the last.
fn attribute(function: &Function, part: Part, x: &str, store: &str) -> Part {
    let key = &function.arguments[1].name;
    Part {
        before: format!("        let mut {x}c = 0_usize;\n"),
        value: format!("&raw mut {x}c"),
        after: format!(
            "        {store}({x}, key(*{key}_), {x}c, code == 0 && *flag_.cast::<c_int>() != 0);\n"
        ),
        ..part
    }
}

/// The length of an array: a parameter, or what a communicator says.
fn number(function: &Function, length: &str, target: Target) -> String {
    let comm = communicator(target);
    match length {
        name if starts_processes(function) => {
            format!("if at_root {{ usize::try_from(*{name}_).unwrap_or(0) }} else {{ 0 }}")
        }
        "peers" => format!("peers(false, {comm})"),
        "sources" => format!("neighbours({comm}).0"),
        "targets" => format!("neighbours({comm}).1"),
        name if function.arguments.iter().any(|argument| argument.name == name) => {
            format!("usize::try_from(*{name}_).unwrap_or(0)")
        }
        other => panic!("{}: an array of handles whose length is {other}", function.name),
    }
}

/// The number of the communicator in the library.
fn communicator(target: Target) -> &'static str {
    match target {
        Target::Bodies => "handle(comm_)",
        Target::Front => "handle::<Comm>(comm_).to_abi()",
    }
}

/// The integer constants of the table.
pub fn constants(groups: &[Group]) -> String {
    let is_integer =
        |group: &&Group| matches!(&group.kind, GroupKind::Macros(of) if of.base == "int" && of.pointers == 0);
    let all = groups.iter().filter(is_integer).flat_map(|group| &group.constants);
    let line = |constant: &Constant| match &constant.value {
        Value::Number(value) | Value::Alias(value) => {
            format!("pub(crate) const {}: c_int = {value};\n", constant.name)
        }
    };
    all.map(line).collect()
}
