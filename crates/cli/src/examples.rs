//! Examples shown at the end of help texts. `tests/command/test_command_line.py` runs them.

/// `mpirage --help`.
pub const ALL: &str = "\
Examples:
  mpirage demo
  mpirage cc -O2 ring.c -o ring
  mpirage run -n 64 -p cluster:64 ./ring
  mpirage run -n 64 --report ring.html ./ring";

/// `mpirage demo --help`.
pub const DEMO: &str = "\
Examples:
  mpirage demo
  mpirage demo -n 64";

/// `mpicc --help` is the compiler's; `mpirage cc --help` shows this.
pub const CC: &str = "\
Examples:
  mpirage cc -O2 ring.c -o ring
  mpirage cc -show";

/// `mpirage help cxx`.
pub const CXX: &str = "\
Examples:
  mpirage cxx -O2 sieve.cpp -o sieve
  mpirage cxx -show";

/// `mpirage help fc`.
pub const FC: &str = "\
Examples:
  mpirage fc -O2 pi.f90 -o pi
  mpirage fc -show";

/// `mpirage run --help`.
pub const RUN: &str = "\
Examples:
  mpirage run -n 16 ./ring                  # on 16 nodes
  mpirage run -n 16 -p griffon --ppn 1 ./ring  # on a cluster of Grid'5000
  mpirage run -n 16 --compute none ./ring   # communication only
  mpirage run -n 16 --report ring.html ./ring   # a page for the browser
  mpirage run -n 16 --trace ring.mpirage ./ring # a trace for `mpirage replay`
  mpirage run -n 16 -q --json=ring.json ./ring  # figures for a script
  mpirage run -n 1 ./ring : -n 3 ./ring         # two programs in one world";

/// `mpirage jobs --help`.
pub const JOBS: &str = "\
Examples:
  mpirage jobs -p torus:4x4 jobs.toml                # what does each job lose?
  mpirage jobs -p torus:4x4 --report pages jobs.toml   # a page for each job
  mpirage jobs -p torus:4x4 --only ring jobs.toml    # one of them, alone";

/// `mpirage emulate --help`.
pub const EMULATE: &str = "\
Examples:
  mpirage emulate -n 2 --time-factor 8 ./ring        # eight times slower
  mpirage emulate -n 2 --max-behind 10ms ./ring      # finds the smallest factor
  mpirage emulate -n 2 --time-factor dynamic ./ring  # follows the load";

/// `mpirage check --help`.
pub const CHECK: &str = "\
Examples:
  mpirage check -n 4 ./ring  # exit code 88 if it finds any
  mpirage check -n 4 --explore 100 --orders 10 ./ring  # tries more
  mpirage check -n 4 --format sarif -o ring.sarif ./ring  # for a code host";

/// `mpirage replay --help`.
pub const REPLAY: &str = "\
Examples:
  mpirage replay ring.mpirage -p fat-tree:4x4
  mpirage replay ring.mpirage --model simgrid --report ring.html
  mpirage replay gen:allreduce,ranks=1024,bytes=8";

/// `mpirage trace --help`.
pub const TRACE: &str = "\
Examples:
  mpirage trace info ring.mpirage
  mpirage trace convert ring.mpirage ring.ti";

/// `mpirage trace convert --help`.
pub const TRACE_CONVERT: &str = "\
Examples:
  mpirage trace convert ring.mpirage ring.ti
  mpirage trace convert gen:halo2d,ranks=64 halo.mpirage";

/// `mpirage trace aggregate --help`.
pub const TRACE_AGGREGATE: &str = "\
Examples:
  mpirage trace convert gen:halo2d,ranks=64,periodic=no fine.mpirage
  mpirage trace aggregate --grid 8x8 --to 2x4 fine.mpirage coarse.mpirage";

/// `mpirage trace info --help`.
pub const TRACE_INFO: &str = "\
Examples:
  mpirage trace info ring.mpirage
  mpirage trace info --json gen:halo2d,ranks=64";

/// `mpirage help gdb`.
pub const GDB: &str = "\
Examples:
  mpirage gdb -n 4 ./ring";

/// `mpirage report --help`.
pub const REPORT: &str = "\
Examples:
  mpirage report ring.mpirage -o ring.html
  mpirage report ring.mpirage -p torus:4x4 -o torus.html
  mpirage report ring.html torus.html -o both.html";

/// `mpirage tune --help`.
pub const TUNE: &str = "\
Examples:
  mpirage tune allreduce,bcast -p fat-tree:4x4 -n 16
  mpirage tune alltoall -n 8 --sizes 1KiB..1MiB --plot times.svg
  mpirage tune bcast -n 8 -q -o tuned.rules --force   # for `run --coll`
  mpirage tune gen:allreduce,ranks=16,bytes=8         # the calls of a trace
  mpirage cc -O2 heat1d.c -o heat1d
  mpirage tune -n 16 --compute none -- ./heat1d";

/// `mpirage balance --help`.
pub const BALANCE: &str = "\
Examples:
  mpirage cc -O2 front.c -o front -lm
  mpirage run -n 64 --compute none --trace front.mpirage -q ./front
  mpirage balance front.mpirage --on-cores 16 --report balance.html
  mpirage balance front.mpirage --on-cores 16 --every 10,20,40 --json";

/// `mpirage sweep --help`.
pub const SWEEP: &str = "\
Examples:
  mpirage cc -O2 conjugate_gradient.c -o cg -lm
  mpirage run -q -n 16 --trace cg.mpirage ./cg
  mpirage sweep networks.toml --dry-run       # list the cases
  mpirage sweep networks.toml                 # run them; again: go on
  mpirage sweep networks.toml --retry -j 2 --memory 4GiB  # failed cases again";

/// `mpirage calibrate --help`.
pub const CALIBRATE: &str = "\
Examples:
  mpirage calibrate pingpong-openmpi.csv -p testbed.toml -o mine.toml --force
  mpirage calibrate pingpong-openmpi.csv -p testbed.toml --report fit.html
  mpirage calibrate --node > node.c     # measures a core where it runs
  mpirage run -n 2 -p testbed.toml --model mine.toml ./ring";

/// `mpirage compare --help`.
pub const COMPARE: &str = "\
Examples:
  mpirage compare pingpong-mpich.csv pingpong-openmpi.csv
  mpirage compare pingpong-mpich.csv pingpong-openmpi.csv --max-error 50";

/// `mpirage platform --help`.
pub const PLATFORM: &str = "\
Examples:
  mpirage platform check cluster.toml
  mpirage platform show griffon";

/// `mpirage platform check --help`.
pub const PLATFORM_CHECK: &str = "\
Examples:
  mpirage platform check cluster.toml
  mpirage platform check torus:4x4x4";

/// `mpirage platform show --help`.
pub const PLATFORM_SHOW: &str = "\
Examples:
  mpirage platform show griffon
  mpirage platform show fat-tree:8x16 --net hdr200
  mpirage platform show torus:100x100x100 --json
  mpirage platform show cluster.toml --model simgrid";

/// `mpirage platform import --help`.
pub const PLATFORM_IMPORT: &str = "\
Examples:
  mpirage platform import topology.conf slurm.conf --net hdr100 -o mine.toml
  mpirage platform import ibnetdiscover.txt node.xml -o mine.toml";

/// `mpirage info --help`.
pub const INFO: &str = "\
Examples:
  mpirage info platforms
  mpirage info collectives allreduce
  mpirage info collectives allreduce --show ring -n 5 --bytes 40
  mpirage info collectives bcast --show binomial -n 8 --dot > tree.dot
  mpirage info collectives --selector openmpi-4.1 -n 16";

/// `mpirage env --help`.
pub const ENV: &str = "\
Examples:
  eval \"$(mpirage env)\"                      # bash, zsh
  mpirage env --shell fish > mpirage.fish     # source it in fish
  mpirage env --module > mpirage.modulefile   # for a modules system";

/// `mpirage completions --help`.
pub const COMPLETIONS: &str = "\
Examples:
  mpirage completions bash > mpirage.bash
  mpirage completions zsh > _mpirage
  mpirage completions fish > mpirage.fish";
