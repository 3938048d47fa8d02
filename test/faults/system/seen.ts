/** The evidence of a run, kept: a judge with new rules can look at it again, without another hour. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { LoopDelay } from '../../support/loop-delay.ts';
import type { History } from '../checker/history.ts';
import type { DispatcherFacts } from '../delivering/dispatcher-log.ts';
import type { Intent } from '../idempotency/history.ts';
import type { Absence } from './absences.ts';
import type { BystandersWebhook } from './bystanders.ts';
import type { Inflicted } from './schedule.ts';

/** Plain data. */
export interface Seen {
  history: History;
  dispatchers: DispatcherFacts;
  /** By their names. */
  endpointIds: ReadonlyMap<string, string>;
  /** The requests of publishers. */
  intents: readonly Intent[];
  deadLettersInTable: number;
  inflicted: readonly Inflicted[];
  /** Kinds that can't be done here, with why. */
  leftOut: Readonly<Record<string, string>>;
  /** Processes that ended by themselves and were started again. */
  restarts: number;
  /** Consumers that were without their group. */
  absences: readonly Absence[];
  /** Webhooks of a tenant beside one whose rows were locked. */
  bystanders: readonly BystandersWebhook[];
  /** How late the run itself was with what it sends, receives and writes down, and its links with what they pass on. */
  late: { run: LoopDelay; links: LoopDelay };
  seconds: number;
  drainSeconds: number;
}

const fileIn = (dir: string): string => join(dir, 'seen.v8');

export const keepSeen = (dir: string, seen: Seen): void => writeFileSync(fileIn(dir), serialize(seen));

/** @throws where the run of this directory has kept nothing */
export const readSeen = (dir: string): Seen => deserialize(readFileSync(fileIn(dir))) as Seen;
