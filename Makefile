# Every target does what its line in `make help` says, on a machine that has nothing but make, Node (20 or later, with npm) and a shell.
.DEFAULT_GOAL := help
SHELL := /bin/sh
.PHONY: help setup up down clean smoke logs test lint types test-servers stop-test-servers github-payloads faults faults-delivering faults-system idempotency-run overload replay-dlq replay-run k8s-check

# Node 24, pinned among the packages; `make setup` sees to it that it is there.
node := node_modules/.bin/node

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

up: setup ## starts the local stack and shows one webhook going through it (HOOKLINE_PORT_OFFSET=n moves all ports)
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

lint: setup ## formatting and lint rules, the layers of the code among them
	@npm run --silent lint

types: setup ## the compiler's checks
	@npm run --silent types

test-servers: setup ## servers that stay up while tests are worked on; prints what to export
	@echo "export HOOKLINE_TEST_SERVERS=$$($(node) deploy/local/test-servers.ts start --dir .hookline/servers)"

stop-test-servers: setup ## ends them
	@$(node) deploy/local/test-servers.ts stop --dir .hookline/servers

faults: setup ## the receiving fault runs: kills, zombies, outages under load, added up (ARGS='--webhooks 100000 --seed 7 --scenario zombies')
	@npm run --silent faults -- $(ARGS)

faults-delivering: setup ## the delivering fault runs: dispatchers killed, frozen, joined by others, endpoints that fail in every way, order (ARGS='--deliveries 100000 --scenario order')
	@npm run --silent faults-delivering -- $(ARGS)

faults-system: setup ## everything at once, three brokers and two of each service, and what can happen to them, one kind after the other (ARGS='--webhooks 20000 --seed 7')
	@npm run --silent faults-system -- $(ARGS)

idempotency-run: setup ## requests with an Idempotency-Key to two apis that are killed, stopped and cut off, added up key by key (ARGS='--keys 10000 --seed 7 --scenario killed')
	@npm run --silent idempotency-run -- $(ARGS)

overload: setup ## ten times what the ingress can take, for minutes: answers, memory, every 2xx on its topic (ARGS='--seconds 150 --factor 10')
	@npm run --silent overload -- $(ARGS)

replay-dlq: setup ## replays dead letters of the running stack (ARGS='--dry-run --endpoint ep_… --rate 50', or --help)
	@npm run --silent hookline -- dlq replay $(ARGS)

replay-run: setup ## 10,000 dead letters, replayed while their dispatcher is killed and two operators ask at once, added up (ARGS='--letters 10000')
	@npm run --silent replay-run -- $(ARGS)

github-payloads: setup ## all GitHub payloads, each twice, through the running stack to two endpoints, added up
	@npm run --silent github-payloads

k8s-check: setup ## renders every overlay of deploy/k8s and validates it against the schemas of Kubernetes, KEDA, Prometheus and Strimzi (needs Go)
	@$(node) deploy/k8s/check/main.ts

setup: ## installs the npm packages, where they are not what package-lock.json says
	@deploy/local/setup.sh
