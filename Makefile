PREFIX  ?= /usr/local
CARGO   ?= cargo
BUILD   := target/release
MPIRAGE := $(BUILD)/mpirage
NAMES   := mpicc mpicxx mpic++ mpif77 mpif90 mpifort mpiexec mpirun

.PHONY: all build links demo test bench validate pictures papers conformance fuzz wheel deb install uninstall clean lint deny advisories

all: build

PACKAGES := -p mpirage-cli -p mpirage-abi -p mpirage-malloc
# Libraries for Fortran and with the binary interfaces of other MPIs; the demo needs none.
FRONTS   := -p mpirage-fortran -p mpirage-front-mpich -p mpirage-front-openmpi
# Exists after a full build.
BUILT   := $(BUILD)/.mpirage-full

build:
	@echo "building mpirage and its libraries; the first build takes minutes"
	@$(CARGO) build --release $(PACKAGES) $(FRONTS)
	@touch $(BUILT)
	@$(MAKE) --no-print-directory links

# Other names of the command mpirage.
links:
	@mkdir -p $(BUILD)/bin
	@for name in mpirage $(NAMES); do ln -sf ../mpirage $(BUILD)/bin/$$name; done

# Compiles a bundled MPI program, simulates it on a bundled cluster, shows the result. The first build omits Parquet, which takes a
# third of its time; after a full build the demo keeps it.
demo:
	@echo "building mpirage; the first build takes minutes"
	@$(CARGO) build --release $(PACKAGES) $(if $(wildcard $(BUILT)),,--no-default-features)
	@$(MAKE) --no-print-directory links
	$(MPIRAGE) demo

# All tests: units and properties, then those of tests/ with pytest. Installs what they need first. `tests/run -k WORD` runs some.
test:
	@python3 tests/prepare.py
	@$(MAKE) --no-print-directory build
	tests/run

# Compares speed and results with SimGrid, which is installed if it is missing.
bench: build
	tests/bench/run

# Compares simulated times with measured ones: throughput of Linux's TCP, and Open MPI and MPICH over TCP if their measurements
# are there (tests/packet/measured.py). Writes docs/validation. Of fat nodes on fast networks it writes a table into docs/validation.md; its bounds are aims,
# not checks.
validate: build
	tests/packet/tcp.py --strict
	rm -f $(BUILD)/errors.csv
	tests/packet/network.py compare --check --model factors,no-options,flow,packet --errors $(BUILD)/errors.csv tests/packet/cabinets.csv tests/packet/networks.csv
	tests/packet/testbed.py --model smpirun,factors,no-options,ns3,flow,packet --seeds 8 --write docs/validation --errors $(BUILD)/errors.csv --check
	tests/nodes/fat_nodes.py --write docs/validation.md --errors $(BUILD)/errors.csv
	tests/ranks/steadiness/steadiness.py --errors $(BUILD)/errors.csv --write docs/trust.md
	tests/packet/trust.py $(BUILD)/errors.csv

# Makes the pictures of reports in README.md and docs/ anew (docs/plots/report-*.png).
pictures: build
	tests/views/pictures.py

# Makes the tables of the pages on five papers (docs/*-paper.md, docs/dimemas-study.md) anew and checks the papers' statements. It takes an hour of a machine that does
# nothing else; NPB=FOLDER (NPB3.3-MPI) and ONDES3D=FOLDER (with SRC and ESSAI-XML) name programs that may not live here. SMALL=1 takes a small case of each, and
# writes nothing.
PAPER_OPTIONS = $(if $(filter 1,$(SMALL)),--small,--write docs/$(1))
papers: build
	tests/papers/smpi_paper.py $(call PAPER_OPTIONS,smpi-paper.md)
	tests/papers/netsim_paper.py $(if $(NPB),--npb $(NPB)) $(call PAPER_OPTIONS,netsim-paper.md)
	tests/papers/smp_sim_paper.py $(if $(NPB),--npb $(NPB)) $(call PAPER_OPTIONS,smp-sim-paper.md)
	tests/papers/sampi_paper.py $(if $(filter 1,$(SMALL)),--small)
	$(if $(ONDES3D),tests/papers/sampi_paper.py --ondes3d $(ONDES3D) $(call PAPER_OPTIONS,sampi-paper.md),@echo "Ondes3D: left out; ONDES3D=FOLDER names the folder that has SRC and ESSAI-XML")
	tests/papers/dimemas_paper.py $(call PAPER_OPTIONS,dimemas-study.md)

# Compares the messages of collectives with those of the MPI libraries themselves, which are installed if they are missing. A few sizes and
# numbers of ranks; FULL=1 takes all thresholds and up to 64 ranks, and an hour. Runs mpi4py's tests, Debian's MPI programs, and the NAS Parallel Benchmarks if NPB=FOLDER
# says where NPB3.3-MPI or NPB3.4-MPI is.
COMMA := ,
conformance: build
	tests/conformance/openmpi.py $(if $(filter 1,$(FULL)),--full)
	tests/conformance/mpich.py $(if $(filter 1,$(FULL)),--full)
	tests/conformance/mpich.py --selection -n 4,7,8
	tests/conformance/mpi4py.py
	tests/conformance/rsmpi.py
	tests/conformance/imb.py
	$(if $(OSU),tests/conformance/osu.py $(OSU),@echo "osu.py: skipped; OSU=FOLDER names where the OSU micro-benchmarks are installed")
	tests/conformance/debian.py
	$(if $(MPICH_TESTS),tests/conformance/mpich_suite.py $(MPICH_TESTS),@echo "mpich_suite.py: skipped; MPICH_TESTS=FOLDER names test/mpi of the sources of MPICH")
	$(if $(PARALLEL_IO),tests/conformance/parallel_io.py,@echo "parallel_io.py: skipped; PARALLEL_IO=1 runs the parallel tests of HDF5 and NetCDF")
	$(if $(NPB),tests/conformance/npb.py $(NPB) --class S$(COMMA)W && tests/conformance/npb.py $(NPB) --class A --ranks 16)

# Fuzzes the trace readers and the engine, FUZZ seconds each.
FUZZ ?= 60
fuzz:
	tests/house/fuzz $(FUZZ)

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --all-targets --quiet -- -D warnings
	crates/views/report/page/join.py --check
	python3 tests/house/deny.py

# Licences, duplicate versions and sources of dependencies, by the rules of deny.toml. cargo-deny knows more rules than the script
# (`cargo install cargo-deny` takes five minutes of processor time).
deny:
	python3 tests/house/deny.py
	@if command -v cargo-deny >/dev/null; then cargo deny --all-features check bans licenses sources; fi

# Known vulnerabilities of dependencies: needs cargo-deny, and its database from GitHub (or a copy from before, with --offline).
advisories:
	cargo deny --all-features check advisories

# A package for pip with the Python module mpirage, and one for Debian; both go to target/packages.
wheel: build
	packaging/wheel $(BUILD) target/packages

deb: build
	packaging/deb $(BUILD) target/packages

install: build
	packaging/install install $(BUILD) $(PREFIX) $(DESTDIR)

# Removes the files that `make install` has installed with the same PREFIX.
uninstall:
	packaging/install uninstall $(BUILD) $(PREFIX) $(DESTDIR)

clean:
	$(CARGO) clean
