# Everything starts from the lock files: a clone and Python 3.11 or newer are all that is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: setup demo run test check lint unit bench torture messages lock clean

setup: $(VENV)/.runtime  ## make .venv with what it takes to run

demo: setup  ## show the whole way of a paper in this terminal
	@$(BIN)/paperboy demo

run: setup  ## deliver for real (settings in .env)
	@$(BIN)/paperboy run

test: lint unit  ## everything that CI runs

check: lint

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(VENV)/.dev
	$(BIN)/python -m pytest -q -n auto --dist worksteal

bench: $(VENV)/.dev  ## ratios against named peers, into build/bench.json
	$(BIN)/python -m tests.bench $(BENCH)

torture: $(VENV)/.dev  ## kill -9 again and again while it sends (KILLS=20 PARTS=2000 SPLIT=)
	@$(BIN)/python -m tests.torture

messages: $(VENV)/.dev  ## bring bot/locale/zh.po up to date with the sentences in bot/
	$(BIN)/python -m bot.locale

lock: $(VENV)/.dev  ## make the lock files anew from pyproject.toml
	$(PIP_INSTALL) uv
	$(BIN)/uv pip compile pyproject.toml $(LOCK_FLAGS) -o requirements.lock
	$(BIN)/uv pip compile pyproject.toml --extra dev -c requirements.lock $(LOCK_FLAGS) -o requirements-dev.lock

LOCK_FLAGS := --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Paperboy needs Python 3.11 or newer; name one with make PYTHON=python3.12")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.lock pyproject.toml | $(VENV)/bin/python
	@echo "Installing into $(VENV) (once) ..."
	@$(PIP_INSTALL) --require-hashes -r requirements.lock
	@PYTHONWARNINGS=ignore $(PIP_INSTALL) --no-deps --no-build-isolation --no-index -e .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	@$(PIP_INSTALL) --require-hashes -r requirements-dev.lock
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info
