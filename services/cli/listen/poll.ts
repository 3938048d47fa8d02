/**
 * `listen --poll`: events read from the API, signed here as a delivery is, and forwarded. For a machine that Hookline can't reach.
 *
 * Guarantees, while it runs: every event of the types that is accepted after the beginning is forwarded, in the order in which the API lists
 * them, however often the API is away; and again only if it is among more than the last 100,000. A URL that does not answer, or answers 429
 * or 503, is asked again until it does answer; meanwhile the events wait at the API. Any other answer is the receiver's own, and is shown.
 * Not guaranteed: anything beyond the process. No attempt is recorded, and no delivery exists.
 */
import { ApiError, type Client, type HttpAnswer, type HttpResult } from '#client';
import type { Event } from '#lib/api-contract';
import { headerText, isSubscribed } from '#lib/contract';
import type { Clock } from '#lib/runtime';
import { generateSecret, signatureHeaders, signingSecret } from '#lib/signatures';
import { noteNewTenant } from '../api-calls/api.ts';
import { openClient } from '../api-calls/open-client.ts';
import { resendOnceAnswered, sendAgain } from '../api-calls/send-again.ts';
import { usageFailure } from '../command-failure.ts';
import { followChanges } from '../commands/tail-events.ts';
import type { listenOptions } from '../commands/tools.ts';
import type { Context } from '../context.ts';
import { refuseProblems } from '../options/schemes.ts';
import { readCount, readTime } from '../options/values.ts';
import { printable, printRetry, shownTime } from '../output/print.ts';
import type { Values } from '../verb.ts';
import { createJournal, createKnownIds, verifyArrival } from './arrivals.ts';
import { forwardTo, readTarget, readTypes } from './forward.ts';
import { type Arrival, contentOf } from './listener.ts';

/** The members of an event that are read. */
export type Accepted = Pick<Event, 'id' | 'type'>;

interface AcceptedOptions {
  types: readonly string[];
  /** RFC 3339; default: now. */
  since: string | undefined;
  clock: Clock;
  /** @param fromMs events accepted from then on are yielded */
  onBegin(fromMs: number): void;
}

/**
 * Yields every event of these types that is accepted from the beginning on, once, without end. The API lists an event again at each of its
 * changes; an older one that changes now was accepted before.
 */
export async function* acceptedEvents(
  api: Pick<Client, 'page'>,
  { types, since, clock, onBegin }: AcceptedOptions,
): AsyncGenerator<Accepted, never> {
  const known = createKnownIds();
  const fromMs = since === undefined ? await timeOf(api, clock) : Date.parse(since);
  const subscription = { eventTypes: types, sourceIds: [] };
  for await (const event of followChanges(api, { query: {}, since, clock, onBegin: () => onBegin(fromMs) })) {
    if (!('type' in event) || Date.parse(event.received_at) < fromMs || !isSubscribed(subscription, event)) continue;
    if (known.add(event.id)) yield event;
  }
  throw new Error('the changes have ended');
}

/** The time at the API, to the second: the clock of this machine may be another. */
async function timeOf(api: Pick<Client, 'page'>, clock: Clock): Promise<number> {
  const { header } = await api.page('GET /v1/events', { query: { limit: 2, updated_at_gte: '9999-12-31T23:59:59Z' } });
  const answeredAtMs = Date.parse(header('date') ?? '');
  return Number.isNaN(answeredAtMs) ? clock.nowMs() : answeredAtMs;
}

interface Options {
  api: Pick<Client, 'bytes'>;
  secret: string;
  /** Undefined: nothing is sent, only shown. */
  target: string | undefined;
  signal: AbortSignal;
}

/** The request as it was sent, with the answer; or why there was none. */
type SendOn = (event: Accepted) => Promise<Arrival | 'interrupted' | 'no payload'>;

export function createSendOn(context: Context, { api, secret, target, signal }: Options): SendOn {
  const { process, clock, random } = context;
  const key = signingSecret(secret);

  /** Signed anew for each attempt, as by the dispatcher: a receiver refuses an old time. */
  function sign({ id, type }: Accepted, { bytes: body, header }: HttpAnswer, attempt: number) {
    const nowMs = clock.nowMs();
    const headers = {
      'content-type': header('content-type'),
      'content-encoding': header('content-encoding'),
      'user-agent': 'Hookline',
      'accept-encoding': 'identity',
      ...signatureHeaders({ secrets: [key], id, timestampSeconds: Math.floor(nowMs / 1_000), body }),
      'hookline-event-type': headerText(type),
      'hookline-attempt': String(attempt),
    };
    return { headers, nowMs };
  }

  async function send(
    event: Accepted,
    payload: HttpAnswer,
  ): Promise<{ signed: ReturnType<typeof sign>; result?: HttpResult }> {
    let attempt = 1;
    let signed = sign(event, payload, attempt);
    if (target === undefined) return { signed };
    const { result } = await sendAgain(
      () => {
        signed = sign(event, payload, attempt);
        attempt += 1;
        return forwardTo(target, { method: 'POST', headers: signed.headers, body: payload.bytes }, signal);
      },
      {
        clock,
        random,
        maxAttempts: Infinity,
        retriedStatuses: [429, 503],
        signal,
        onRetry(failed, waitMs) {
          process.stderr.write(`${printable(event.id)} waits for ${printable(target)}: `);
          printRetry(context)(failed, waitMs);
        },
      },
    );
    return { signed, result };
  }

  async function readPayload({ id }: Accepted): Promise<HttpAnswer | 'interrupted' | 'no payload'> {
    try {
      return await api.bytes('GET /v1/events/:id/payload', { params: { id } });
    } catch (error) {
      if (signal.aborted) return 'interrupted';
      const failure = error instanceof ApiError ? error.failure : undefined;
      if (failure?.kind !== 'problem' || ![404, 410].includes(failure.status)) throw error;
      process.stderr.write(`${printable(id)} is left out: its payload has been removed\n`);
      return 'no payload';
    }
  }

  return async (event) => {
    const payload = await readPayload(event);
    if (typeof payload === 'string') return payload;
    const { signed, result } = await send(event, payload);
    if (result !== undefined && 'noAnswer' in result) return 'interrupted';
    const { headers, nowMs } = signed;
    const { bytes: body } = payload;
    return {
      atMs: nowMs,
      method: 'POST',
      path: new URL(target ?? 'http://none/').pathname,
      headers,
      body,
      content: await contentOf(body, headers),
      bytes: body.length,
      verdict: verifyArrival(
        { secrets: [secret] },
        { headers, query: '', body, nowSeconds: Math.floor(nowMs / 1_000) },
      ),
      answer: result === undefined ? 'not forwarded' : result.status,
      senderLeft: false,
    };
  };
}

type PollValues = Values<typeof listenOptions>;

export async function poll(values: PollValues, context: Context): Promise<number> {
  const { process, clock, screen } = context;
  const { json, tenant } = values;
  refuseStray(values);
  const target = readTarget(values.forward);
  const count = readCount(values.count);
  const since = readTime('since', values.since, clock.nowMs());
  const [secret = generateSecret()] = values.secret ?? [];
  refuseProblems('hookline', { settings: {}, secret });

  await noteNewTenant(context, openClient(context, undefined), tenant);
  const ended = new AbortController();
  const { signal } = ended;
  const end = (): void => ended.abort();
  const resend = resendOnceAnswered(context, { signal, isBroken: ({ status }) => status >= 500 });
  const api = openClient(context, tenant, { resend, signal });
  const sendOn = createSendOn(context, { api, secret, target, signal });
  const journal = createJournal(context, json);
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
        journal.print(
          { kind: 'polling', secret, from, forward: target },
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
      journal.add(arrival);
      forwarded += 1;
      if (forwarded >= count || signal.aborted) break;
    }
  } catch (error) {
    // A request that Ctrl-C ended.
    if (!signal.aborted) throw error;
  } finally {
    process.removeListener('SIGINT', end).removeListener('SIGTERM', end);
  }
  journal.printSummary();
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
