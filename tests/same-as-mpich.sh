#!/bin/sh
# Same answers as a real MPI: compares what the programs of tests/programs/list.toml print. See --help.
exec python3 "$(dirname "$0")/same_as_mpich.py" "$@"
