import { type Delivery, isOperationalEvent } from '#lib/contract';
import type { ErasedEvents } from '#lib/erasure';
import type { HttpResult } from '#lib/http-client';
import { type Clock, type CrashPoints, isAppError, type Logger, type Random } from '#lib/runtime';
import { traceIdOf } from '#lib/telemetry';
import type { DisableEndpoint } from '../endpoints/disable-endpoint.ts';
import type { EndpointDirectory } from '../endpoints/endpoint-directory.ts';
import type { EndpointFailing } from '../endpoints/endpoint-failing.ts';
import { type SendVerdict, verdictOf } from '../endpoints/send-verdict.ts';
import type { JobEnd } from '../lanes/scheduler.ts';
import type { DispatcherMetrics } from '../metrics.ts';
import { type Endpoint, isClosed } from '../model/endpoint.ts';
import { isAbandoned, type Job } from '../model/job.ts';
import type { Lag } from '../model/lag.ts';
import type { Attempt, Sending } from './attempt.ts';
import { decide, type Decision } from './decide.ts';
import type { AfterSend, EndUnsent, OutcomeWriter } from './outcome-writer.ts';
import { sendFactsOf } from './send-facts.ts';

interface Deps {
  directory: Pick<EndpointDirectory, 'get' | 'ageMs' | 'refresh' | 'recent'>;
  attempt: Attempt;
  outcomes: OutcomeWriter;
  erased: Pick<ErasedEvents, 'has' | 'hasTenant' | 'recent'>;
  /** False if another process may have the partitions of this one: then no ordered delivery is sent. */
  holdsMembership(): boolean;
  onDropped(tenant: string): void;
  disableEndpoint: DisableEndpoint;
  endpointFailing: Pick<EndpointFailing, 'observe'>;
  metrics: DispatcherMetrics;
  lag: Pick<Lag, 'delivered'>;
  crashPoints: CrashPoints;
  clock: Clock;
  random: Random;
  log: Logger;
}

/** How far the clocks of two hosts may be apart. */
const clockSkewMs = 1_000;
const askAgainWhoOwnsMs = 100;

/**
 * Works off one job whose turn has come: looks at its event and its endpoint as they were at most 1.5 s ago, sends, decides, and has the outcome written. Calls `observed`
 * with what the send says about the endpoint, unless nothing is sent.
 */
export function createDispatch(deps: Deps): (job: Job, observed: (verdict: SendVerdict) => void) => Promise<JobEnd> {
  const { outcomes, metrics, crashPoints, clock } = deps;

  return async (job, observed) => {
    const { delivery } = job;
    if (!(await readLately(job))) return 'waits';
    if (await endErased(job)) return 'over';
    const known = deps.directory.get(delivery.tenant, delivery.endpointId);
    const endpoint = mayBeOpen(known, delivery) ? await readAnew(delivery) : known;
    const end = endWithoutSending(endpoint);
    if (endpoint === undefined || end !== undefined) {
      await outcomes.ended(job, end ?? { status: 'dead_lettered', reason: 'endpoint_unknown' });
      return 'over';
    }
    if (job.from === 'row' && job.state === 'retrying') metrics.retryStarted(clock.nowMs() / 1e3 - job.readyAt / 1e6);

    crashPoints.reach('dispatcher.before-send');
    const attempts = job.attempts + 1;
    const sending = await attempt(delivery, endpoint, attempts);
    const { result, duration_ms: durationMs, exemplar } = sending;
    crashPoints.reach('dispatcher.after-send');
    // Before the outcome is written: Kafka may be away, and the next send should know.
    observed(verdictOf(result, clock.nowMs(), endpoint.retry.capMs));
    // Events that tell an endpoint about itself or its neighbours must lead to no more of them.
    if (sending.request !== null && !isOperationalEvent(delivery.eventType))
      deps.endpointFailing.observe(endpoint, result.outcome === 'delivered');

    const sent = { result, attempts, createdAt: delivery.createdAt, life: endpoint };
    const decision = decide(sent, endpoint.retry, clock.nowMs(), deps.random);
    // Nothing of what it has answered is kept.
    if (decision.kind !== 'delivered') {
      await deps.erased.recent();
      if (await endErased(job)) return 'over';
    }
    const after = afterSend(decision);
    metrics.attempted(result.outcome, durationMs / 1e3, exemplar);
    if (after.status === 'delivered') metrics.delivered(clock.nowMs() / 1e3 - delivery.receivedAt / 1e6, exemplar);
    if (after.status === 'delivered') deps.lag.delivered(job, endpoint, durationMs);
    logAttempt(job, sending, after);
    await outcomes.attempted(job, sendFactsOf(sending), after);
    if (decision.kind === 'gone') await deps.disableEndpoint(endpoint, { reason: 'gone' });
    return decision.kind === 'retry' ? 'waits' : 'over';
  };

  /** Waits for readings that are recent, if there are none. @returns false if it is not ours any more, which a wait may have been too long for */
  async function readLately(job: Job): Promise<boolean> {
    const readings = [deps.directory.recent(), deps.erased.recent()].filter((reading) => reading !== undefined);
    if (readings.length === 0) return true;
    await Promise.all(readings);
    while (job.order !== undefined && !deps.holdsMembership()) {
      if (isAbandoned(job)) return false;
      await clock.sleep(askAgainWhoOwnsMs);
    }
    return true;
  }

  /** Ends it if its event was erased, or its tenant deleted, as far as this process has heard. */
  async function endErased(job: Job): Promise<boolean> {
    const { tenant, eventId: event_id } = job.delivery;
    if (!deps.erased.has({ tenant, event_id })) return false;
    if (deps.erased.hasTenant(tenant)) {
      outcomes.dropped(job);
      deps.onDropped(tenant);
    } else await outcomes.ended(job, { status: 'cancelled', reason: 'event_erased' });
    return true;
  }

  async function attempt(...send: Parameters<Attempt>): Promise<Sending> {
    metrics.sendBegan();
    try {
      return await deps.attempt(...send);
    } finally {
      metrics.sendEnded();
    }
  }

  /** A closed endpoint may have been enabled since, and the delivery replayed for that. */
  function mayBeOpen(known: Endpoint | undefined, { createdAt }: Delivery): boolean {
    if (known === undefined || !isClosed(known)) return false;
    const readAtMs = clock.nowMs() - deps.directory.ageMs();
    return readAtMs <= createdAt / 1_000 + clockSkewMs;
  }

  async function readAnew({ tenant, endpointId }: Delivery): Promise<Endpoint | undefined> {
    // While Postgres is away, the last reading holds.
    await deps.directory.refresh().catch(throwUnlessRetryable);
    return deps.directory.get(tenant, endpointId);
  }

  /** One line for each send, logged at once: writing the outcome may take until Kafka is back. */
  function logAttempt({ delivery, step, attempts }: Job, { result, duration_ms }: Sending, after: AfterSend): void {
    if (!deps.log.isOn('info')) return;
    deps.log.info({
      event: 'delivery.attempted',
      tenant: delivery.tenant,
      deliveryId: delivery.id,
      eventId: delivery.eventId,
      endpointId: delivery.endpointId,
      generation: delivery.generation,
      step,
      attempt: attempts + 1,
      outcome: result.outcome,
      ...('status' in result ? answerOf(result) : detailsOf(result)),
      durationMs: Math.round(duration_ms * 10) / 10,
      ...after,
      traceId: traceIdOf(delivery.traceparent),
    });
  }
}

function throwUnlessRetryable(error: unknown): void {
  if (!isAppError(error) || !error.retryable) throw error;
}

function endWithoutSending(endpoint: Endpoint | undefined): EndUnsent | undefined {
  if (endpoint === undefined) return { status: 'dead_lettered', reason: 'endpoint_unknown' };
  if (endpoint.deletedAt !== null) return { status: 'cancelled', reason: 'endpoint_deleted' };
  if (endpoint.disabledAt !== null) return { status: 'dead_lettered', reason: 'endpoint_disabled' };
  return undefined;
}

function afterSend(decision: Decision): AfterSend {
  switch (decision.kind) {
    case 'delivered':
      return { status: 'delivered' };
    case 'retry':
      return { status: 'retrying', dueAt: decision.dueAt, notBefore: decision.notBefore };
    case 'gone':
      return { status: 'dead_lettered', reason: 'endpoint_gone' };
    case 'exhausted':
      return { status: 'dead_lettered', reason: 'retries_exhausted' };
  }
}

const answerOf = ({ status, oddity }: Extract<HttpResult, { status: number }>) => ({
  httpStatus: status,
  ...(oddity !== undefined && { oddHead: oddity }),
});

/** `operatorDetail` describes our network: it is logged, and never shown to the receiver's people. */
const detailsOf = ({ detail, operatorDetail }: Extract<HttpResult, { detail: string }>) => ({
  detail,
  ...(operatorDetail !== undefined && { operatorDetail }),
});
