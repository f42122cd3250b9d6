# mpirage: everything a fresh machine needs is installed by what is called here.

PREFIX  ?= /usr/local
CARGO   ?= cargo
BUILD   := target/release
MPIRAGE := $(BUILD)/mpirage
NAMES   := mpicc mpicxx mpic++ mpif77 mpif90 mpifort mpiexec mpirun

.PHONY: all build demo test bench fuzz install clean lint docs

all: build

build:
	$(CARGO) build --release --quiet -p mpirage-cli -p mpirage-abi -p mpirage-malloc
	@mkdir -p $(BUILD)/bin
	@for name in mpirage $(NAMES); do ln -sf ../mpirage $(BUILD)/bin/$$name; done

# Compiles a bundled MPI program, simulates it on a bundled cluster, shows the result.
demo: build
	$(MPIRAGE) demo

# Everything that is tested: units and properties, programs against recorded outputs of MPICH, faults, wrappers.
test: build
	tests/run

# Speed and exactness beside SimGrid, which is installed if need be.
bench: build
	tests/bench

# Readers of traces, and the engine, with bytes that nobody would write: FUZZ seconds each.
FUZZ ?= 60
fuzz:
	tests/fuzz $(FUZZ)

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --all-targets --quiet -- -D warnings
	crates/report/page/join.py --check

install: build
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/mpirage $(DESTDIR)$(PREFIX)/include/mpirage/smpi $(DESTDIR)$(PREFIX)/share/mpirage/examples $(DESTDIR)$(PREFIX)/share/mpirage/platforms
	install -m 755 $(MPIRAGE) $(DESTDIR)$(PREFIX)/bin/mpirage
	@for name in $(NAMES); do ln -sf mpirage $(DESTDIR)$(PREFIX)/bin/$$name; done
	install -m 644 $(BUILD)/libmpi_abi.so $(DESTDIR)$(PREFIX)/lib/mpirage/libmpi_abi.so.1
	ln -sf libmpi_abi.so.1 $(DESTDIR)$(PREFIX)/lib/mpirage/libmpi_abi.so
	install -m 644 $(BUILD)/libmpirage_malloc.so $(DESTDIR)$(PREFIX)/lib/mpirage/libmpirage_malloc.so
	install -m 644 crates/abi/include/mpi.h crates/abi/include/program.S $(DESTDIR)$(PREFIX)/include/mpirage
	install -m 644 crates/abi/include/smpi/smpi.h $(DESTDIR)$(PREFIX)/include/mpirage/smpi/smpi.h
	install -m 644 examples/*.c $(DESTDIR)$(PREFIX)/share/mpirage/examples
	install -m 644 platforms/* $(DESTDIR)$(PREFIX)/share/mpirage/platforms

clean:
	$(CARGO) clean
