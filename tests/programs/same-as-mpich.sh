#!/bin/sh
# Compares the output of the programs of tests/programs/list.toml with that of a real MPI. See --help.
exec python3 "$(dirname "$0")/same_as_mpich.py" "$@"
