# A thin door to tools/setup, CMake's presets and CTest. `make help` lists the targets.
PREFIX ?= /usr/local
# Where the Python of a virtual or conda environment looks, if PREFIX is one; else where Debian's python3 does, for a
# PREFIX of /usr/local and of /usr.
PYTHON_FOLDER ?= $(shell \
  if [ -e '$(PREFIX)/pyvenv.cfg' ] || [ -e '$(PREFIX)/conda-meta' ]; then \
    '$(PREFIX)/bin/python' -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; \
  else \
    /usr/bin/python3 -c 'import sys; print("$(PREFIX)/lib/python%d.%d/dist-packages" % sys.version_info[:2])'; \
  fi)
FUZZ_SECONDS ?= 60
SIM_RUNS ?= 20000
TALK_SECONDS ?= 3600
TALK_MESSAGES ?= 10000000

# Which tests: ROOMS="cli head" takes those about these rooms, ONLY=regex those with such a name.
ROOMS ?=
ONLY ?=
# How many tests at a time, of these no more of each kind than RESOURCES says.
JOBS ?= 6
RESOURCES ?= tests/resources.json
RUNS ?= 5
PART ?= 1/1

empty :=
ROOM_WORDS = $(subst $(empty) ,|,$(strip $(ROOMS)))
CHOSEN = $(if $(ROOMS),-L '^room_($(ROOM_WORDS))$$') $(if $(ONLY),-R '$(ONLY)')
# Nothing of a test's output is cut: tools/durations counts cases in it and shows what failed.
OUTPUTS = --test-output-size-passed 10000000 --test-output-size-failed 10000000

# $(call run_tests,GROUP|GROUP...): runs them, then tells where the time went, and last what failed.
define run_tests
@rm -f build/tests.xml
@tools/one_group ctest --test-dir build -j $(JOBS) --resource-spec-file $(abspath $(RESOURCES)) -L '^group_($(1))$$' $(CHOSEN) $(OUTPUTS) --output-junit tests.xml || true
@tools/durations build/tests.xml
endef

.PHONY: help build image demo test test-quick check check-more check-all stress sanitize bench fuzz sim \
        format lint analyze attacks clean install talk kubernetes frameworks matrix debian13 test-debian13 numa \
        configure-tests \
        demo-packages test-packages

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 17

build: ## build/muster; installs what is missing with apt-get
	tools/setup build
	@[ -f build/build.ninja ] || cmake --preset release -D MUSTER_TESTS=OFF -D MUSTER_BENCH=OFF
	cmake --build build --target muster

demo: ## train on Fashion-MNIST: 4 ranks on 2 nodes of this machine
	tools/setup build
	@$(MAKE) --no-print-directory -j 2 build demo-packages
	build/muster run --fake-nodes 2 -n 4 /usr/bin/python3 examples/train.py

# Installing takes as long as building, and another processor.
demo-packages:
	tools/setup demo

test-packages:
	tools/setup build demo test

configure-tests: test-packages
	cmake --preset release

test: configure-tests ## every test that needs only this machine and ssh hosts made on it: 10 minutes
	cmake --build build --target muster spawn_loop
	$(call run_tests,programs|rules|scripts)

test-quick: test-packages ## the rooms' tests only, of what has changed since they passed; compiled fast
	tools/setup clang
	cmake --preset quick
	cmake --build build-quick --target quick

check: test check-more ## everything: `make test`, and what check-more adds

check-more: configure-tests ## sanitizers, clang-tidy, Slurm, containers, Kubernetes, real frameworks
	tools/setup lint systems kubernetes frameworks
	cmake --build build --target muster
	$(call run_tests,sanitized|lint|slurm|grid|podman|kubernetes|frameworks)

# Each of them takes at most an hour, stress in parts: make stress PART=3/8.
check-all: check attacks matrix numa debian13 test-debian13 analyze fuzz talk sim stress ## everything that there is; hours

stress: configure-tests ## scripts RUNS times beside busy loops; ONLY=regex, PART=3/8
	cmake --build build --target muster spawn_loop
	tools/one_group tools/stress --runs '$(RUNS)' --only '$(ONLY)' --part '$(PART)'

kubernetes: ## Kubernetes' servers for the tests, built from Debian's source once; 8 minutes
	tools/setup kubernetes
	@tools/kubernetes

frameworks: ## virtual environments with real frameworks for tests, from PyPI, once
	tools/setup frameworks
	@tools/frameworks

matrix: configure-tests ## real frameworks under every front end, beside their own launchers; Horovod: 30 minutes
	tools/setup frameworks
	cmake --build build --target muster
	$(call run_tests,matrix)

debian13: configure-tests ## hosts that run Debian 13, whose root is made first: 15 minutes, later 5
	tools/setup roots
	cmake --build build --target muster
	$(call run_tests,debian13)

numa: configure-tests ## virtual machines with several NUMA nodes: 3 minutes
	tools/setup numa
	cmake --build build --target muster
	$(call run_tests,numa)

test-debian13: ## `make test` on a Debian 13 of its own, of what is committed: 40 minutes
	tools/setup roots
	@tools/debian13 >/dev/null
	tools/on_debian13 make test

sanitize: configure-tests ## the rooms' tests with AddressSanitizer and UBSan
	$(call run_tests,sanitized)

attacks: configure-tests ## scripts that attack muster, with it under sanitizers: 30 minutes
	$(call run_tests,attacks)

lint: configure-tests ## each header compiled alone, and clang-tidy
	tools/setup lint
	$(call run_tests,lint)

analyze: configure-tests ## clang's analyzer: every path through every function; 15 minutes
	tools/setup lint
	cmake --build build --target wire_proto
	tools/clang_tidy.py --analyzer build

talk: ## heads and agents under sanitizers, with peers that say anything, for TALK_SECONDS
	tools/setup build test
	cmake --preset sanitize
	cmake --build build-sanitize --target talk
	MUSTER_TALK_MESSAGES=$(TALK_MESSAGES) MUSTER_TALK_SECONDS=$(TALK_SECONDS) build-sanitize/tests/talk

sim: configure-tests ## head and agents in simulation, with faults from SIM_RUNS seeds
	cmake --build build --target sim
	MUSTER_SIM_RUNS=$(SIM_RUNS) build/tests/sim

bench: ## one table of ratios against the peers on PATH; never part of the tests
	tools/setup build test bench
	cmake --preset release
	cmake --build build --target muster spawn_loop plan_binding
	build/bench/plan_binding
	/usr/bin/python3 bench/bench.py build/muster build/bench/spawn_loop

fuzz: ## each fuzz target for FUZZ_SECONDS
	tools/setup build clang
	cmake --preset fuzz
	cmake --build build-fuzz
	@set -e; for source in tests/fuzz/*_fuzz.cpp; do \
	  name=$$(basename "$$source" .cpp); mkdir -p "build-fuzz/corpus/$$name"; echo "$$name"; \
	  "build-fuzz/tests/fuzz/$$name" -max_total_time=$(FUZZ_SECONDS) \
	    "build-fuzz/corpus/$$name" $$(find tests/fuzz/corpus -name "$$name"); \
	done

format: ## lay out the sources with clang-format
	tools/setup lint
	find src tests bench -name '*.[ch]pp' -exec clang-format-14 -i {} +

image: build ## build/muster-image.tar: a container image with muster alone, for pods
	tools/image

install: build ## PREFIX/bin/muster, its manual and the Python package; PREFIX is /usr/local, or an environment's folder
	install -D -m 755 build/muster '$(DESTDIR)$(PREFIX)/bin/muster'
	install -d '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -m 644 docs/manual/*.1 '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -d '$(DESTDIR)$(PYTHON_FOLDER)/muster'
	install -m 644 python/muster/*.py python/muster/py.typed '$(DESTDIR)$(PYTHON_FOLDER)/muster'
	install -d '$(DESTDIR)$(PYTHON_FOLDER)/muster/in_ranks/azureml'
	install -m 644 python/muster/in_ranks/azureml/__init__.py '$(DESTDIR)$(PYTHON_FOLDER)/muster/in_ranks/azureml'

clean: ## remove what was built
	rm -rf build build-quick build-sanitize build-fuzz
