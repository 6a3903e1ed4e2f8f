# One list of commands.  PYTHON is the environment's Python; `make dev` makes it.
PYTHON ?= .venv/bin/python
BIN = $(dir $(PYTHON))
C_FILES = $(wildcard csrc/*.c csrc/*.h)
SHELL_FILES = scripts/*.sh .ci/run

.DEFAULT_GOAL := help
.PHONY: help dev build test test-py lint sanitize format bench samples wheel clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

dev:  ## Make .venv with the checkout in place and every tool for work on it
	sh -c '. scripts/setup.sh && install_system_packages && make_environment && \
		pip_install --editable ".[test,lint]" build'

build:  ## Compile the kernels again, in place
	$(PYTHON) -m pip install --quiet --editable .

test:  ## Run the whole test suite
	$(PYTHON) -m pytest

test-py:  ## Run the kernel tests on the Python reference alone
	FASTOCR_KERNELS=python $(PYTHON) -m pytest tests/kernels

lint:  ## Check style, types, C and shell; changes nothing
	$(BIN)ruff check .
	$(BIN)ruff format --check .
	$(BIN)mypy
	PATH="$(BIN):$$PATH" cython-lint fastocr
	$(BIN)clang-format --dry-run --Werror $(C_FILES)
	$(BIN)shellcheck -x $(SHELL_FILES)

sanitize:  ## Run the kernel tests under AddressSanitizer and UndefinedBehaviorSanitizer (GCC)
	PYTHON=$(PYTHON) sh scripts/sanitize.sh

format:  ## Bring Python and C into shape
	$(BIN)ruff check --fix .
	$(BIN)ruff format .
	$(BIN)clang-format -i $(C_FILES)

bench:  ## Measure the kernels and the stages
	$(PYTHON) -m pytest bench

samples:  ## Draw docs/samples again
	$(PYTHON) tools/draw_samples.py

wheel:  ## Build sdist and wheel into dist/
	$(PYTHON) -m build

clean:  ## Remove what builds and tools left behind
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks
	find fastocr \( -name '*.so' -o -name '*.pyd' -o -name '__pycache__' \) -prune -exec rm -rf {} +
