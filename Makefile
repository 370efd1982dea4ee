# A thin door to tools/setup and the CMake presets. `make help` lists the targets.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

# Rooms' own programs; everything else that ctest knows starts muster itself.
QUICK = ^(unit_|property|golden|sim|rooms)
CTEST = ctest --output-on-failure

.PHONY: help build demo test test-quick sanitize bench fuzz sim format lint clean install \
        configure-tests

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

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
	cmake --preset release -D MUSTER_TESTS=ON

test: configure-tests ## every test, then those of the rooms under sanitizers
	cmake --build build
	$(CTEST) --test-dir build
	@$(MAKE) --no-print-directory sanitize

test-quick: configure-tests ## the rooms' tests only: seconds
	cmake --build build
	$(CTEST) --test-dir build -R '$(QUICK)'

sanitize: ## the rooms' tests with AddressSanitizer and UBSan
	tools/setup build test
	cmake --preset sanitize
	cmake --build build-sanitize
	$(CTEST) --test-dir build-sanitize -R '$(QUICK)'

sim: configure-tests ## head and agents in simulation, with faults from seeds
	cmake --build build --target sim
	$(CTEST) --test-dir build -R '^sim'

bench: ## one table of ratios against the peers on PATH; never part of the tests
	tools/setup build
	cmake --preset release -D MUSTER_BENCH=ON
	cmake --build build
	bench/run

fuzz: ## each fuzz target for FUZZ_SECONDS
	tools/setup build fuzz
	cmake --preset fuzz
	cmake --build build-fuzz
	@set -e; for target in build-fuzz/tests/fuzz/fuzz_*; do \
	  [ -x "$$target" ] && [ -f "$$target" ] || continue; \
	  echo "$$target"; "$$target" -max_total_time=$(FUZZ_SECONDS); \
	done

format: ## lay out the sources with clang-format
	tools/setup lint
	find src tests bench -name '*.[ch]pp' -exec clang-format -i {} +

lint: configure-tests ## complain about layout (clang-format) and about code (clang-tidy)
	tools/setup lint
	find src tests bench -name '*.[ch]pp' -exec clang-format --dry-run --Werror {} +
	cmake --build build --target wire_proto
	run-clang-tidy -quiet -p build '/src/(?!third_party)[a-z]+/'

install: build ## PREFIX/bin/muster; PREFIX is /usr/local
	install -D -m 755 build/muster '$(DESTDIR)$(PREFIX)/bin/muster'

clean: ## remove what was built
	rm -rf build build-sanitize build-fuzz
