//! The Fortran text that `mpirage fc` compiles: its lines fit, and it has all functions.

#[path = "../build/modules.rs"]
mod modules;
#[path = "../build/parameter.rs"]
mod parameter;
#[path = "../../abi/build/table.rs"]
#[allow(dead_code)] // C needs the prototypes
mod table;

const FUNCTIONS: &str = include_str!("../../abi/functions.txt");
const CONSTANTS: &str = include_str!("../../abi/constants.txt");

fn texts() -> (String, String, String) {
    let (functions, constants) = (table::functions(FUNCTIONS), table::constants(CONSTANTS));
    (modules::constants(&constants), modules::mpi(&functions), modules::mpi_f08(&constants, &functions))
}

fn longest(text: &str) -> usize {
    text.lines().filter(|line| !line.starts_with('!')).map(str::len).max().unwrap_or(0)
}

#[test]
fn lines_fit_into_fixed_and_free_form() {
    let (constants, mpi, mpi_f08) = texts();
    let headers = [modules::MPIF, modules::INTEGER_CHECK].concat();
    assert!(longest(&constants) <= 72 && longest(&headers) <= 72, "{}", longest(&constants));
    assert!(longest(&mpi) <= 132 && longest(&mpi_f08) <= 132, "{} {}", longest(&mpi), longest(&mpi_f08));
    let starts = |line: &str| line.starts_with('!') || line.starts_with("      ");
    assert!(constants.lines().chain(headers.lines()).all(starts), "statements begin in column 7");
}

#[test]
fn both_modules_have_all_functions() {
    let (_, mpi, mpi_f08) = texts();
    let functions = table::functions(FUNCTIONS);
    for function in functions.iter().filter(|function| parameter::is_fortran(function)) {
        let name = &function.name;
        assert!(
            mpi_f08.contains(&format!("{name}_f08(")) || name.ends_with("_c"),
            "{name} is not in mpi_f08"
        );
        assert!(mpi.contains(&format!(" {name}(")) || name.ends_with("_c"), "{name} is not in mpi");
    }
}

#[test]
fn constants_have_the_values_of_c() {
    let (constants, _, mpi_f08) = texts();
    assert!(constants.contains("PARAMETER (MPI_COMM_WORLD=257)"));
    assert!(constants.contains("PARAMETER (MPI_MAX_ERROR_STRING=511)"), "Fortran counts no terminator");
    assert!(mpi_f08.contains("type(MPI_Op), parameter :: MPI_SUM = MPI_Op(33)"));
}
