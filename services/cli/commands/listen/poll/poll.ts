/**
 * `listen --poll`: events read from the API, signed here as a delivery is, and forwarded. For a machine that Hookline can't reach.
 *
 * Guarantees, while it runs: every event of the types that is accepted after the beginning is forwarded, in the order in which the API lists
 * them, however often the API is away; and again only if it is among more than the last 100,000. A URL that does not answer, or answers 429
 * or 503, is asked again until it does answer; meanwhile the events wait at the API. Any other answer is the receiver's own, and is shown.
 * Not guaranteed: anything beyond the process. No attempt is recorded, and no delivery exists.
 */
import { type HttpResult, sendAgain } from '#lib/api-client';
import { generateSecret } from '#lib/signatures';
import { connectTo } from '../../../api-calls/connect.ts';
import { noteNewTenant } from '../../../api-calls/note-new-tenant.ts';
import { openClient } from '../../../api-calls/open-client.ts';
import { usageFailure } from '../../../command-failure.ts';
import type { Context } from '../../../context.ts';
import { refuseProblems } from '../../../options/read-scheme.ts';
import { readTime } from '../../../options/read-time.ts';
import { readWholeNumber } from '../../../options/read-values.ts';
import { printable, printLine } from '../../../output/print.ts';
import { printRetry } from '../../../output/print-retry.ts';
import { shownTime } from '../../../output/shown-time.ts';
import type { Values } from '../../../verb.ts';
import { arrivalJson, describeArrival, factsOf } from '../arrival-view.ts';
import { readTarget, readTypes } from '../read-target.ts';
import { createTally, describeSummary } from '../tally.ts';
import type { listenOptions } from '../verb.ts';
import { acceptedEvents } from './accepted-events.ts';
import { createSendOn } from './send-on.ts';

type PollValues = Values<typeof listenOptions>;

export async function poll(values: PollValues, context: Context): Promise<number> {
  const { process, clock, screen } = context;
  const { json, tenant } = values;
  refuseStray(values);
  const target = readTarget(values.forward);
  const count = readWholeNumber('count', values.count, { min: 1, max: 1e15, otherwise: Infinity });
  const since = readTime('since', values.since, clock.nowMs());
  const [secret = generateSecret()] = values.secret ?? [];
  refuseProblems('hookline', { settings: {}, secret });
  const print = (facts: object, line: string): void => printLine(context, facts, json, () => line);

  await noteNewTenant(context, openClient(context, undefined), tenant);
  const ended = new AbortController();
  const { signal } = ended;
  const end = (): void => ended.abort();
  const client = openClient(context, tenant, { resendGet: resendUntil(signal, context), signal });
  const api = connectTo(async () => client);
  const sendOn = createSendOn(context, { client, secret, target, signal });
  const tally = createTally();
  let waiting: string | undefined;
  let forwarded = 0;

  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    const events = acceptedEvents(api, {
      types: readTypes(values.types),
      since,
      clock,
      onBegin(fromMs) {
        const from = new Date(fromMs).toISOString();
        print(
          { kind: 'polling', secret, from, ...(target !== undefined && { forward: target }) },
          `polling for events accepted from ${String(shownTime(from, screen))} on${target === undefined ? '' : `, forwarding to ${target}`}\nthe secret that signs them is ${secret}`,
        );
      },
    });
    for await (const event of events) {
      waiting = event.id;
      const arrival = await sendOn(event);
      if (signal.aborted && arrival === 'interrupted') break;
      waiting = undefined;
      if (arrival === 'interrupted' || arrival === 'no payload') continue;
      const facts = factsOf(arrival.headers, undefined);
      const { isRepeat } = tally.add(arrival, facts.webhookId);
      print(arrivalJson(arrival, facts, isRepeat), describeArrival(arrival, facts, isRepeat, screen));
      forwarded += 1;
      if (forwarded >= count || signal.aborted) break;
    }
  } catch (error) {
    // A request that Ctrl-C ended.
    if (!signal.aborted) throw error;
  } finally {
    process.removeListener('SIGINT', end).removeListener('SIGTERM', end);
  }
  const summary = tally.summary();
  print({ kind: 'summary', ...summary }, describeSummary(summary));
  if (waiting === undefined) return 0;
  process.stderr.write(
    `${printable(waiting)} was not forwarded, nor were later events: repeat with --since to send them\n`,
  );
  return 1;
}

const ofReceiver = ['port', 'host', 'status', 'fail', 'delay', 'scheme', 'public-url', 'url'] as const;

function refuseStray(values: PollValues): void {
  const stray = ofReceiver.find((name) => values[name] !== undefined);
  if (stray !== undefined) throw usageFailure(`--${stray} is only for a receiver, and --poll runs no receiver`);
  if ((values.secret?.length ?? 0) > 1) throw usageFailure('--poll signs with one --secret');
}

const firstAttempts = 5;

/** Without end once the API has answered, whatever a proxy in front of it says meanwhile. */
function resendUntil(signal: AbortSignal, context: Context): (send: () => Promise<HttpResult>) => Promise<HttpResult> {
  const { clock, random } = context;
  const print = printRetry(context);
  let hasAnswered = false;
  return async (send) => {
    const { result } = await sendAgain(async () => unlessBroken(await send(), hasAnswered), {
      clock: { ...clock, sleep: (ms) => clock.sleep(ms, signal) },
      random,
      maxAttempts: hasAnswered ? Infinity : firstAttempts,
      isOver: () => signal.aborted,
      onRetry: (failed, waitMs) => {
        if (!signal.aborted) print(failed, waitMs);
      },
    });
    hasAnswered ||= 'status' in result;
    return result;
  };
}

const unlessBroken = (result: HttpResult, hasAnswered: boolean): HttpResult =>
  hasAnswered && 'status' in result && result.status >= 500 ? { noAnswer: `answered ${result.status}` } : result;
