//! Programs that use MPI's objects on their own: datatypes, operations, infos, errors, attributes, topologies.
//!
//! Each program is alone in its world. The expected outputs are what MPICH 4.0 prints for the same program under
//! `mpiexec -n 1`, except for `external32`, where MPICH crashes on structures: there it is the standard's.

mod support;

use support::Workshop;

/// The program prints what it should and ends well.
macro_rules! programs {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[test]
        fn $name() {
            let source = include_str!(concat!("c/", stringify!($name), ".c"));
            let expected = include_str!(concat!("expected/", stringify!($name), ".txt"));
            let outcome = Workshop::new(stringify!($name)).program(stringify!($name), source).run();
            assert_eq!(outcome.stdout, expected, "{}", outcome.stderr);
            assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        }
    )*};
}

programs! {
    attributes
    errors
    external32
    infos
    old_names
    ops
    topologies
    types
    types_large
}

#[test]
fn a_mistake_is_told_with_function_and_argument() {
    let source = "#include <mpi.h>\nint main(void) { MPI_Datatype t; MPI_Init(NULL, NULL); \
                  MPI_Type_vector(-3, 1, 1, MPI_INT, &t); return 0; }\n";
    let outcome = Workshop::new("mistake").program("mistake", source).run();
    assert!(outcome.stderr.contains("MPI_Type_vector: count is -3"), "{outcome:?}");
    assert_ne!(outcome.code, Some(0));
}
