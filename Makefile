# Every target sets up .venv first. pip and cargo use the index or mirror that this machine is configured for.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUST := 1.88
comma := ,
RUST_SOURCES := Cargo.toml $(shell find crates -name '*.rs' -o -name Cargo.toml)

# Tests start wirespeed hundreds of times: compiled modules are kept, also where the environment says otherwise.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: all demo test test-slow test-random lab lint format docs bench fuzz wheelhouse clean

all: $(VENV)/.built

$(VENV)/.tools:
	@command -v $(PYTHON) >/dev/null || { echo "missing: $(PYTHON) (Debian and Ubuntu: apt install python3 python3-venv)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "too old: $$($(PYTHON) --version); wirespeed needs Python 3.11 or later" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' || { echo "missing: the venv module (Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; }
	@command -v cargo >/dev/null || { echo "missing: cargo (rustup; or the distribution's, where it is $(RUST) or later: apt install cargo)" >&2; exit 1; }
	@cargo --version | $(PYTHON) -c 'import re, sys; t = sys.stdin.read(); v = re.search(r"(\d+)\.(\d+)", t); sys.exit(not v or tuple(map(int, v.groups())) < ($(subst .,$(comma),$(RUST))))' || { echo "too old: $$(cargo --version 2>&1); wirespeed needs Rust $(RUST) or later (rustup brings it where the distribution's is older)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.tools pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt maturin
	$(BIN)/python -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; print("\n".join(p["dependencies"] + p["optional-dependencies"]["dev"]))' > $(VENV)/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --requirement $(VENV)/requirements.txt
	@touch $@

$(VENV)/.built: $(VENV)/.installed $(RUST_SOURCES)
	VIRTUAL_ENV=$(abspath $(VENV)) PIP_CONSTRAINT=$(abspath constraints.txt) $(BIN)/maturin develop --release --quiet > $(VENV)/build.log 2>&1 || { cat $(VENV)/build.log; exit 1; }
	@touch $@

# One more than there are cores, since tests also wait for programs.
WORKERS = $(shell expr $$(nproc) + 1)
# Tests write many small files. They are kept in memory where 4 GiB of it are free and programs may run there.
MEMORY = $(shell grep -s ' /dev/shm tmpfs ' /proc/mounts | grep -qv noexec && df -k --output=avail /dev/shm | awk 'NR == 2 && $$1 > 4194304 { print "/dev/shm" }')
test test-slow test-random lab: export TMPDIR := $(or $(TMPDIR),$(MEMORY),/tmp)

test: $(VENV)/.built
	cargo test --release --quiet --workspace
	$(BIN)/python -m pytest -n $(WORKERS)

# Tests of rare combinations that take seconds each; make test leaves them out. The longest run first.
SLOW = $(sort $(shell grep --recursive --files-with-matches --include='test_*.py' 'mark\.slow' tests))
SLOW_FIRST = tests/examples/test_readme_commands.py
test-slow: $(VENV)/.built
	$(BIN)/python -m pytest -m slow -n $(WORKERS) --dist worksteal $(filter $(SLOW_FIRST),$(SLOW)) $(filter-out $(SLOW_FIRST),$(SLOW))

# 100 random clusters: planned, rendered, checked, and read by netplan, NetworkManager, systemd, ShellCheck, Ansible, FRR and yanglint.
test-random: $(VENV)/.built
	$(BIN)/python -m pytest -m random -rs -n auto tests/random_clusters

# Tests with network namespaces, virtual machines and daemons: need root and Linux. Skipped tests are listed at the end with
# the missing tool. The tests of a file share a lab and run on one worker; files with virtual machines take longest and run
# first.
LAB = $(sort $(shell grep --recursive --files-with-matches --include='test_*.py' 'mark\.lab' tests))
LAB_FIRST = tests/lab/rdma/test_machines.py tests/lab/test_page.py
lab: $(VENV)/.built
	$(BIN)/python -m pytest -m lab -rs -n auto --dist loadfile --no-loadscope-reorder $(filter $(LAB_FIRST),$(LAB)) $(filter-out $(LAB_FIRST),$(LAB))

# Modules that a macro declares, which cargo fmt does not find.
FORMATTED = $(wildcard crates/sim/src/congestion/*.rs)
lint: $(VENV)/.built
	cargo fmt --all --check -- $(FORMATTED)
	cargo clippy --release --quiet --workspace --all-targets -- -D warnings
	$(BIN)/ruff format --check --quiet python tests examples tools docs fuzz
	$(BIN)/ruff check --quiet python tests examples tools docs fuzz
	$(BIN)/mypy
	$(BIN)/python tools/commit_subjects.py
	$(BIN)/lint-imports --no-cache > $(VENV)/imports.log || { cat $(VENV)/imports.log; exit 1; }

format: $(VENV)/.built
	cargo fmt --all -- $(FORMATTED)
	$(BIN)/ruff format --quiet python tests examples tools docs fuzz
	$(BIN)/ruff check --quiet --fix python tests examples tools docs fuzz

docs: $(VENV)/.built
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/command_output.py

# Measure what users wait for, on this machine; CI does not use the figures. Parts of the simulator:
# cargo bench -p wirespeed-bench
bench: $(VENV)/.built
	cargo run --release --quiet --package wirespeed-bench --bin sim-bench
	cargo run --release --quiet --package wirespeed-bench --bin sim-bench -- --large --threads 2 --repeat 2 S3
	$(BIN)/python tests/bench/help.py
	$(BIN)/python tests/bench/render.py
	$(BIN)/python tests/bench/logs.py
	$(BIN)/python tests/bench/store.py

# Fuzz every codec and reader, or the targets named in TARGET, for FUZZ_SECONDS each (fuzz/README.md). Linux, needs a C++ compiler.
FUZZ_SECONDS ?= 60
fuzz: $(VENV)/.built
	@$(BIN)/python -c 'import atheris' 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt atheris
	nice -n 19 $(BIN)/python fuzz/run.py --seconds $(FUZZ_SECONDS) $(TARGET)

# All wheels of an installation in build/wheelhouse, for a machine without a network. WHEELHOUSE_PYTHON=3.12 for another Python.
wheelhouse: $(VENV)/.built
	$(BIN)/python tools/wheelhouse.py $(if $(WHEELHOUSE_PYTHON),--python $(WHEELHOUSE_PYTHON)) build/wheelhouse

demo: $(VENV)/.built
	@examples/mi300x-4node/demo.sh

clean:
	rm -rf $(VENV) target build python/wirespeed/*.so
