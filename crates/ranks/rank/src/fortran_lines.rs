//! Lines of the first statements of Fortran's program units.
//!
//! gfortran's debug information gives the first executable statement of a program unit the line of the unit's own statement
//! (`program solver`). The source tells where the first call of MPI behind it is.

use std::fs;

/// How names of Fortran sources end, in lower case.
const ENDINGS: [&str; 9] = [".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08", ".f18"];
/// How the statements of program units begin, or what stands in them behind prefixes such as `recursive`.
const UNITS: [&str; 3] = ["program", "subroutine", "function"];

/// The line of a call of MPI for which the debug information names this line. The same line if the source is not there, or the line is no
/// statement of a program unit.
pub(crate) fn of_mpi_call(file: &str, line: u32) -> u32 {
    let name = file.to_ascii_lowercase();
    if !ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        return line;
    }
    fs::read(file).map_or(line, |bytes| first_call(&String::from_utf8_lossy(&bytes), line).unwrap_or(line))
}

/// The first line behind the statement of a program unit in which MPI is called.
fn first_call(source: &str, unit: u32) -> Option<u32> {
    let mut lines = source.lines().zip(1..).skip_while(|(_, number)| *number < unit);
    let (statement, _) = lines.next()?;
    is_unit(statement).then(|| lines.find(|(text, _)| calls_mpi(text)).map(|(_, number)| number))?
}

fn is_unit(statement: &str) -> bool {
    let statement = code(statement).to_ascii_lowercase();
    let mut words = statement.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.any(|word| UNITS.contains(&word))
}

/// Is there a name of MPI with arguments? Constants in declarations have none.
fn calls_mpi(line: &str) -> bool {
    let line = code(line).to_ascii_lowercase();
    line.match_indices("mpi_").any(|(at, _)| {
        let name_ends = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
        line[at..].trim_start_matches(|letter| !name_ends(letter)).trim_start().starts_with('(')
    })
}

/// A line without its comment.
fn code(line: &str) -> &str {
    let is_comment = line.starts_with(['c', 'C', '*']) && !line.to_ascii_lowercase().starts_with("call ");
    if is_comment { "" } else { line.split('!').next().unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: &str = "program p\n  use mpi\n  ! call MPI_Init(never)\n  integer :: s(MPI_STATUS_SIZE), ierr\n  \
                        integer(kind=MPI_OFFSET_KIND) :: at\n  call MPI_Init (ierr)\n  call MPI_Finalize(ierr)\nend program\n";

    #[test]
    fn the_first_call_behind_a_unit_is_found() {
        assert_eq!(first_call(FREE, 1), Some(6));
        let fixed = "      SUBROUTINE S(N)\nC     CALL MPI_INIT(X)\n      INCLUDE 'mpif.h'\n      CALL MPI_INIT(IERR)\n";
        assert_eq!(first_call(fixed, 1), Some(4));
    }

    #[test]
    fn other_lines_stay() {
        assert_eq!(first_call(FREE, 7), None);
        assert_eq!(first_call(FREE, 99), None);
        assert_eq!(of_mpi_call("solver.c", 3), 3);
        assert_eq!(of_mpi_call("/no/such/solver.f90", 3), 3);
    }
}
