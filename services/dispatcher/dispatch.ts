import type { Random } from '#lib/backoff';
import type { Clock } from '#lib/clock';
import type { CrashPoints } from '#lib/crash-points';
import type { HttpResult } from '#lib/http-client';
import type { Logger } from '#lib/log';
import type { Attempt } from './attempt.ts';
import { decide, type Decision } from './decide.ts';
import type { DisableEndpoint } from './disable-endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import type { EndpointDirectory } from './endpoint-directory.ts';
import type { Job } from './job.ts';
import type { DispatcherMetrics } from './metrics.ts';
import type { AfterSend, EndUnsent, OutcomeWriter, SendFacts } from './outcome-writer.ts';
import { type SendVerdict, verdictOf } from './send-verdict.ts';

interface Deps {
  directory: Pick<EndpointDirectory, 'get'>;
  attempt: Attempt;
  outcomes: OutcomeWriter;
  disableEndpoint: DisableEndpoint;
  metrics: DispatcherMetrics;
  crashPoints: CrashPoints;
  clock: Clock;
  random: Random;
  log: Logger;
}

/**
 * Works off one job whose turn has come: judges its endpoint as it is now, sends, decides, and has the outcome written. `observed` is told
 * what the send says about the endpoint; not called where nothing is sent.
 */
export function createDispatch(deps: Deps): (job: Job, observed: (verdict: SendVerdict) => void) => Promise<void> {
  const { outcomes, metrics, crashPoints, clock } = deps;

  return async (job, observed) => {
    const { delivery } = job;
    const endpoint = deps.directory.get(delivery.tenant, delivery.endpointId);
    const end = endWithoutSending(endpoint);
    if (endpoint === undefined || end !== undefined) {
      return outcomes.ended(job, end ?? { status: 'dead_lettered', reason: 'endpoint_unknown' });
    }
    if (job.from === 'row' && job.state === 'retrying') metrics.retryStarted(clock.nowMs() / 1e3 - job.dueAt / 1e6);

    crashPoints.reach('dispatcher.before-send');
    const attempts = job.attempts + 1;
    const { result, durationMs } = await deps.attempt(delivery, endpoint, attempts);
    crashPoints.reach('dispatcher.after-send');
    // Before it is written down: Kafka may be away, and the next send should know.
    observed(verdictOf(result, clock.nowMs(), endpoint.retry.capMs));

    const sent = { result, attempts, createdAt: delivery.createdAt };
    const decision = decide(sent, endpoint.retry, clock.nowMs(), deps.random);
    const after = afterSend(decision);
    metrics.attempted(result.outcome, durationMs / 1e3);
    if (after.status === 'delivered') metrics.delivered(clock.nowMs() / 1e3 - delivery.receivedAt / 1e6);
    logAttempt(job, result, durationMs, after);
    await outcomes.attempted(job, factsOf(result, durationMs), after);
    if (decision.kind === 'gone') await deps.disableEndpoint(endpoint);
  };

  /** The unit of work is the send, and this its one line: told even if writing it down takes until Kafka is back. */
  function logAttempt(
    { delivery, step, attempts }: Job,
    result: HttpResult,
    durationMs: number,
    after: AfterSend,
  ): void {
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
      ...('status' in result ? { httpStatus: result.status } : { detail: result.detail }),
      durationMs: Math.round(durationMs * 10) / 10,
      ...after,
      traceparent: delivery.traceparent,
    });
  }
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
      return { status: 'retrying', dueAt: decision.dueAt };
    case 'gone':
      return { status: 'dead_lettered', reason: 'endpoint_gone' };
    case 'exhausted':
      return { status: 'dead_lettered', reason: 'retries_exhausted' };
  }
}

function factsOf(result: HttpResult, durationMs: number): SendFacts {
  if ('detail' in result) {
    return { outcome: result.outcome, httpStatus: null, durationMs, detail: result.detail, excerpt: null };
  }
  const { outcome, status, excerpt } = result;
  return {
    outcome,
    httpStatus: status,
    durationMs,
    detail: outcome === 'delivered' ? null : `answered ${status}`,
    excerpt: excerpt.length === 0 ? null : excerpt,
  };
}
