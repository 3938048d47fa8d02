/**
 * The fault runs, by hand: `make faults ARGS='--run receiving --seed 7 --scenario zombies,kafka-restarted'`. Without --run it is the system
 * run, which has every kind of fault in it.
 */
import { parseArgs } from 'node:util';
import type { FaultRun } from './support/fault-run.ts';
import { runByHand } from './support/run-by-hand.ts';

/** Only what is wanted is loaded. */
const runs: Readonly<Record<string, () => Promise<FaultRun>>> = {
  prove: async () => (await import('./prove/fault-run.ts')).proveRun,
  system: async () => (await import('./system/fault-run.ts')).systemRun,
  receiving: async () => (await import('./receiving/fault-run.ts')).receivingRun,
  delivering: async () => (await import('./delivering/fault-run.ts')).deliveringRun,
  idempotency: async () => (await import('./idempotency/fault-run.ts')).idempotencyRun,
  overload: async () => (await import('./overload/fault-run.ts')).overloadRun,
  replay: async () => (await import('./replay/fault-run.ts')).replayRun,
  tenants: async () => (await import('./tenants/fault-run.ts')).tenantsRun,
  fuzzing: async () => (await import('./fuzzing/fault-run.ts')).fuzzingRun,
  incidents: async () => (await import('./incidents/fault-run.ts')).incidentsRun,
  rehearsals: async () => (await import('./rehearsals/fault-run.ts')).rehearsalsRun,
};

const { values, tokens } = parseArgs({
  options: { run: { type: 'string', default: 'system' } },
  strict: false,
  allowPositionals: true,
  tokens: true,
});
const given = tokens.find((token) => token.kind === 'option' && token.name === 'run');
const args = process.argv.slice(2);
if (given?.kind === 'option') args.splice(given.index, given.inlineValue ? 1 : 2);

const load = runs[String(values.run)];
if (load === undefined) {
  console.error(`there is no run ${String(values.run)}\nusage: --run ${Object.keys(runs).join('|')} [--seed N …]`);
  process.exit(2);
}
await runByHand(await load(), args);
