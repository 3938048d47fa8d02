import { randomUUID } from 'node:crypto';
import { topicNames, topicsOf } from '#lib/contract';
import { createForgetResponses } from '#lib/idempotency';
import { kafkaAccess, readKeepTimes } from '#lib/kafka';
import { createPools, postgresAccess } from '#lib/postgres';
import type { Redis } from '#lib/redis';
import { inRounds, type Part, toAppError } from '#lib/runtime';
import type { SecretBox } from '#lib/secret-box';
import type { ServiceContext } from '#lib/service-host';
import type { ApiConfig } from '../config.ts';
import { type ErasureRow, leaseErasures, releaseErasure } from './erasure-row.ts';
import { createStepErasure, type StepErasure } from './run-erasure.ts';

/** A pool of its own: requests never wait for an erasure. */
const maxConnections = 1;
/** For the choice of events by filters that no index has together. */
const statementTimeoutMs = 30_000;
const askKafkaMs = 5_000;
const idleMs = 1_000;
const busyMs = 500;
const leasedAtOnce = 4;
/** Then another has its turn: one event does not wait for a million. */
const turnMs = 3_000;
/** It works half of the time: others write to the same tables. */
const restPerWork = 1;

/** Parts that work erasures off, in any number of processes. */
export function openErasing(
  config: ApiConfig,
  { clock, log, crashPoints, metrics }: ServiceContext,
  { redis, secretBox }: { redis: Redis; secretBox: SecretBox },
): Part[] {
  const name = 'hookline-api';
  const postgres = createPools({ ...postgresAccess(config), name, log, metrics })({
    use: 'erasing',
    maxConnections,
    statementTimeoutMs,
  });
  const topics = topicsOf(config.topicPrefix);
  const access = { ...kafkaAccess(config), clientId: name };
  const step = createStepErasure({
    postgres,
    secretBox,
    forget: createForgetResponses(redis, config.topicPrefix),
    readKeepTimes: () =>
      readKeepTimes(
        access,
        topicNames.map((topic) => topics[topic]),
        { clock, log, timeoutMs: askKafkaMs },
      ),
    clock,
    crashPoints,
  });
  const owner = randomUUID();

  async function workOff(leased: ErasureRow, signal: AbortSignal): Promise<void> {
    const facts = { tenant: leased.tenant, erasureId: leased.id };
    const endsAtMs = clock.monotonicMs() + turnMs;
    try {
      for (let erasure: Awaited<ReturnType<StepErasure>> = leased; erasure !== undefined && !signal.aborted;) {
        const startedAtMs = clock.monotonicMs();
        if (erasure === 'wait' || startedAtMs >= endsAtMs) break;
        const { state } = erasure;
        erasure = await step(erasure, owner);
        if (erasure !== undefined && erasure !== 'wait' && erasure.state !== state)
          log.info({ event: 'erasure.advanced', ...facts, state: erasure.state, events: erasure.events });
        await clock.sleep((clock.monotonicMs() - startedAtMs) * restPerWork, signal);
      }
    } catch (error) {
      log.warn({ event: 'erasure.interrupted', ...facts, err: toAppError(error) });
    }
    await releaseErasure(postgres, leased, owner);
  }

  let pauseMs = idleMs;
  async function round(signal: AbortSignal): Promise<void> {
    const leased = await leaseErasures(postgres, owner, leasedAtOnce);
    // In turns: what waits, or takes longer, is looked at again soon.
    for (const erasure of leased) await workOff(erasure, signal);
    pauseMs = leased.length > 0 ? busyMs : idleMs;
  }
  return [postgres, inRounds(round, { name: 'erasing', everyMs: () => pauseMs, clock, log })];
}
