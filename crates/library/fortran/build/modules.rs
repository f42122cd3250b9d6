//! The Fortran text made from the tables: `mpif-constants.h`, `mpif.h`, `mpi.f90` and `mpi_f08.f90`.

use super::parameter::{Shape, has_buffers, has_error_code, has_texts, is_fortran, is_handle, parameters};
use super::table::{Argument, Constant, Direction, Function, Group, GroupKind, HANDLES, Value};

/// Where a line of free form continues on the next.
const WIDTH: usize = 118;

/// One of the two modules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Module {
    Mpi,
    F08,
}

/// Constants and sentinels, for fixed and free form.
pub fn constants(groups: &[Group]) -> String {
    let integers: String = fortran_constants(groups).map(|(constant, of)| integer(constant, of)).collect();
    format!("{CONSTANTS_HEAD}{integers}{SENTINELS}")
}

/// The module `mpi`.
pub fn mpi(functions: &[Function]) -> String {
    let interfaces = interfaces(functions, Module::Mpi);
    let sizeof = sizeof("integer, intent(out)");
    format!("{MPI_HEAD}{sizeof}{interfaces}end module mpi\n")
}

/// The module `mpi_f08`.
pub fn mpi_f08(groups: &[Group], functions: &[Function]) -> String {
    let constants: String = fortran_constants(groups).map(|(constant, of)| typed(constant, of)).collect();
    let operators = operators();
    let interfaces = interfaces(functions, Module::F08);
    let sizeof = sizeof("integer, intent(out), optional");
    format!(
        "{F08_HEAD}{constants}{F08_SENTINELS}{operators}{F08_PROCEDURES}{sizeof}{interfaces}end module mpi_f08\n"
    )
}

/// The constants that Fortran has: numbers and handles, but not those of the tool interface.
fn fortran_constants(groups: &[Group]) -> impl Iterator<Item = (&Constant, &str)> {
    let base = |group: &Group| match &group.kind {
        GroupKind::Macros(of) if of.pointers == 0 => Some(of.base.clone()),
        _ => None,
    };
    groups
        .iter()
        .filter(move |group| base(group).is_some())
        .flat_map(|group| {
            let GroupKind::Macros(of) = &group.kind else { unreachable!("filtered") };
            group.constants.iter().map(move |constant| (constant, of.base.as_str()))
        })
        .filter(|(constant, _)| is_for_fortran(&constant.name))
}

fn is_for_fortran(name: &str) -> bool {
    !["MPI_T_", "MPI_F_", "MPI_ABI_"].iter().any(|start| name.starts_with(start))
}

/// The value in Fortran. The longest strings have no terminator there.
fn value(constant: &Constant) -> String {
    let Value::Number(text) = &constant.value else { unreachable!("aliases are resolved by their name") };
    let number = match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).expect("a number"),
        None => text.parse().expect("a number"),
    };
    let is_length = constant.name.starts_with("MPI_MAX_");
    (number - i64::from(is_length)).to_string()
}

fn integer(constant: &Constant, of: &str) -> String {
    let name = &constant.name;
    let kind = if of == "MPI_Offset" { "INTEGER(KIND=8)" } else { "INTEGER" };
    let value = match &constant.value {
        Value::Alias(other) => other.clone(),
        Value::Number(_) => value(constant),
    };
    format!("      {kind} {name}\n      PARAMETER ({name}={value})\n")
}

fn typed(constant: &Constant, of: &str) -> String {
    let name = &constant.name;
    let of_alias = |text: &String| text.clone();
    match of {
        "int" => {
            let value =
                if let Value::Alias(other) = &constant.value { of_alias(other) } else { value(constant) };
            format!("  integer, parameter :: {name} = {value}\n")
        }
        "MPI_Offset" => {
            format!("  integer(kind=MPI_OFFSET_KIND), parameter :: {name} = {}\n", value(constant))
        }
        handle => {
            let value = match &constant.value {
                Value::Alias(other) => of_alias(other),
                Value::Number(_) => format!("{handle}({})", value(constant)),
            };
            format!("  type({handle}), parameter :: {name} = {value}\n")
        }
    }
}

/// `MPI_Sizeof`: a procedure for each type and kind, which knows the size. `ierror` is how the error code is declared.
fn sizeof(ierror: &str) -> String {
    let integers = ["int8", "int16", "int32", "int64"].map(|kind| ("integer", kind));
    let reals = ["real32", "real64"].map(|kind| ("real", kind));
    let complexes = ["real32", "real64"].map(|kind| ("complex", kind));
    let specific = |(of, kind): (&str, &str)| {
        let name = format!("mpi_sizeof_{of}_{kind}");
        format!(
            "    subroutine {name}(x, size, ierror)\n      use, intrinsic :: iso_fortran_env, only: {kind}\n      \
             {of}({kind}), intent(in) :: x(..)\n      integer, intent(out) :: size\n      {ierror} :: ierror\n    end subroutine\n"
        )
    };
    let specifics: String = integers.into_iter().chain(reals).chain(complexes).map(specific).collect();
    format!("  interface MPI_Sizeof\n{specifics}  end interface\n\n")
}

/// `==` and `/=` of handles.
fn operators() -> String {
    let operator = |sign: &str, what: &str| {
        let functions: String = HANDLES.iter().map(|handle| comparison(handle, what)).collect();
        format!("  interface operator({sign})\n{functions}  end interface\n\n")
    };
    operator("==", "same") + &operator("/=", "other")
}

fn comparison(handle: &str, what: &str) -> String {
    let name = format!("mpirage_{what}_{}", handle.to_lowercase());
    format!(
        "    function {name}(one, other) bind(C, name=\"mpirage_{what}_handle_\")\n      import :: {handle}\n      \
         type({handle}), intent(in) :: one, other\n      logical :: {name}\n    end function\n"
    )
}

/// The interfaces of all functions, under their names and with the prefix of the profiling interface.
fn interfaces(functions: &[Function], module: Module) -> String {
    let all = functions.iter().filter(|function| is_fortran(function));
    match module {
        Module::Mpi => {
            let bodies: String = all
                .filter(|function| !function.name.ends_with("_c"))
                .flat_map(|function| ["", "P"].map(|prefix| subroutine(function, module, prefix)))
                .collect();
            format!("  interface\n{bodies}  end interface\n")
        }
        Module::F08 => {
            let different = all.filter(|function| !repeats_small(function, functions));
            different.flat_map(|function| ["", "P"].map(|prefix| generic(function, prefix))).collect()
        }
    }
}

/// Has a function with large counts the same arguments as that without? Addresses and counts are equally long.
fn repeats_small(function: &Function, functions: &[Function]) -> bool {
    let Some(name) = function.name.strip_suffix("_c") else { return false };
    let small = functions.iter().find(|small| small.name == name);
    small.is_some_and(|small| signature(small) == signature(function)) && !has_procedures(function)
}

/// The declarations of a function, with numbers for kinds.
fn signature(function: &Function) -> Vec<String> {
    let declared =
        |(argument, shape): &(&Argument, Shape)| declaration(function, argument, shape, Module::F08);
    let kinds = ["MPI_ADDRESS_KIND", "MPI_COUNT_KIND", "MPI_OFFSET_KIND"];
    let as_number = |text: String| kinds.iter().fold(text, |text, kind| text.replace(kind, "8"));
    parameters(function)
        .iter()
        .filter(|(_, shape)| *shape != Shape::Absent)
        .map(declared)
        .map(as_number)
        .collect()
}

fn has_procedures(function: &Function) -> bool {
    parameters(function).iter().any(|(_, shape)| *shape == Shape::Procedure)
}

/// One specific procedure under its generic name. Those with large counts have the name of those without.
fn generic(function: &Function, prefix: &str) -> String {
    // Procedures as arguments do not tell two specific procedures apart.
    let name = if has_procedures(function) { &function.name } else { function.name.trim_end_matches("_c") };
    format!("  interface {prefix}{name}\n{}  end interface\n", subroutine(function, Module::F08, prefix))
}

fn subroutine(function: &Function, module: Module, prefix: &str) -> String {
    let suffix = if module == Module::F08 { "_f08" } else { "" };
    let name = format!("{prefix}{}{suffix}", function.name);
    let list: Vec<(&Argument, Shape)> =
        parameters(function).into_iter().filter(|(_, shape)| *shape != Shape::Absent).collect();
    let result = result(function);
    let mut names: Vec<String> = list.iter().map(|(argument, _)| argument.name.clone()).collect();
    if has_error_code(function) {
        names.push("ierror".to_owned());
    }
    let kind = if result.is_some() { "function" } else { "subroutine" };
    let bound = match module {
        Module::F08 if takes_descriptors(function) => {
            format!(
                " &\n        bind(C, name=\"{}_f08ts_\")",
                format!("{prefix}{}", function.name).to_lowercase()
            )
        }
        _ => String::new(),
    };
    let mut text = wrapped(&format!("    {kind} {name}({}){bound}", names.join(", ")));
    text += &imports(&list, result, module);
    for (argument, shape) in &list {
        text += &declaration(function, argument, shape, module);
    }
    text += &match result {
        Some(of) => format!("      {of} :: {name}\n"),
        None if !has_error_code(function) => String::new(),
        None if module == Module::F08 => "      integer, optional, intent(out) :: ierror\n".to_owned(),
        None => "      integer, intent(out) :: ierror\n".to_owned(),
    };
    text + &format!("    end {kind}\n")
}

/// Is the procedure of `mpi_f08` one of C, which gets descriptors of arrays? Characters would become descriptors too.
fn takes_descriptors(function: &Function) -> bool {
    has_buffers(function) && !has_texts(function)
}

fn result(function: &Function) -> Option<&'static str> {
    match function.returns.base.as_str() {
        "double" => Some("real(kind=8)"),
        "MPI_Aint" => Some("integer(kind=MPI_ADDRESS_KIND)"),
        _ => None,
    }
}

/// The names that the interface body imports from the module.
fn imports(list: &[(&Argument, Shape)], result: Option<&str>, module: Module) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    if result.is_some_and(|of| of.contains("MPI_ADDRESS_KIND")) {
        add("MPI_ADDRESS_KIND");
    }
    for (argument, shape) in list {
        if let Some(kind) = kind_of(argument, shape) {
            add(kind);
        }
        match shape {
            Shape::Status | Shape::Statuses => {
                add(if module == Module::F08 { "MPI_Status" } else { "MPI_STATUS_SIZE" })
            }
            Shape::CAddress if module == Module::F08 => add("C_PTR"),
            Shape::Procedure if module == Module::F08 => add(&argument.of.base),
            _ if module == Module::F08 && is_handle(argument) => add(&argument.of.base),
            _ => {}
        }
    }
    if names.is_empty() { String::new() } else { wrapped(&format!("      import :: {}", names.join(", "))) }
}

/// The constant that names the kind of an integer longer than the default.
fn kind_of(argument: &Argument, shape: &Shape) -> Option<&'static str> {
    let small = [Shape::SmallAddress, Shape::SmallAddressPlace, Shape::SmallWord, Shape::SmallAttributePlace];
    if small.contains(shape) || matches!(shape, Shape::SmallAddresses(_)) {
        return None;
    }
    match (shape, argument.of.base.as_str()) {
        (Shape::Word | Shape::AttributePlace, _) | (Shape::Value | Shape::Place, "MPI_Aint") => {
            Some("MPI_ADDRESS_KIND")
        }
        (Shape::Value | Shape::Place, "MPI_Count") => Some("MPI_COUNT_KIND"),
        (Shape::Value | Shape::Place, "MPI_Offset") => Some("MPI_OFFSET_KIND"),
        _ => None,
    }
}

fn declaration(function: &Function, argument: &Argument, shape: &Shape, module: Module) -> String {
    let name = &argument.name;
    let intent = match argument.meaning.direction {
        Direction::In => ", intent(in)",
        Direction::Out => ", intent(out)",
        Direction::InOut => ", intent(inout)",
    };
    let plain = |of: &str, rank: &str| format!("      {of}{intent} :: {name}{rank}\n");
    let integer = match kind_of(argument, shape) {
        Some(kind) => format!("integer(kind={kind})"),
        None if argument.meaning.kind == "logical" => "logical".to_owned(),
        None => "integer".to_owned(),
    };
    let handle = match module {
        Module::Mpi => "integer".to_owned(),
        Module::F08 => format!("type({})", argument.of.base),
    };
    match shape {
        Shape::Place if is_array(argument) => plain(&integer, array(argument)),
        Shape::Handle | Shape::HandlePlace => plain(&handle, ""),
        Shape::Handles(_) => plain(&handle, "(*)"),
        Shape::Buffer if module == Module::F08 && takes_descriptors(function) => {
            format!("      type(*), dimension(..) :: {name}\n")
        }
        Shape::Buffer => buffer(name),
        Shape::CAddress if module == Module::F08 => format!("      type(C_PTR){intent} :: {name}\n"),
        Shape::CAddress => buffer(name),
        // Statuses, weights and error codes may be constants that stand for none.
        Shape::Status if module == Module::F08 => format!("      type(MPI_Status) :: {name}\n"),
        Shape::Status => format!("      integer :: {name}(MPI_STATUS_SIZE)\n"),
        Shape::Statuses if module == Module::F08 => format!("      type(MPI_Status) :: {name}(*)\n"),
        Shape::Statuses => format!("      integer :: {name}(MPI_STATUS_SIZE, *)\n"),
        Shape::Weights | Shape::ErrorCodes => format!("      integer :: {name}(*)\n"),
        Shape::TextIn | Shape::TextOut => plain("character(len=*)", ""),
        Shape::Arguments | Shape::Texts(_) => plain("character(len=*)", "(*)"),
        Shape::ArgumentTable(count) => plain("character(len=*)", &format!("({count}, *)")),
        Shape::Procedure if module == Module::F08 => {
            format!("      procedure({}) :: {name}\n", argument.of.base)
        }
        Shape::Procedure => format!("      external :: {name}\n"),
        Shape::SmallAddresses(_) | Shape::Indices(_) => plain(&integer, "(*)"),
        Shape::Value
        | Shape::Key
        | Shape::Place
        | Shape::TextLength
        | Shape::Word
        | Shape::SmallWord
        | Shape::AttributePlace => plain(&integer, ""),
        Shape::SmallAttributePlace | Shape::Index | Shape::SmallAddress | Shape::SmallAddressPlace => {
            plain(&integer, "")
        }
        Shape::Absent => {
            panic!("{}: {name} is in no interface", function.name)
        }
    }
}

/// Any type and rank: each compiler has a directive of its own.
fn buffer(name: &str) -> String {
    format!(
        "      !GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}\n      !DIR$ IGNORE_TKR {name}\n      type(*), dimension(*) :: {name}\n"
    )
}

/// An array: the table says how long, or C writes brackets.
fn is_array(argument: &Argument) -> bool {
    argument.meaning.length.is_some() || argument.of.row.is_some()
}

fn array(argument: &Argument) -> &'static str {
    if argument.of.row.is_some() { "(3, *)" } else { "(*)" }
}

/// A statement of free form, continued where it is too long.
fn wrapped(statement: &str) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in statement.split_inclusive(", ") {
        if column + word.len() > WIDTH {
            text.push_str("&\n        ");
            column = 8;
        }
        text.push_str(word);
        column += word.len();
    }
    text + "\n"
}

const CONSTANTS_HEAD: &str = "\
! Constants of MPI for fixed and free form. Made by mpirage from its tables.
      INCLUDE 'mpif-needs-integers-of-4-bytes.h'
      INTEGER MPI_STATUS_SIZE
      PARAMETER (MPI_STATUS_SIZE=8)
      INTEGER MPI_SOURCE, MPI_TAG, MPI_ERROR
      PARAMETER (MPI_SOURCE=1, MPI_TAG=2, MPI_ERROR=3)
      INTEGER MPI_ADDRESS_KIND, MPI_OFFSET_KIND
      PARAMETER (MPI_ADDRESS_KIND=8, MPI_OFFSET_KIND=8)
      INTEGER MPI_COUNT_KIND, MPI_INTEGER_KIND
      PARAMETER (MPI_COUNT_KIND=8, MPI_INTEGER_KIND=4)
      LOGICAL MPI_SUBARRAYS_SUPPORTED
      PARAMETER (MPI_SUBARRAYS_SUPPORTED=.FALSE.)
      LOGICAL MPI_ASYNC_PROTECTS_NONBLOCKING
      PARAMETER (MPI_ASYNC_PROTECTS_NONBLOCKING=.FALSE.)
";

const SENTINELS: &str = "      INTEGER MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC
      INTEGER MPI_STATUS_IGNORE(MPI_STATUS_SIZE)
      INTEGER MPI_STATUSES_IGNORE(MPI_STATUS_SIZE, 1)
      INTEGER MPI_ERRCODES_IGNORE(1)
      INTEGER MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)
      CHARACTER*1 MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1, 1)
      COMMON /MPI_FORTRAN_BOTTOM/ MPI_BOTTOM
      COMMON /MPI_FORTRAN_IN_PLACE/ MPI_IN_PLACE
      COMMON /MPI_FORTRAN_BUFFER_AUTOMATIC/ MPI_BUFFER_AUTOMATIC
      COMMON /MPI_FORTRAN_STATUS_IGNORE/ MPI_STATUS_IGNORE
      COMMON /MPI_FORTRAN_STATUSES_IGNORE/ MPI_STATUSES_IGNORE
      COMMON /MPI_FORTRAN_ERRCODES_IGNORE/ MPI_ERRCODES_IGNORE
      COMMON /MPI_FORTRAN_UNWEIGHTED/ MPI_UNWEIGHTED
      COMMON /MPI_FORTRAN_WEIGHTS_EMPTY/ MPI_WEIGHTS_EMPTY
      COMMON /MPI_FORTRAN_ARGV_NULL/ MPI_ARGV_NULL
      COMMON /MPI_FORTRAN_ARGVS_NULL/ MPI_ARGVS_NULL
      EXTERNAL MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, MPI_DUP_FN
      EXTERNAL MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN
      EXTERNAL MPI_COMM_DUP_FN
      EXTERNAL MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN
      EXTERNAL MPI_TYPE_DUP_FN
      EXTERNAL MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN
      EXTERNAL MPI_WIN_DUP_FN
      EXTERNAL MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL_C
";

/// Refuses longer integers. Compilers do not show the lines of a header, but its name.
pub const INTEGER_CHECK: &str = "\
! An error in the next line says that default integers have 8 bytes
! (-fdefault-integer-8, -i8). Those of MPI have 4: compile without that
! flag, or use the modules and declare arguments of MPI as INTEGER(4).
      INTEGER(KIND=12-2*KIND(0)) MPI_DEFAULT_INTEGER_BYTES
      PARAMETER (MPI_DEFAULT_INTEGER_BYTES=4)
";

/// `mpif.h`: the constants, and what has a type of its own.
pub const MPIF: &str = "\
! MPI for Fortran 77, in fixed and free form. Made by mpirage from its tables.
      INCLUDE 'mpif-constants.h'
! Not DOUBLE PRECISION: -fdefault-real-8 makes that 16 bytes long.
      REAL(KIND=8) MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
      EXTERNAL MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
      INTEGER(KIND=8) MPI_AINT_ADD, MPI_AINT_DIFF
      EXTERNAL MPI_AINT_ADD, MPI_AINT_DIFF
";

const MPI_HEAD: &str = "\
! The module mpi. Made by mpirage from its tables.
module mpi
  implicit none
  include 'mpif-constants.h'

  interface
    subroutine MPI_F_sync_reg(buf)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
    end subroutine
  end interface

";

const F08_HEAD: &str = "\
! The module mpi_f08. Made by mpirage from its tables.
module mpi_f08
  use, intrinsic :: iso_c_binding, only: C_PTR
  implicit none

  integer, parameter :: MPI_STATUS_SIZE = 8, MPI_SOURCE = 1, MPI_TAG = 2, MPI_ERROR = 3
  integer, parameter :: MPI_ADDRESS_KIND = 8, MPI_OFFSET_KIND = 8, MPI_COUNT_KIND = 8, MPI_INTEGER_KIND = 4
  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true., MPI_ASYNC_PROTECTS_NONBLOCKING = .false.

  type, bind(C) :: MPI_Comm
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Datatype
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Errhandler
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_File
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Group
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Info
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Message
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Op
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Request
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Session
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Win
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Status
    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR
    integer :: MPI_internal(5)
  end type

";

const F08_SENTINELS: &str = "
  integer :: MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC
  type(MPI_Status) :: MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE(1)
  integer :: MPI_ERRCODES_IGNORE(1), MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)
  character(len=1) :: MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1, 1)
  common /mpi_fortran_bottom/ MPI_BOTTOM
  common /mpi_fortran_in_place/ MPI_IN_PLACE
  common /mpi_fortran_buffer_automatic/ MPI_BUFFER_AUTOMATIC
  common /mpi_fortran_status_ignore/ MPI_STATUS_IGNORE
  common /mpi_fortran_statuses_ignore/ MPI_STATUSES_IGNORE
  common /mpi_fortran_errcodes_ignore/ MPI_ERRCODES_IGNORE
  common /mpi_fortran_unweighted/ MPI_UNWEIGHTED
  common /mpi_fortran_weights_empty/ MPI_WEIGHTS_EMPTY
  common /mpi_fortran_argv_null/ MPI_ARGV_NULL
  common /mpi_fortran_argvs_null/ MPI_ARGVS_NULL

";

const F08_PROCEDURES: &str = include_str!("procedures.f90");
