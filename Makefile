# aotgui: `make run` opens the window, `make test` runs the whole suite. Both set up what they need, once.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
FILE ?= resources/examples/transformer_block.py
PYTEST_ARGS ?=
# Processes that share the tests, up to four: each may hold a gigabyte. What PYTEST_ARGS chooses runs in one.
WORKERS ?= $(if $(strip $(PYTEST_ARGS)),0,$(shell cores=$$(nproc); echo $$((cores < 4 ? cores : 4))))

# System libraries that Qt loads, as Debian packages: first what every use needs, then what a window on X needs.
QT_PACKAGES := libstdc++6 libglib2.0-0 libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 fonts-dejavu-core
X_PACKAGES := libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 \
	libxcb-shape0 libxcb-xinerama0 libxcb-xkb1 libxkbcommon-x11-0

QT := $(VENV)/lib/python3*/site-packages/PySide6/Qt
QT_FILES := $(addprefix $(QT)/lib/,libQt6Gui.so.6 libQt6Widgets.so.6 libQt6Svg.so.6) \
	$(QT)/plugins/platforms/libqoffscreen.so
X_FILES := $(QT)/plugins/platforms/libqxcb.so

# Qt's tests have processes of their own: an engine's threads collect garbage, and must find no widgets in it.
PYTEST = QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile

.PHONY: help run test lint format bench clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-7s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/.installed $(VENV)/.window-libraries ## Open the window on an example; FILE=... opens another script
	$(BIN)/python -m aotgui $(FILE)

test: $(VENV)/.test-tools $(VENV)/.libraries ## Run the whole test suite, without a screen; PYTEST_ARGS=tests/layout runs a part
	$(if $(strip $(PYTEST_ARGS)),$(PYTEST) $(PYTEST_ARGS),$(PYTEST) --ignore tests/gui && others=0 || others=$$?; \
		$(PYTEST) tests/gui && exit $$others)

lint: $(VENV)/.test-tools ## Check style, formatting, types and import directions
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict
	$(BIN)/lint-imports

format: $(VENV)/.test-tools ## Rewrite the code in its own style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(VENV)/.test-tools $(VENV)/.libraries ## Measure against the budgets
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest tests/benchmarks --benchmark-only \
		-o addopts="-ra --strict-markers --strict-config --import-mode=importlib" $(PYTEST_ARGS)

clean: ## Remove the virtual environment and all caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .benchmarks build dist

# Each stamp is written last, so that an interrupted step runs again.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "aotgui needs Python 3.11 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { $(call apt,python3-venv); }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml tests/constraints.txt
	@echo "Installing the Python packages, torch among them: minutes the first time, a moment after that."
	$(PIP) install --constraint tests/constraints.txt --editable .
	@touch $@

$(VENV)/.test-tools: $(VENV)/.installed
	$(PIP) install --constraint tests/constraints.txt --editable '.[test]'
	@touch $@

$(VENV)/.libraries: $(VENV)/.installed
	@missing=$$($(call missing,$(QT_FILES))); [ -z "$$missing" ] || { $(call apt,$(QT_PACKAGES)); }
	@touch $@

$(VENV)/.window-libraries: $(VENV)/.installed
	@missing=$$($(call missing,$(QT_FILES) $(X_FILES))); \
		[ -z "$$missing" ] || { $(call apt,$(QT_PACKAGES) $(X_PACKAGES)); }
	@touch $@

# Libraries that the files in $(1) need and the system lacks.
missing = ldd $(1) | awk '/not found/ {print $$1}' | sort -u | xargs

# Installs Debian packages as root on Debian; anybody else is told the command.
define apt
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $(1) >/dev/null; \
	else \
		echo "This system lacks $${missing:-the venv module of $(PYTHON)}." >&2; \
		echo "Install it, on Debian with: sudo apt-get install $(1)" >&2; \
		exit 1; \
	fi
endef
