# Two commands on a fresh machine with Python 3.11 or newer: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help demo test test-torch check format docs bench lock clean

help:  ## list the commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

demo: $(VENV)/.runtime  ## synthetic CT-Bench release, built-in readers, report in demo/report
	$(BIN)/overread demo --out demo

test: $(VENV)/.dev  ## the fast test suite
	$(BIN)/pytest -n 2 --dist worksteal

test-torch: .venv-torch/.done  ## the tests that need the torch extra, in an environment of their own
	.venv-torch/bin/python -m pytest -m torch

check: $(VENV)/.dev  ## lint, types, import rules, docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports --no-cache
	$(BIN)/python tools/check_changelog.py
	$(MAKE) --no-print-directory docs

docs: $(VENV)/.dev  ## build the documentation; a broken link or a command that is gone fails
	$(BIN)/python tools/write_reference.py --check
	$(BIN)/sphinx-build -q -W -b html docs docs/_build/html

format: $(VENV)/.dev  ## put the code in shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev  ## the measurements of docs/benchmarks.md
	$(BIN)/python -m benches

lock:  ## renew the lock files from pyproject.toml (needs uv)
	uv pip compile -q --universal --generate-hashes --no-header --no-emit-index-url \
	  pyproject.toml requirements/build.in -o requirements/runtime.txt
	uv pip compile -q --universal --generate-hashes --no-header --no-emit-index-url \
	  --group dev pyproject.toml -c requirements/runtime.txt -o requirements/dev.txt

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements/runtime.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install -q --require-hashes -r requirements/runtime.txt
	$(BIN)/python -m pip install -q --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.runtime
	$(BIN)/python -m pip install -q --require-hashes -r requirements/dev.txt
	@touch $@

# torch is pinned without a hash: its CPU build differs from machine to machine.
.venv-torch/.done: requirements/torch.txt $(VENV)/.dev
	$(PYTHON) -m venv .venv-torch
	.venv-torch/bin/python -m pip install -q --require-hashes -r requirements/runtime.txt
	.venv-torch/bin/python -m pip install -q --require-hashes -r requirements/dev.txt
	.venv-torch/bin/python -m pip install -q -r requirements/torch.txt
	.venv-torch/bin/python -m pip install -q --no-deps --no-build-isolation -e .
	@touch $@

clean:  ## remove what the commands above made
	rm -rf $(VENV) .venv-torch demo docs/_build .pytest_cache .ruff_cache .hypothesis
