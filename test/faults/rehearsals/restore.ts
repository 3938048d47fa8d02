/**
 * Postgres put back to minutes ago, while everything else stays as it is: what is lost, and what repeats, first when nobody does anything, then
 * after the steps of docs/runbook.md.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pipeline } from '../../support/pipeline.ts';
import { pipelineServices } from '../../support/stack.ts';
import { type Ledger, pairOf } from '../checker/ledger.ts';
import type { Verdict } from '../checker/check.ts';
import { answersOf, type AnswersOfSpan } from '../incidents/answers.ts';
import type { OwnServers } from '../support/servers.ts';
import { processesOf } from '../system/faults/processes.ts';
import { recoverAsTheRunbookSays } from './runbook-restore.ts';
import { withRehearsal } from './world.ts';

interface Options {
  pipeline: Pipeline;
  servers: OwnServers;
  seed: number;
  perSecond: number;
  /** How far back. */
  minutes: number;
  say(line: string): void;
}

/** An observer's count of what is missing or doubled at one time. */
export interface Remains {
  when: string;
  taken: number;
  events: number;
  secondEvents: number;
  unknownToApi: number;
  neverTaken: number;
  takenTwice: number;
}

interface Told {
  violations: string[];
  answers: AnswersOfSpan[];
  remains: Remains[];
  steps: string[];
}

const afterwardsMs = 60_000;
/** Repeats are what a restore costs. All else must be whole again. */
const excused: readonly string[] = ['repeat-without-fault'];

export function rehearseRestore({ pipeline, servers, seed, perSecond, minutes, say }: Options): Promise<Told> {
  return withRehearsal({ pipeline, seed, perSecond }, async ({ load, offsets, explain, judge }) => {
    const steps: string[] = [];
    const tell = (line: string): void => {
      steps.push(line);
      say(line);
    };
    await servers.postgres.keepCopy();
    const instantMs = Date.now();
    await delay(minutes * 60_000);
    explain('Postgres was restored');
    const beganAtMs = Date.now();
    await servers.postgres.restoreCopy();
    tell(
      `Postgres is as it was ${((Date.now() - instantMs) / 60_000).toFixed(1)} minutes ago; away for ${((Date.now() - beganAtMs) / 1_000).toFixed(1)} s`,
    );
    await delay(afterwardsMs);
    const spans = [{ incident: { name: 'restored' }, beganAtMs, overAtMs: Date.now() }];
    await load.stop();
    const asItIs = remainsOf('nothing done', await judge());

    const all = pipelineServices.flatMap(processesOf);
    const startMs = performance.now();
    await Promise.all(all.map((name) => pipeline.stopService(name)));
    await recoverAsTheRunbookSays({
      pipeline,
      offsets,
      instantMs,
      flushRedis: () => servers.redis.forget(),
      start: (services) => Promise.all(services.flatMap(processesOf).map((name) => pipeline.startService(name))),
    });
    const verdict = await judge();
    tell(
      `the steps of the runbook until all is as it should be: ${((performance.now() - startMs) / 1_000).toFixed()} s`,
    );
    const violations = verdict.violations.filter(({ anomaly }) => !excused.includes(anomaly));
    return {
      steps,
      answers: answersOf(spans, load),
      remains: [asItIs, remainsOf('after the runbook', verdict)],
      violations: violations.length > 0 ? [verdict.text] : [],
    };
  });
}

function remainsOf(when: string, { ledger, violations }: Verdict): Remains {
  const taken = new Set(ledger.history.sends.filter(({ outcome }) => outcome === 'ok').map(({ identity }) => identity));
  const times = [...ledger.deliveries.values()].map((delivery) => timesTaken(ledger, delivery));
  return {
    when,
    taken: taken.size,
    events: ledger.eventsById.size,
    secondEvents: violations.filter(({ anomaly }) => anomaly === 'second-event-id').length,
    unknownToApi: [...ledger.eventsById.keys()].filter((id) => !ledger.apiById.has(id)).length,
    neverTaken: times.filter((n) => n === 0).length,
    takenTwice: times.filter((n) => n > 1).length,
  };
}

const timesTaken = ({ arrivalsByPair }: Ledger, { eventId, endpointId }: { eventId: string; endpointId: string }) =>
  (arrivalsByPair.get(pairOf(eventId, endpointId)) ?? []).filter(({ answered }) => answered === 200).length;
