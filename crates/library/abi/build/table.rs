//! The two tables of this crate, read: `functions.txt` and `constants.txt`.

/// The types of handles.
pub const HANDLES: [&str; 11] = [
    "MPI_Comm",
    "MPI_Datatype",
    "MPI_Errhandler",
    "MPI_File",
    "MPI_Group",
    "MPI_Info",
    "MPI_Message",
    "MPI_Op",
    "MPI_Request",
    "MPI_Session",
    "MPI_Win",
];

/// One MPI function, as C declares it.
pub struct Function {
    pub name: String,
    pub returns: CType,
    pub arguments: Vec<Argument>,
    /// The line of the table, without a semicolon.
    pub prototype: String,
}

/// An argument with a type; what a `...` stands for has none and is left out.
pub struct Argument {
    pub name: String,
    pub of: CType,
    pub meaning: Meaning,
}

/// The standard's information about an argument beyond its C type.
#[derive(Clone)]
pub struct Meaning {
    pub direction: Direction,
    /// The standard's kind in lower case: `communicator`, `rank`, `error_code`.
    pub kind: String,
    /// Of an array: a parameter, a constant, or one of the words at the top of the table.
    pub length: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
    InOut,
}

/// The type of an argument or a result.
pub struct CType {
    pub base: String,
    pub constant: bool,
    /// Levels of indirection; an argument written `x[]` counts as one.
    pub pointers: usize,
    /// The 3 of an argument written `x[][3]`.
    pub row: Option<usize>,
}

/// Constants of one type that belong together.
pub struct Group {
    pub title: String,
    pub kind: GroupKind,
    pub constants: Vec<Constant>,
}

pub enum GroupKind {
    /// Macros of this type, as C writes it: `int`, `MPI_Comm`, `void *`.
    Macros(CType),
    /// A C enumeration with a name of its own.
    Enumeration(String),
}

pub struct Constant {
    pub name: String,
    pub value: Value,
}

pub enum Value {
    /// A number, spelt as in the table.
    Number(String),
    /// Another name for a constant.
    Alias(String),
}

/// The functions of the table, in its order.
pub fn functions(table: &str) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    let mut lines = lines(table).peekable();
    while let Some(prototype) = lines.next() {
        let meanings = lines.next_if(|line| line.starts_with(' ')).map(str::trim).unwrap_or_default();
        functions.push(function(prototype, meanings));
    }
    functions
}

/// The groups of constants, in the table's order.
pub fn constants(table: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for line in entries(table) {
        match line.strip_prefix('[') {
            Some(opening) => groups.push(group(opening)),
            None => groups.last_mut().expect("a constant outside a group").constants.push(constant(line)),
        }
    }
    groups
}

fn entries(table: &str) -> impl Iterator<Item = &str> {
    lines(table).map(str::trim)
}

/// The lines that are neither empty nor comments, as they are.
fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
}

fn function(line: &str, meanings: &str) -> Function {
    let (head, rest) = line.split_once('(').unwrap_or_else(|| panic!("not a prototype: {line}"));
    let list = rest.strip_suffix(')').unwrap_or_else(|| panic!("unclosed prototype: {line}"));
    let (returns, name) = head.split_once(' ').unwrap_or_else(|| panic!("no result type: {line}"));
    Function {
        name: name.to_owned(),
        returns: CType::of_declaration(returns),
        arguments: arguments(list, meanings),
        prototype: line.to_owned(),
    }
}

fn arguments(list: &str, meanings: &str) -> Vec<Argument> {
    let declarations: Vec<&str> =
        list.split(',').map(str::trim).filter(|argument| !matches!(*argument, "void" | "...")).collect();
    let meanings: Vec<&str> = meanings.split(", ").filter(|meaning| !meaning.is_empty()).collect();
    assert!(
        declarations.len() == meanings.len(),
        "({list}) has other parameters than ({})",
        meanings.join(", ")
    );
    let argument = |(declaration, text): (&str, &str)| Argument {
        name: name(declaration),
        of: CType::of_declaration(declaration),
        meaning: meaning(text),
    };
    declarations.into_iter().zip(meanings).map(argument).collect()
}

/// Reads `out status[count]`.
fn meaning(text: &str) -> Meaning {
    let (direction, rest) = text.split_once(' ').unwrap_or_else(|| panic!("no direction: {text}"));
    let direction = match direction {
        "in" => Direction::In,
        "out" => Direction::Out,
        "inout" => Direction::InOut,
        other => panic!("no direction: {other}"),
    };
    let (kind, length) = match rest.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
        Some((kind, length)) => (kind, Some(length.to_owned())),
        None => (rest, None),
    };
    Meaning { direction, kind: kind.to_owned(), length }
}

/// The `ranges` of `const int ranges[][3]`.
fn name(declaration: &str) -> String {
    let before_brackets = declaration.split('[').next().unwrap_or(declaration);
    before_brackets.rsplit([' ', '*']).next().unwrap_or(before_brackets).to_owned()
}

impl CType {
    /// Reads `const int ranges[][3]`, `char ***argv` or, without a name, `void *`.
    pub fn of_declaration(declaration: &str) -> CType {
        let (constant, rest) = match declaration.strip_prefix("const ") {
            Some(rest) => (true, rest),
            None => (false, declaration),
        };
        let base_end = rest.find([' ', '*']).unwrap_or(rest.len());
        let (base, declarator) = rest.split_at(base_end);
        let row = declarator.split_once("[][").map(|(_, row)| {
            row.trim_end_matches(']').parse().unwrap_or_else(|_| panic!("odd array: {declaration}"))
        });
        let pointers = declarator.matches('*').count() + declarator.matches("[]").count();
        CType { base: base.to_owned(), constant, pointers, row }
    }
}

fn group(opening: &str) -> Group {
    let (kind, title) = opening.split_once(']').unwrap_or_else(|| panic!("unclosed group: [{opening}"));
    let kind = match kind.strip_prefix("enum ") {
        Some(name) => GroupKind::Enumeration(name.to_owned()),
        None => GroupKind::Macros(CType::of_declaration(kind)),
    };
    Group { title: title.trim().to_owned(), kind, constants: Vec::new() }
}

fn constant(line: &str) -> Constant {
    let (name, value) = line.split_once(' ').unwrap_or_else(|| panic!("a constant without a value: {line}"));
    let value = match value.starts_with("MPI_") {
        true => Value::Alias(value.to_owned()),
        false => Value::Number(value.to_owned()),
    };
    Constant { name: name.to_owned(), value }
}
