# A thin door to tools/setup and the CMake presets. `make help` lists the targets.
PREFIX ?= /usr/local
# Where Debian's python3 looks, for a PREFIX of /usr/local and of /usr.
PYTHON_FOLDER ?= $(PREFIX)/lib/python$(shell /usr/bin/python3 -c \
                   'import sys; print("%d.%d" % sys.version_info[:2])')/dist-packages
FUZZ_SECONDS ?= 60
SIM_RUNS ?= 20000
TALK_SECONDS ?= 3600

# Rooms' own programs; everything else that ctest knows starts muster itself.
QUICK = ^(unit_|property|golden|sim|rooms|talk)
CTEST = ctest --output-on-failure

# Tests that mostly wait, for batch systems, containers and snapshots, and the one of the house rules,
# which does not: two at a time.
PAIRED = ^(tidy|e2e_(slurm|grid_engine|containers|conda|images|seeds|travel|examples|gc_hosts))

# KUBERNETES=later leaves the tests on a cluster to `make test-kubernetes`.
LATER = $(if $(filter later,$(KUBERNETES)),|^e2e_kubernetes)

.PHONY: help build image demo test test-quick sanitize bench fuzz sim format lint analyze clean install talk \
        kubernetes test-kubernetes configure-tests

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 17

build: ## build/muster; installs what is missing with apt-get
	tools/setup build
	@[ -f build/build.ninja ] || cmake --preset release -D MUSTER_TESTS=OFF -D MUSTER_BENCH=OFF
	cmake --build build --target muster

demo: ## train on Fashion-MNIST: 4 ranks on 2 nodes of this machine
	tools/setup build demo
	@$(MAKE) --no-print-directory build
	build/muster run --fake-nodes 2 -n 4 /usr/bin/python3 examples/train.py

configure-tests:
	tools/setup build demo test
	cmake --preset release

test: configure-tests ## every test, those of the rooms under sanitizers, and the linters
	cmake --build build --target muster spawn_loop
	$(CTEST) --test-dir build -E '$(QUICK)|$(PAIRED)$(LATER)'
	$(CTEST) -j 2 --test-dir build -R '$(PAIRED)'
	@$(MAKE) --no-print-directory sanitize
	@$(MAKE) --no-print-directory lint
	@tools/kubernetes --where >/dev/null 2>&1 || [ -n '$(LATER)' ] || \
	  echo 'make test: NOT TESTED: Kubernetes, whose servers are not here; run: make kubernetes'

kubernetes: ## Kubernetes' servers for the tests, built from Debian's source once; 8 minutes
	tools/setup kubernetes
	@tools/kubernetes

test-kubernetes: kubernetes configure-tests ## the tests on a real Kubernetes cluster
	cmake --build build --target muster
	$(CTEST) -j 2 --test-dir build -R '^e2e_kubernetes'

test-quick: configure-tests ## the rooms' tests only: seconds
	cmake --build build
	$(CTEST) --test-dir build -R '$(QUICK)'

sanitize: ## the rooms' tests with AddressSanitizer and UBSan
	tools/setup build test
	cmake --preset sanitize
	cmake --build build-sanitize
	MUSTER_TALK_SECONDS=60 $(CTEST) -j 2 --test-dir build-sanitize -R '$(QUICK)'

talk: ## heads and agents under sanitizers, with peers that say anything, for TALK_SECONDS
	tools/setup build test
	cmake --preset sanitize
	cmake --build build-sanitize --target talk
	MUSTER_TALK_SECONDS=$(TALK_SECONDS) build-sanitize/tests/talk

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
	tools/setup build fuzz
	cmake --preset fuzz
	cmake --build build-fuzz
	@set -e; for source in tests/fuzz/*_fuzz.cpp; do \
	  name=$$(basename "$$source" .cpp); mkdir -p "build-fuzz/corpus/$$name"; echo "$$name"; \
	  "build-fuzz/tests/fuzz/$$name" -max_total_time=$(FUZZ_SECONDS) \
	    "build-fuzz/corpus/$$name" $$(find tests/fuzz/corpus -name "$$name"); \
	done

format: ## lay out the sources with clang-format
	tools/setup lint
	find src tests bench -name '*.[ch]pp' -exec clang-format -i {} +

lint: configure-tests ## complain about layout (clang-format) and about code (clang-tidy)
	tools/setup lint
	find src tests bench -name '*.[ch]pp' -exec clang-format --dry-run --Werror {} +
	cmake --build build --target wire_proto
	tools/clang_tidy.py build '-clang-analyzer-*'

analyze: configure-tests ## clang's analyzer: every path through every function; 15 minutes
	tools/setup lint
	cmake --build build --target wire_proto
	tools/clang_tidy.py build '-*,clang-analyzer-*,-clang-analyzer-optin.performance.Padding'

image: build ## build/muster-image.tar: a container image with muster alone, for pods
	tools/image

install: build ## PREFIX/bin/muster and the Python package; PREFIX is /usr/local
	install -D -m 755 build/muster '$(DESTDIR)$(PREFIX)/bin/muster'
	install -d '$(DESTDIR)$(PYTHON_FOLDER)/muster'
	install -m 644 python/muster/*.py python/muster/py.typed '$(DESTDIR)$(PYTHON_FOLDER)/muster'

clean: ## remove what was built
	rm -rf build build-sanitize build-fuzz
