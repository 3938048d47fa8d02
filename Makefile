# Every target does what its line in `make help` says, on a machine that has nothing but make, Node (20 or later, with npm) and a shell.
.DEFAULT_GOAL := help
SHELL := /bin/sh
.PHONY: help setup up down clean smoke logs test unit test-changed watch lint types test-servers stop-test-servers github-payloads faults faults-mutants bench bench-peers replay-dlq k8s-check

# Node 24, pinned among the packages; `make setup` sees to it that it is there.
node := node_modules/.bin/node

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

up: setup ## starts the local stack, in containers or without (STACK=native), and shows one webhook going through it (HOOKLINE_PORT_OFFSET=n moves all ports, HOOKLINE_PROCESSES=one has the services in one process)
	@$(node) deploy/local/up.ts

down: setup ## stops everything that make up has started
	@$(node) deploy/local/down.ts

clean: setup ## stops it and removes its data
	@$(node) deploy/local/down.ts --clean

smoke: setup ## one webhook through the running stack; names the stage that is stuck
	@$(node) deploy/local/run-smoke.ts

logs: setup ## the last lines of the logs (SERVICE=name for one, FOLLOW=1 to go on)
	@$(node) deploy/local/logs.ts $(if $(FOLLOW),--follow) $(SERVICE)

test: setup lint types ## every test, with servers of its own; runs beside make up
	@npm test --silent

unit: setup ## the tests that need no servers
	@npm run --silent unit

test-changed: setup ## the tests of what has changed since the last commit
	@npm run --silent test-changed

watch: setup ## the unit tests of what changes, as it changes
	@npm run --silent watch

lint: setup ## formatting and lint rules, the layers of the code among them
	@npm run --silent lint

types: setup ## the compiler's checks
	@npm run --silent types

test-servers: setup ## servers that stay up while tests are worked on; prints what to export
	@echo "export HOOKLINE_TEST_SERVERS=$$($(node) deploy/local/test-servers.ts start --dir .hookline/servers)"

stop-test-servers: setup ## ends them
	@$(node) deploy/local/test-servers.ts stop --dir .hookline/servers

faults: setup ## everything at once, three brokers and two of each service, and all that can happen to them; or another run (ARGS='--run system|receiving|delivering|idempotency|overload|replay|fuzzing|incidents --seed 7 --scenario … --record NAME')
	@npm run --silent faults -- $(ARGS)

faults-mutants: setup ## defects put into a copy of the code, one at a time: each must be seen by the run or test that it names (ARGS='--only NAME', --control, --show, --record)
	@npm run --silent faults-mutants -- $(ARGS)

bench: setup ## what each stage does beside its ceiling in the same run (COMPARE=last or a file, ARGS='--only receiving --profile --turns 5')
	@npm run --silent bench -- $(if $(COMPARE),--compare $(COMPARE)) $(ARGS)

bench-peers: setup ## Hookline beside Outpost and Svix: cost, speed, isolation, kills (their programs: OUTPOST_BINARIES, SVIX_SERVER_BINARY; ARGS='--only outpost,hookline-webhooks --steps at:100,closed --turns 3 --record')
	@npm run --silent bench-peers -- $(ARGS)

replay-dlq: setup ## replays dead letters of the running stack (ARGS='--dry-run --endpoint ep_… --rate 50', or --help)
	@./hookline dlq replay $(ARGS)

github-payloads: setup ## all GitHub payloads, each twice, through the running stack to two endpoints, added up
	@npm run --silent github-payloads

k8s-check: setup ## renders every overlay of deploy/k8s and validates it against the schemas of Kubernetes, KEDA, Prometheus and Strimzi (needs Go)
	@$(node) deploy/k8s/check/main.ts

setup: ## installs the npm packages, where they are not what package-lock.json says
	@deploy/local/setup.sh
