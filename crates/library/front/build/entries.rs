//! The MPI functions of a front, as Rust: one function per function of the table that translates its arguments, calls the body
//! in `libmpi_abi.so.1`, and translates the results.
//!
//! Each parameter becomes up to three pieces of code: before the call, the argument of the call, and after it.

use super::bodies::Body;
use super::conversions::of_kind;
use super::dialect::{Dialect, Does};
use super::table::{Argument, CType, Direction, Function, HANDLES};
use std::collections::HashMap;

/// The generated code for a parameter.
struct Piece {
    /// The parameter's type in the front.
    theirs: String,
    /// The parameter's type in the MPI 5 ABI.
    abi: String,
    before: String,
    argument: String,
    after: String,
}

/// The generator's input besides the table.
pub struct Knowledge<'a> {
    pub standard: &'a HashMap<String, (String, i64)>,
    pub dialect: &'a Dialect,
}

/// Functions that the library's own crate writes by hand, since they are about the representation of handles and statuses.
pub fn is_by_hand(name: &str) -> bool {
    ["_c2f", "_f2c", "_c2f08", "_f082c", "_f082f", "_f2f08"].iter().any(|end| name.ends_with(end))
}

/// Functions of the MPI 5 ABI alone. By `MPI_Abi_get_version` programs would take the front for a library of that ABI. Those with
/// infos are in the front all the same: a program that looks for them would find those of `libmpi_abi.so.1`, whose handles are others.
pub fn is_of_abi(name: &str) -> bool {
    (name.starts_with("MPI_Abi_") && !name.ends_with("_info"))
        || name.ends_with("_toint")
        || name.ends_with("_fromint")
}

/// Functions that came after MPI 4.0. Programs that are to run with older libraries ask whether these exist before they call them, so
/// those without a body are better absent.
fn is_recent(name: &str) -> bool {
    const ENDINGS: [&str; 6] =
        ["ach_buffer", "ach_buffer_c", "lush_buffer", "Buffer_flush", "Buffer_iflush", "hw_resource_info"];
    ENDINGS.iter().any(|end| name.ends_with(end))
}

/// The translating functions.
pub fn functions(functions: &[Function], knowledge: &Knowledge<'_>) -> String {
    let written = functions.iter().enumerate().filter(|(_, function)| is_written(&function.name));
    written.map(|(index, function)| translation(index, function, knowledge)).collect()
}

fn is_written(name: &str) -> bool {
    !is_by_hand(name) && !is_of_abi(name)
}

/// The entry points of all functions, those by hand and those beyond the standard too.
pub fn trampolines(functions: &[Function], bodies: &[Body], dialect: &Dialect) -> String {
    let mut text = String::new();
    for (index, Function { name, .. }) in functions.iter().enumerate() {
        let has_body = bodies.iter().any(|body| body.name == *name);
        if is_of_abi(name) || is_recent(name) && !has_body {
            continue;
        }
        let module = if is_by_hand(name) { "by_hand" } else { "translations" };
        text += &entry(index, name, &format!("crate::{module}::{name}"));
        let same =
            dialect.functions.iter().filter(|other| matches!(&other.does, Does::Same(of) if of == name));
        text += &same
            .map(|other| entry(index, &other.name, &format!("crate::{module}::{name}")))
            .collect::<String>();
    }
    for function in &dialect.functions {
        text += &match function.does {
            Does::Same(_) => String::new(),
            Does::Returns(value) => format!("returning!({}, P{}, {value});\n", function.name, function.name),
            Does::Nothing => {
                format!("unknown!({}, P{}, c\"{}\");\n", function.name, function.name, function.name)
            }
        };
    }
    text
}

fn entry(index: usize, name: &str, target: &str) -> String {
    format!("entry_point!({index}, {name}, {target});\nentry_point!({index}, P{name}, {target});\n")
}

fn translation(index: usize, function: &Function, knowledge: &Knowledge<'_>) -> String {
    let pieces: Vec<(&Argument, Piece)> =
        function.arguments.iter().map(|argument| (argument, piece(function, argument, knowledge))).collect();
    let parameters: String = pieces
        .iter()
        .map(|(argument, piece)| format!("{}: {}, ", escaped(&argument.name), piece.theirs))
        .collect();
    let types: String = pieces.iter().map(|(_, piece)| format!("{}, ", piece.abi)).collect();
    let before: String = pieces.iter().map(|(_, piece)| piece.before.as_str()).collect();
    let arguments: String = pieces.iter().map(|(_, piece)| format!("{}, ", piece.argument)).collect();
    let after: String = pieces.iter().map(|(_, piece)| piece.after.as_str()).collect();
    let (name, returns) = (&function.name, rust_base(&function.returns.base));
    let result = if returns == "c_int" { "error_from_abi(code)" } else { "code" };
    format!(
        "pub(crate) unsafe extern \"C-unwind\" fn {name}({parameters}) -> {returns} {{\n\
         // SAFETY: the program vouches for its arguments as the prototype demands, and the body has that prototype.\n\
         unsafe {{\n\
         type Body = unsafe extern \"C-unwind\" fn({types}) -> {returns};\n\
         let body = body!({index}, Body);\n{before}\
         let code = body({arguments});\n{after}{result}\n}} }}\n"
    )
}

/// A name that Rust accepts.
fn escaped(name: &str) -> String {
    if ["type", "in", "ref"].contains(&name) { format!("r#{name}") } else { name.to_owned() }
}

fn piece(function: &Function, argument: &Argument, knowledge: &Knowledge<'_>) -> Piece {
    let (of, kind) = (&argument.of, argument.meaning.kind.as_str());
    let name = escaped(&argument.name);
    if is_callback(of) {
        return callback(&name, &of.base);
    }
    if is_handle(&of.base) {
        return handle(function, argument, &name);
    }
    if of.base == "MPI_Status" && of.pointers == 1 {
        return status(argument, &name);
    }
    if kind == "error_code" && argument.meaning.length.is_some() {
        return error_codes(function, argument, &name);
    }
    if of.base == "int"
        && let Some(conversion) = of_kind(kind)
        && !is_the_programs_own(function, kind)
    {
        return integer(argument, &name, conversion);
    }
    match kind {
        // Its address is asked for, whatever it means.
        "buffer" if matches!(function.name.as_str(), "MPI_Get_address" | "MPI_Address") => {
            plain(of, name.clone(), String::new())
        }
        "buffer" if of.pointers == 1 => {
            plain(of, format!("buffer_to_abi({name}.cast()).cast()"), String::new())
        }
        "offset" if function.name == "MPI_File_set_view" => {
            plain(of, format!("mpirage_front::numbers::displacement_to_abi({name})"), String::new())
        }
        "weight" => plain(of, format!("weights_to_abi({name} as *mut c_int).cast()"), String::new()),
        "string" if argument.meaning.direction == Direction::Out => text(argument, &name, knowledge),
        "string_length" if of.pointers == 1 => {
            plain(of, name.clone(), limited_length(function, &name, knowledge))
        }
        "attribute_val" | "attribute_val_10" if argument.meaning.direction == Direction::Out => {
            let key =
                &function.arguments.iter().find(|other| other.meaning.kind == "keyval").expect("a key").name;
            let after =
                format!("if code == 0 && *flag != 0 {{ attribute_from_abi({key}, {name}.cast()); }}\n");
            plain(of, name.clone(), after)
        }
        "generic_dtype_int" => {
            let after = format!(
                "if code == 0 {{ contents_from_abi(datatype.to_abi(), max_integers as usize, {name}); }}\n"
            );
            plain(of, name.clone(), after)
        }
        _ => plain(of, name.clone(), String::new()),
    }
}

/// Error codes that only the program knows the meaning of: what `MPI_Abort` is called with.
fn is_the_programs_own(function: &Function, kind: &str) -> bool {
    function.name == "MPI_Abort" && kind == "error_code"
}

fn plain(of: &CType, argument: String, after: String) -> Piece {
    let theirs = rust_type(of);
    Piece { abi: theirs.clone(), theirs, before: String::new(), argument, after }
}

/// The error codes of processes that a rank starts.
fn error_codes(function: &Function, argument: &Argument, name: &str) -> Piece {
    let number = match function.name.as_str() {
        "MPI_Comm_spawn" => "array_length(maxprocs as i64)",
        _ => "sum_of(array_of_maxprocs, array_length(count as i64))",
    };
    let place = format!("ErrorCodes::new({name}, {}, error_from_abi)", only_at_root(number));
    Piece {
        before: format!("let mut {name}_place = {place};\n"),
        ..plain(&argument.of, format!("{name}_place.abi()"), format!("{name}_place.store();\n"))
    }
}

/// Other ranks than the root may pass any number, and arrays that are not there.
fn only_at_root(number: &str) -> String {
    format!("if is_root(comm.to_abi(), root) {{ {number} }} else {{ 0 }}")
}

/// The address of a function of the program; predefined ones have other addresses.
fn callback(name: &str, base: &str) -> Piece {
    let argument = if base.contains("opy_") || base == "MPI_Copy_function" {
        format!("copy_function_to_abi({name})")
    } else if base.contains("elete_") || base == "MPI_Delete_function" {
        format!("delete_function_to_abi({name})")
    } else {
        name.to_owned()
    };
    Piece {
        theirs: "usize".into(),
        abi: "usize".into(),
        before: String::new(),
        argument,
        after: String::new(),
    }
}

fn handle(function: &Function, argument: &Argument, name: &str) -> Piece {
    let of = &argument.of;
    let class = class_name(&of.base);
    if of.pointers == 0 {
        return Piece {
            theirs: class,
            abi: "usize".into(),
            before: String::new(),
            argument: format!("{name}.to_abi()"),
            after: String::new(),
        };
    }
    let pointer = if of.constant { "*const" } else { "*mut" };
    let (theirs, abi) = (format!("{pointer} {class}"), format!("{pointer} usize"));
    let place = match (&argument.meaning.length, argument.meaning.direction) {
        (None, Direction::Out) => format!("OutHandle::new({name})"),
        (None, _) => format!("InOutHandle::new({name})"),
        (Some(length), Direction::Out) => {
            format!("OutHandles::new({name}, {})", length_of(function, length, name))
        }
        (Some(length), direction) => {
            let back = direction == Direction::InOut;
            let length = length_of(function, length, name);
            match of.constant {
                true => format!("Handles::new({name}.cast_mut(), {length}, {back})"),
                false => format!("Handles::new({name}, {length}, {back})"),
            }
        }
    };
    Piece {
        theirs,
        abi,
        before: format!("let mut {name}_place = {place};\n"),
        argument: format!("{name}_place.abi()"),
        after: format!("{name}_place.store();\n"),
    }
}

/// The number of elements of an array of handles.
fn length_of(function: &Function, length: &str, name: &str) -> String {
    match length {
        "peers" => {
            // The send buffer may be MPI_IN_PLACE; then the types of sent elements are not looked at.
            let unused = if name.starts_with("send") { "is_in_place(sendbuf)" } else { "false" };
            format!("peers({unused}, comm.to_abi())")
        }
        "sources" => "neighbours(comm.to_abi()).0".to_owned(),
        "targets" => "neighbours(comm.to_abi()).1".to_owned(),
        "count" if function.name == "MPI_Comm_spawn_multiple" => only_at_root("array_length(count as i64)"),
        parameter if function.arguments.iter().any(|argument| argument.name == parameter) => {
            format!("array_length({parameter} as i64)")
        }
        other => panic!("{}: what is the length {other} of {name}?", function.name),
    }
}

fn status(argument: &Argument, name: &str) -> Piece {
    let pointer = if argument.of.constant { "*const" } else { "*mut" };
    let mutable = if argument.of.constant { format!("{name}.cast_mut()") } else { name.to_owned() };
    let place = match &argument.meaning.length {
        Some(length) => format!("Statuses::new({mutable}, array_length({length} as i64))"),
        None => format!("OneStatus::new({mutable})"),
    };
    let store = if argument.of.constant { String::new() } else { format!("{name}_place.store();\n") };
    Piece {
        theirs: format!("{pointer} Status"),
        abi: format!("{pointer} MPI_Status"),
        before: format!("let mut {name}_place = {place};\n"),
        argument: format!("{name}_place.abi()"),
        after: store,
    }
}

fn integer(argument: &Argument, name: &str, conversion: &str) -> Piece {
    let of = &argument.of;
    let (to, from) = (format!("{conversion}_to_abi"), format!("{conversion}_from_abi"));
    if of.pointers == 0 {
        return plain(of, format!("{to}({name})"), String::new());
    }
    match (&argument.meaning.length, argument.meaning.direction) {
        (None, Direction::Out) => {
            let after = format!("if code == 0 && !{name}.is_null() {{ *{name} = {from}(*{name}); }}\n");
            plain(of, name.to_owned(), after)
        }
        (None, _) => {
            let before = format!("let mut {name}_place = InOutInteger::new({name}, {to}, {from});\n");
            let piece = plain(of, format!("{name}_place.abi()"), format!("{name}_place.store();\n"));
            Piece { before, ..piece }
        }
        (Some(length), direction) if is_converted_array(argument, length) => {
            array_of_integers(argument, name, length, if direction == Direction::Out { from } else { to })
        }
        _ => plain(of, name.to_owned(), String::new()),
    }
}

/// Arrays of ranks hold real ranks, strides or numbers of neighbours, except those that `MPI_Group_translate_ranks` gets and
/// returns.
fn is_converted_array(argument: &Argument, length: &str) -> bool {
    let ranks = argument.meaning.kind.starts_with("rank");
    (!ranks || ["ranks1", "ranks2"].contains(&argument.name.as_str())) && !["*", "n,3"].contains(&length)
}

fn array_of_integers(argument: &Argument, name: &str, length: &str, conversion: String) -> Piece {
    let length = format!("array_length({length} as i64)");
    if argument.meaning.direction == Direction::Out {
        let after = format!("if code == 0 {{ convert_integers({name}, {length}, {conversion}); }}\n");
        return plain(&argument.of, name.to_owned(), after);
    }
    let before = format!("let {name}_place = converted_integers({name}, {length}, {conversion});\n");
    Piece { before, ..plain(&argument.of, format!("pointer_to({name}, &{name}_place)"), String::new()) }
}

/// A text with a greatest length that may be smaller in the other library.
fn text(argument: &Argument, name: &str, knowledge: &Knowledge<'_>) -> Piece {
    match limits(argument, knowledge) {
        Some((abi, theirs)) if theirs < abi => Piece {
            before: format!("let mut {name}_place = Text::<{abi}>::new({name}, {theirs});\n"),
            ..plain(
                &argument.of,
                format!("{name}_place.abi()"),
                format!("if code == 0 {{ {name}_place.store(); }}\n"),
            )
        },
        _ => plain(&argument.of, name.to_owned(), String::new()),
    }
}

fn limits(argument: &Argument, knowledge: &Knowledge<'_>) -> Option<(i64, i64)> {
    let constant = argument.meaning.length.as_ref().filter(|length| length.starts_with("MPI_MAX_"))?;
    Some((knowledge.standard.get(constant)?.1, *knowledge.dialect.integers.get(constant)?))
}

/// The length of such a text.
fn limited_length(function: &Function, name: &str, knowledge: &Knowledge<'_>) -> String {
    let limit = function.arguments.iter().find_map(|argument| limits(argument, knowledge));
    match limit {
        Some((abi, theirs)) if theirs < abi => {
            format!("if code == 0 {{ *{name} = (*{name}).min({}); }}\n", theirs - 1)
        }
        _ => String::new(),
    }
}

/// `Comm` for `MPI_Comm`.
pub fn class_name(base: &str) -> String {
    base.trim_start_matches("MPI_").to_owned()
}

fn rust_type(of: &CType) -> String {
    let pointee = match of.row {
        Some(row) => format!("[{}; {row}]", rust_base(&of.base)),
        None => rust_base(&of.base),
    };
    let innermost = if of.constant { "*const " } else { "*mut " };
    match of.pointers {
        0 => pointee,
        depth => format!("{}{innermost}{pointee}", "*mut ".repeat(depth - 1)),
    }
}

fn rust_base(base: &str) -> String {
    match base {
        "int" | "MPI_Fint" | "MPI_T_cb_safety" | "MPI_T_source_order" => "c_int".to_owned(),
        "char" => "c_char".to_owned(),
        "void" => "c_void".to_owned(),
        "double" => "f64".to_owned(),
        "MPI_Aint" => "isize".to_owned(),
        "MPI_Count" | "MPI_Offset" => "i64".to_owned(),
        // Pointers in all three interfaces.
        tool if tool.starts_with("MPI_T_") => "usize".to_owned(),
        other => panic!("unknown type {other}"),
    }
}

fn is_callback(of: &CType) -> bool {
    of.pointers == 1 && (of.base.ends_with("_function") || of.base.ends_with("_function_c"))
}

fn is_handle(base: &str) -> bool {
    HANDLES.contains(&base)
}
