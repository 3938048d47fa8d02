# Every target does what its line in `make help` says, on a machine that has nothing but make, Node (20 or later, with npm) and a shell.
.DEFAULT_GOAL := help
SHELL := /bin/sh
.PHONY: help setup up down clean smoke demo picture logs test test-nightly images-check checks tests test-unit-integration test-e2e unit test-changed watch lint types test-servers stop-test-servers github-payloads prove faults faults-mutants bench bench-peers replay-dlq k8s-check

# Node 24, pinned among the packages; `make setup` sees to it that it is there.
node := node_modules/.bin/node

help: ## list all targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

up: setup ## start the local stack (STACK=native: without containers) and send one webhook through it (HOOKLINE_PORT_OFFSET=n: other ports, HOOKLINE_PROCESSES=one: all services in one process)
	@$(node) deploy/local/up.ts

down: setup ## stop everything that make up started
	@$(node) deploy/local/down.ts

clean: setup ## stop everything and remove the data
	@$(node) deploy/local/down.ts --clean

smoke: setup ## send one webhook through the running stack; name the stage that is stuck
	@$(node) deploy/local/run-smoke.ts

demo: setup ## fill the tenant demo of the running stack: webhooks of three providers, a duplicate, rejections, dead letters, a replay
	@$(node) deploy/local/run-demo.ts

picture: setup ## the same, then take the README's pictures of the replayed event, in light and in dark
	@$(node) test/support/console/take-pictures.ts

logs: setup ## show the end of the logs (SERVICE=name: one service, FOLLOW=1: follow)
	@$(node) deploy/local/logs.ts $(if $(FOLLOW),--follow) $(SERVICE)

# In one line with the installation, whose cost is measured too.
test: ## check the code and run the day's tests, with their own servers; can run beside make up
	@deploy/local/setup.sh && $(node) test/lanes/measure.ts $(MAKE) --no-print-directory --jobs=2 checks tests

test-nightly: setup ## run the night's suite: full proofs, in parts that can be resumed (ARGS='--only kafka,dedup', '--for libs/kafka', '--again', '--record')
	@$(node) test/lanes/nightly.ts $(ARGS)

images-check: setup ## start the images of docker-compose.yml, run smoke and tests with them, and ask Grafana for every panel's data (ARGS='--only stack,panels,tests')
	@$(node) test/images/main.ts $(ARGS)

# The processor is the tests' first: they have answers to wait for.
checks:
	@nice -n 5 $(MAKE) --no-print-directory lint types

tests: setup
	@npm test --silent

test-unit-integration: setup
	@npm run --silent unit
	@npm run --silent integration

test-e2e: setup
	@npm run --silent e2e

unit: setup ## run the unit tests, which need no servers
	@npm run --silent unit

test-changed: setup ## run the tests of files changed since the last commit
	@npm run --silent test-changed

watch: setup ## rerun unit tests when files change
	@npm run --silent watch

lint: setup ## check formatting, lint rules, the layers of the code, and licences of packages
	@npm run --silent lint

types: setup ## check types
	@npm run --silent types

test-servers: setup ## start servers for repeated test runs; print the variable to export
	@echo "export HOOKLINE_TEST_SERVERS=$$($(node) deploy/local/test-servers.ts start --dir .hookline/servers)"

stop-test-servers: setup ## stop the servers of make test-servers
	@$(node) deploy/local/test-servers.ts stop --dir .hookline/servers

prove: setup ## kill every service while 2,000 webhooks go through a stack of its own, and count what was lost or came twice (ARGS='--seed N --webhooks N')
	@$(node) test/faults/prove/main.ts $(ARGS)

faults: setup ## run the fault tests: three brokers, two processes of each service, all kinds of faults; or one other run (ARGS='--run system|receiving|delivering|idempotency|overload|replay|fuzzing|incidents|rehearsals --seed 7 --scenario … --record NAME')
	@npm run --silent faults -- $(ARGS)

faults-mutants: setup ## inject one defect at a time into a copy of the code; the named run or test must detect it (ARGS='--lane day', '--only NAME', --control, --show, --record)
	@npm run --silent faults-mutants -- $(ARGS)

bench: setup ## measure each stage against its ceiling in the same run (COMPARE=last or a file, ARGS='--only receiving --profile --turns 5')
	@npm run --silent bench -- $(if $(COMPARE),--compare $(COMPARE)) $(ARGS)

bench-peers: setup ## compare Hookline with Outpost and Svix: cost, speed, isolation, kills (their programs: OUTPOST_BINARIES, SVIX_SERVER_BINARY; ARGS='--only outpost,hookline-webhooks --steps at:100,closed --turns 3 --record'), or two checkouts of it with each other (ARGS='--trees /before,/after')
	@npm run --silent bench-peers -- $(ARGS)

replay-dlq: setup ## replay dead letters of the running stack (ARGS='--dry-run --endpoint ep_… --rate 50', or --help)
	@./hookline dlq replay $(ARGS)

github-payloads: setup ## send 329 real GitHub payloads, each twice, through the running stack to two endpoints, and check the sums
	@npm run --silent github-payloads

k8s-check: setup ## render the overlays of deploy/k8s and validate them against the schemas of Kubernetes, KEDA, Prometheus and Strimzi (needs Go)
	@$(node) deploy/k8s/check/main.ts

setup: ## install the npm packages of package-lock.json, if needed
	@deploy/local/setup.sh
