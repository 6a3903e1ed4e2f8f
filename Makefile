# One list of commands.  As in scripts/: VENV is the environment's folder, and PYTHON, where it is set, the Python from
# which `make dev` makes it.
VENV ?= .venv
BIN = $(VENV)/bin
C_FILES = $(wildcard csrc/*.c csrc/*.h)
SHELL_FILES = scripts/*.sh fastocr/bundle/files/*.sh .ci/run

.DEFAULT_GOAL := help
.PHONY: help dev build test test-py lint sanitize format bench samples wheel clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

dev:  ## Make .venv with the checkout in place and every tool for work on it
	VENV=$(VENV) sh -c '. scripts/setup.sh && install_system_packages && make_environment && \
		pip_install --editable ".[test,lint]" build'

build:  ## Compile the kernels again, in place
	$(BIN)/python -m pip install --quiet --editable .

test:  ## Run the whole test suite
	$(BIN)/python -m pytest

test-py:  ## Run the kernel tests on the Python reference alone
	FASTOCR_KERNELS=python $(BIN)/python -m pytest tests/kernels

lint:  ## Check style, types, C, shell and deploy/; changes nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PATH="$(BIN):$$PATH" cython-lint fastocr
	$(BIN)/clang-format --dry-run --Werror $(C_FILES)
	$(BIN)/shellcheck -x $(SHELL_FILES)
	$(BIN)/hadolint deploy/Dockerfile
	$(BIN)/kubernetes-validate --strict --quiet deploy/kubernetes.yaml

sanitize:  ## Run the kernel tests under AddressSanitizer and UndefinedBehaviorSanitizer (GCC)
	VENV=$(VENV) sh scripts/sanitize.sh

format:  ## Bring Python and C into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(C_FILES)

bench:  ## Measure the kernels and the stages
	$(BIN)/python -m pytest bench

samples:  ## Draw docs/samples again
	$(BIN)/python tools/draw_samples.py

wheel:  ## Build sdist and wheel into dist/
	$(BIN)/python -m build

clean:  ## Remove what builds and tools left behind
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks
	find fastocr \( -name '*.so' -o -name '*.pyd' -o -name '__pycache__' \) -prune -exec rm -rf {} +
