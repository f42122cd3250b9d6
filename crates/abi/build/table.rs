//! The two tables of this crate, read: `functions.txt` and `constants.txt`.

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
    entries(table).map(function).collect()
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
    table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn function(line: &str) -> Function {
    let (head, rest) = line.split_once('(').unwrap_or_else(|| panic!("not a prototype: {line}"));
    let list = rest.strip_suffix(')').unwrap_or_else(|| panic!("unclosed prototype: {line}"));
    let (returns, name) = head.split_once(' ').unwrap_or_else(|| panic!("no result type: {line}"));
    Function {
        name: name.to_owned(),
        returns: CType::of_declaration(returns),
        arguments: arguments(list),
        prototype: line.to_owned(),
    }
}

fn arguments(list: &str) -> Vec<Argument> {
    list.split(',')
        .map(str::trim)
        .filter(|argument| !matches!(*argument, "void" | "..."))
        .map(|declaration| Argument { name: name(declaration), of: CType::of_declaration(declaration) })
        .collect()
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
