//! C programs without a simulator: a world of one rank that really works.

mod support;

use support::{Outcome, Workshop};

macro_rules! programs {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            let outcome = run(stringify!($name), include_str!(concat!("c/alone/", stringify!($name), ".c")));
            assert_eq!(outcome.code, Some(0), "{outcome:?}");
            assert_eq!(outcome.stdout, include_str!(concat!("c/alone/", stringify!($name), ".txt")), "{outcome:?}");
        }
    )*};
}

programs! { point_to_point collectives communicators errors }

#[test]
fn an_error_that_nobody_wants_ends_the_program() {
    let outcome = main("int x = 1; MPI_Init(0, 0); MPI_Send(&x, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);");
    assert_eq!(outcome.code, Some(81));
    assert_eq!(outcome.stderr, "mpirage: MPI_Send: dest is 7, but MPI_COMM_WORLD has 1 rank\n");
}

#[test]
fn calls_outside_of_mpi_are_misuse() {
    let early = main("int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);");
    assert_eq!(
        (early.code, early.stderr.as_str()),
        (Some(81), "mpirage: MPI_Comm_rank: MPI_Init has not been called yet\n")
    );
    let late = main("MPI_Init(0, 0); MPI_Finalize(); MPI_Barrier(MPI_COMM_WORLD);");
    assert_eq!(
        (late.code, late.stderr.as_str()),
        (Some(81), "mpirage: MPI_Barrier: MPI_Finalize has been called already\n")
    );
}

#[test]
fn a_receive_from_nobody_is_a_deadlock() {
    let outcome =
        main("int x; MPI_Init(0, 0); MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);");
    assert_eq!(outcome.code, Some(80));
    assert!(outcome.stderr.starts_with("mpirage: MPI_Recv would wait for ever"), "{outcome:?}");
}

#[test]
fn an_abort_has_the_programs_code() {
    assert_eq!(main("MPI_Init(0, 0); MPI_Abort(MPI_COMM_WORLD, 7);").code, Some(7));
}

fn main(body: &str) -> Outcome {
    run("main", &format!("#include <mpi.h>\nint main(void) {{ {body} return 0; }}\n"))
}

fn run(name: &str, source: &str) -> Outcome {
    Workshop::new(name).program(name, source).run()
}
