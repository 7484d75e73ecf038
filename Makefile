# Everything a person does with this repository. It needs make and Python 3.11 or newer; the rest it installs
# into .venv and node_modules, from lock files with hashes. A second start takes seconds.

.DEFAULT_GOAL := help
SHELL := /bin/sh
.SUFFIXES:

BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export NPM_CONFIG_UPDATE_NOTIFIER := false
unexport PYTHONDONTWRITEBYTECODE # or each of a hundred processes compiles all modules anew
PIP = $(BIN)/python -m pip install --quiet --require-hashes
# It takes 10 s where pip takes 60, but reads no pip.conf: where that names a mirror, pip is the second try.
UV = $(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python --require-hashes
NETWORK_HINT = { printf '%s\n' "Not all packages could be downloaded; the same command goes on where it stopped." \
	"If your network inspects TLS or needs a proxy, name its certificates and the proxy first:" \
	"  export PIP_CERT=/path/to/ca.pem SSL_CERT_FILE=/path/to/ca.pem NODE_EXTRA_CA_CERTS=/path/to/ca.pem" \
	"  export HTTPS_PROXY=http://proxy:port" >&2; exit 1; }
PYTEST = $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

# Stamps carry the content they were made from, since a fresh clone gives every file the same time.
checksum = $(shell cat $(1) 2>/dev/null | cksum | tr -d ' ')
RUN_LOCKS := requirements.txt requirements-build.txt
DEV_LOCKS := requirements-dev.txt requirements-installer.txt $(RUN_LOCKS)
ASSETS := $(sort $(shell find assets -path assets/dist -prune -o -type f -print 2>/dev/null)) \
	$(wildcard package.json package-lock.json tsconfig.json)
RUN := .venv/installed-run-$(call checksum,$(RUN_LOCKS))
DEV := .venv/installed-dev-$(call checksum,$(DEV_LOCKS))
PACKAGES := node_modules/installed-$(call checksum,package.json package-lock.json)
DIST := assets/dist/.built-$(call checksum,$(ASSETS))
WORDS := locale/.compiled-$(call checksum,$(sort $(wildcard locale/*/LC_MESSAGES/*.po)))

.PHONY: help
help: ## Show what there is
	@echo "Runyard: make <target>"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

.PHONY: run
run: $(RUN) $(DIST) $(WORDS) ## Start Runyard on http://localhost:8000 (Ctrl-C stops it); data goes to var/
	@exec $(BIN)/python manage.py serve

.PHONY: dev
dev: $(DEV) $(DIST) $(WORDS) ## Start Runyard for work on it: a change of any source is seen after reloading the page
	@exec $(BIN)/python -m config.dev_server

.PHONY: demo
demo: $(RUN) ## Fill the running server with a demo: people, teams, 200 runs; ARGS="--live 10" keeps three logging
	$(BIN)/python -m demo $(ARGS)

.PHONY: screenshots
screenshots: $(DEV) $(DIST) $(WORDS) ## Make a picture of every page in every look; ARGS="workspace --looks dark" makes one
	$(BIN)/python -m demo.screenshots $(ARGS)

.PHONY: test
test: $(DEV) $(DIST) $(WORDS) ## Run the tests (10 minutes); ARGS="runs -k heartbeat" gives pytest its arguments
	$(PYTEST) $(ARGS)

.PHONY: test-browser
test-browser: $(DEV) $(DIST) $(WORDS) ## Open every page and walk through it in a real Chromium (6 minutes)
	RUNYARD_TEST_PASS=browser $(PYTEST) $(ARGS)

.PHONY: test-all
test-all: $(DEV) $(DIST) $(WORDS) ## Run everything, for a release (hours); goes on where it was cut off, ARGS=--anew does not
	$(BIN)/python -m tests.suite.complete $(ARGS)

.PHONY: test-times
test-times: $(DEV) $(DIST) $(WORDS) ## Run the tests and say where their time goes: by area, mark, fixture and test
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
		RUNYARD_TEST_TIMES="$$folder" $(PYTEST) -p tests.suite.times $(ARGS); status=$$?; \
		$(BIN)/python -m tests.suite.times "$$folder"; exit $$status

.PHONY: test-clone
test-clone: $(DEV) ## Try what is committed as a newcomer: an empty clone with an empty home serves, takes a run, and stops
	$(BIN)/python -m tests.suite.fresh_clone

.PHONY: test-integrations
test-integrations: $(DEV) $(DIST) ## Train with each framework, also those on PyTorch that `make test` leaves out
	RUNYARD_TEST_PASS=all $(BIN)/python -m pytest $(ARGS) tests/integrations

.PHONY: test-kills
test-kills: $(DEV) $(DIST) ## Kill web, worker and packer a hundred times while runs log (20 minutes)
	RUNYARD_TEST_KILLS=100 $(BIN)/python -m pytest -s $(ARGS) tests/kills/test_kills.py tests/kills/test_packing_kills.py

.PHONY: test-gpu
test-gpu: $(DEV) ## Compare the agent's NVIDIA collector with nvidia-smi under a load; skipped aloud without a GPU
	$(BIN)/python -m pytest -m gpu $(ARGS) agent/tests/test_agent_gpu.py

.PHONY: bench
bench: $(DEV) ## Run the benchmarks; each prints a reference measured in the same run
	$(BIN)/python -m bench $(ARGS)

.PHONY: load
load: $(DEV) $(DIST) ## Let 2,000 simulated runs log for 30 minutes; ARGS="--runs 500 --minutes 2 --ramp=" is shorter
	$(BIN)/python -m bench.load $(ARGS)

.PHONY: bench-peers
bench-peers: $(DEV) $(DIST) ## Measure Runyard against its peers (an hour); ARGS="--workloads start --systems aim"
	$(BIN)/python -m bench.peers $(ARGS)

.PHONY: lint
lint: $(DEV) $(DIST) ## Check style, layers, templates, assets, types, migrations and deployment
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djlint --quiet --lint templates
	$(BIN)/lint-imports
	$(BIN)/npm run --silent check
	$(BIN)/mypy .
	@echo "manage.py makemigrations --check; deploy.migrations; manage.py check --deploy"
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && export RUNYARD_HOME="$$folder" \
		RUNYARD_URL=https://runyard.example.com && \
		$(BIN)/python manage.py makemigrations --check --dry-run && \
		$(BIN)/python -m deploy.migrations && \
		$(BIN)/python manage.py check --deploy --fail-level WARNING

.PHONY: format
format: $(DEV) $(PACKAGES) ## Let the formatters rewrite Python, templates and assets
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	-$(BIN)/djlint --quiet --reformat templates
	$(BIN)/npm run --silent format

.PHONY: types
types: $(DEV) ## Check types only
	$(BIN)/mypy .

.PHONY: schemas
schemas: $(DEV) ## Write anew what is made of code: docs/openapi.json, tables of docs/use
	$(BIN)/python manage.py write_openapi
	$(BIN)/python manage.py write_limits
	PYTHONPATH=agent $(BIN)/python -m runyard_agent metrics --json > metrics/hardware/hardware.json
	PYTHONPATH=agent $(BIN)/python -m runyard_agent metrics --markdown > docs/use/agent-metrics.md

.PHONY: messages
messages: $(DEV) ## Bring the catalogues in locale/ up to date with templates and Python; says what to translate
	$(BIN)/python -m common.catalogues messages

.PHONY: build
build: $(RUN) $(DIST) $(WORDS) ## Install the server, build the front end and the languages, and start nothing

.PHONY: install
install: $(DEV) $(DIST) $(WORDS) ## Install all that development needs, and start nothing

.PHONY: wheel
wheel: $(RUN) $(DIST) $(WORDS) ## Build the wheels of the server and the agent into dist/
	@rm -f dist/runyard-*.whl dist/runyard_agent-*.whl
	@$(BIN)/python -m hatchling build --target wheel --directory dist
	@cd agent && ../$(BIN)/python -m hatchling build --target wheel --directory ../dist

.PHONY: image
image: wheel ## Build the image with podman, docker or buildah; ARGS="--build-arg PYTHON=…" chooses another base
	@rm -rf dist/image && mkdir -p dist/image
	@cp deploy/Containerfile requirements.txt dist/runyard-*.whl dist/image
	@for engine in podman docker buildah; do command -v $$engine >/dev/null && break; done; \
		command -v $$engine >/dev/null || { echo "Building an image needs podman, docker or buildah." >&2; exit 1; }; \
		exec $$engine build $(ARGS) --tag "runyard:$$($(BIN)/python -c 'import common; print(common.VERSION)')" \
			--file dist/image/Containerfile dist/image

.PHONY: release
release: $(DEV) wheel ## Make a release in dist/release: wheels, image context, chart, SBOM, offline bundle, checksums
	@$(BIN)/python -m deploy.release $(ARGS)

.PHONY: requirements
requirements: $(DEV) ## Compile the requirement files with hashes (UPGRADE=--upgrade takes new versions)
	$(COMPILE) pyproject.toml -o requirements.txt
	$(COMPILE) -c requirements.txt pyproject.toml --group dev -o requirements-dev.txt
	$(COMPILE) -c requirements-dev.txt --group build -o requirements-build.txt
	$(COMPILE) --group installer -o requirements-installer.txt
	for file in tests/sdk/requirements-*.in; do $(COMPILE) $$file -o $${file%.in}.txt || exit 1; done
	for file in tests/integrations/requirements-*.in; do $(COMPILE) -c tests/sdk/requirements-0.31.0.txt \
		--excludes tests/integrations/torch.txt $$file -o $${file%.in}.txt || exit 1; done
	$(COMPILE) tests/fakes/requirements-localstripe.in -o tests/fakes/requirements-localstripe.txt
	$(COMPILE) tests/fakes/requirements-buckets.in -o tests/fakes/requirements-buckets.txt
	for folder in azurite clickhouse_library; do \
		$(BIN)/npm install --prefix tests/fakes/$$folder --package-lock-only --ignore-scripts --no-audit --no-fund || exit 1; done
	$(COMPILE) deploy/requirements-tools.in -o deploy/requirements-tools.txt
	for file in bench/peers/requirements-*.in; do $(COMPILE) $$file -o $${file%.in}.txt || exit 1; done

COMPILE = $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--custom-compile-command "make requirements" $(UPGRADE)

.PHONY: clean
clean: ## Remove what was installed and built; the data in var/ stays
	rm -rf .venv node_modules dist assets/dist locale/.compiled-* locale/*/LC_MESSAGES/*.mo .cache .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

.venv/bin/python:
	@python= ; for candidate in $(PYTHON) python3.11 python3 python3.12 python3.13 python3.14; do \
		if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			python=$$candidate; break; fi; done; \
	if [ -z "$$python" ]; then \
		echo "Runyard needs Python 3.11 or newer. Install it, or name it: make PYTHON=/path/to/python3.11" >&2; \
		exit 1; fi; \
	echo "Making .venv with $$($$python --version)"; \
	$$python -m venv .venv || { rm -rf .venv; exit 1; }

$(RUN): | .venv/bin/python
	@echo "Installing the server's packages"
	@$(PIP) -r requirements-installer.txt || $(NETWORK_HINT)
	@$(UV) --compile-bytecode $(RUN_LOCKS:%=-r %) || $(PIP) $(RUN_LOCKS:%=-r %) || $(NETWORK_HINT)
	@rm -f .venv/installed-* && touch $@

$(DEV): | .venv/bin/python
	@echo "Installing the packages for development"
	@$(PIP) -r requirements-installer.txt || $(NETWORK_HINT)
	@$(UV) -r requirements-dev.txt -r requirements-build.txt || \
		$(PIP) -r requirements-dev.txt -r requirements-build.txt || $(NETWORK_HINT)
	@rm -f .venv/installed-* && touch $@ $(RUN)

$(PACKAGES): | .venv/bin/python
	@test -x $(BIN)/npm || $(MAKE) --no-print-directory $(RUN)
	@echo "Installing the front end's packages"
	@$(BIN)/npm ci --no-audit --no-fund --loglevel=error || $(NETWORK_HINT)
	@rm -f node_modules/installed-* && touch $@

$(DIST): $(PACKAGES)
	@echo "Building the front end"
	@$(BIN)/npm run --silent build
	@rm -f assets/dist/.built-* && touch $@

$(WORDS): | $(RUN)
	@$(BIN)/python -m common.catalogues compile
	@rm -f locale/.compiled-* && touch $@
