//! The Fortran form of each parameter of an MPI function.

use super::table::{Argument, Direction, Function, HANDLES};

/// How a parameter of C looks in Fortran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A number by reference, which C takes by value.
    Value,
    /// The key of an attribute, which C takes by value.
    Key,
    /// An address that both languages take as it is: results, and arrays of numbers.
    Place,
    /// A handle, which C takes by value.
    Handle,
    /// A handle that the function stores or replaces.
    HandlePlace,
    /// An array of handles: how long it is, in the words of the table.
    Handles(String),
    /// A buffer of any type, or `MPI_BOTTOM`, `MPI_IN_PLACE`.
    Buffer,
    /// The address of memory that MPI gives to the program.
    CAddress,
    /// A status, or `MPI_STATUS_IGNORE`.
    Status,
    /// An array of statuses, or `MPI_STATUSES_IGNORE`.
    Statuses,
    /// Weights of edges, or `MPI_UNWEIGHTED`, `MPI_WEIGHTS_EMPTY`.
    Weights,
    /// Error codes, or `MPI_ERRCODES_IGNORE`.
    ErrorCodes,
    /// Characters that end with blanks.
    TextIn,
    /// Room for characters.
    TextOut,
    /// The arguments of a command: texts with a blank one behind them, or `MPI_ARGV_NULL`. Only the root has them.
    Arguments,
    /// So many texts, which only the root has.
    Texts(String),
    /// The arguments of so many commands, or `MPI_ARGVS_NULL`. Only the root has them.
    ArgumentTable(String),
    /// The length of room for characters, which in C counts the terminator.
    TextLength,
    /// A procedure of the program.
    Procedure,
    /// A number of address size, which C takes as a pointer.
    Word,
    /// The same as a default integer, in MPI-1.
    SmallWord,
    /// The value of an attribute, stored.
    AttributePlace,
    /// The same as a default integer, in MPI-1.
    SmallAttributePlace,
    /// A position in an array of requests, counted from 1.
    Index,
    /// Such positions: in this parameter is their number.
    Indices(String),
    /// A displacement that is a default integer in MPI-1.
    SmallAddress,
    /// An array of such displacements.
    SmallAddresses(String),
    /// Such a displacement, stored.
    SmallAddressPlace,
    /// The arguments of `main`: Fortran passes none.
    Absent,
}

/// Functions of MPI-1 whose displacements are default integers.
const SMALL_ADDRESSES: [&str; 7] = [
    "MPI_Address",
    "MPI_Type_extent",
    "MPI_Type_hindexed",
    "MPI_Type_hvector",
    "MPI_Type_lb",
    "MPI_Type_struct",
    "MPI_Type_ub",
];

/// Functions that say which of several requests are complete, and which parameter says how many.
const COMPLETIONS: [(&str, &str); 6] = [
    ("MPI_Request_get_status_any", ""),
    ("MPI_Request_get_status_some", "outcount"),
    ("MPI_Testany", ""),
    ("MPI_Testsome", "outcount"),
    ("MPI_Waitany", ""),
    ("MPI_Waitsome", "outcount"),
];

/// Whether a procedure of Fortran has `ierror`: all but `MPI_Pcontrol`, and functions that return something else.
pub fn has_error_code(function: &Function) -> bool {
    !matches!(function.returns.base.as_str(), "double" | "MPI_Aint") && function.name != "MPI_Pcontrol"
}

/// The parameters of a function, each with its shape.
pub fn parameters(function: &Function) -> Vec<(&Argument, Shape)> {
    function.arguments.iter().map(|argument| (argument, shape(function, argument))).collect()
}

/// Does it take buffers of any type?
#[allow(dead_code)] // not for all entry points
pub fn has_buffers(function: &Function) -> bool {
    parameters(function).iter().any(|(_, shape)| *shape == Shape::Buffer)
}

/// Does it take characters?
#[allow(dead_code)] // not for all entry points
pub fn has_texts(function: &Function) -> bool {
    parameters(function).iter().any(|(_, shape)| matches!(shape, Shape::TextIn | Shape::TextOut))
}

/// Is it a function of Fortran too? Conversions between languages and the tool interface belong to C.
pub fn is_fortran(function: &Function) -> bool {
    let name = function.name.as_str();
    let of_c = ["_c2f", "_f2c", "_toint", "_fromint", "_c2f08", "_f082c"];
    !name.starts_with("MPI_T_") && !of_c.iter().any(|end| name.ends_with(end)) && !is_abi_question(name)
}

fn is_abi_question(name: &str) -> bool {
    name.starts_with("MPI_Abi_") && name != "MPI_Abi_get_version"
}

fn shape(function: &Function, argument: &Argument) -> Shape {
    let length = argument.meaning.length.clone();
    let stored = argument.meaning.direction != Direction::In;
    match argument.meaning.kind.as_str() {
        "argument_count" | "argument_list" => Shape::Absent,
        "string_array" => length.map_or(Shape::Arguments, Shape::Texts),
        "string_2darray" => Shape::ArgumentTable(length.expect("one line for each command")),
        "string" if stored => Shape::TextOut,
        "string" => Shape::TextIn,
        "info_value_length" if argument.meaning.direction == Direction::InOut => Shape::TextLength,
        "function" | "polyfunction" => Shape::Procedure,
        "extra_state" => Shape::Word,
        "extra_state2" => Shape::SmallWord,
        "attribute_val" if stored => Shape::AttributePlace,
        "attribute_val" => Shape::Word,
        "attribute_val_10" if stored => Shape::SmallAttributePlace,
        "attribute_val_10" => Shape::SmallWord,
        "buffer" => Shape::Buffer,
        "c_buffer" | "c_buffer2" => Shape::CAddress,
        "status" if length.is_some() => Shape::Statuses,
        "status" => Shape::Status,
        "weight" => Shape::Weights,
        "error_code" if length.is_some() => Shape::ErrorCodes,
        "index" => index(function, argument),
        "keyval" if argument.of.pointers == 0 => Shape::Key,
        "displacement" if SMALL_ADDRESSES.contains(&function.name.as_str()) => small_address(argument),
        _ if is_handle(argument) => handle(argument),
        _ if argument.of.pointers == 0 => Shape::Value,
        _ => Shape::Place,
    }
}

fn handle(argument: &Argument) -> Shape {
    match &argument.meaning.length {
        Some(length) => Shape::Handles(length.clone()),
        None if argument.of.pointers > 0 => Shape::HandlePlace,
        None => Shape::Handle,
    }
}

fn small_address(argument: &Argument) -> Shape {
    match &argument.meaning.length {
        Some(length) => Shape::SmallAddresses(length.clone()),
        None if argument.of.pointers > 0 => Shape::SmallAddressPlace,
        None => Shape::SmallAddress,
    }
}

fn index(function: &Function, argument: &Argument) -> Shape {
    let stored = argument.meaning.direction != Direction::In;
    match COMPLETIONS.iter().find(|(name, _)| *name == function.name) {
        Some((_, "")) if stored => Shape::Index,
        Some((_, number)) if stored => Shape::Indices((*number).to_owned()),
        _ if argument.of.pointers == 0 => Shape::Value,
        _ => Shape::Place,
    }
}

/// Does the function start processes? Then some arguments are looked at only at the root.
#[allow(dead_code)] // for entry points
pub fn starts_processes(function: &Function) -> bool {
    function.name.starts_with("MPI_Comm_spawn")
}

/// Is the argument a handle or an array of handles?
pub fn is_handle(argument: &Argument) -> bool {
    HANDLES.contains(&argument.of.base.as_str())
}
