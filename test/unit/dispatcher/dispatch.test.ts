import type { SentRequest } from '#lib/contract';
import type { HttpResult } from '#lib/http-client';
import { createManualClock, noCrashPoints, silentLogger } from '#lib/runtime';
import { createDispatch } from '../../../services/dispatcher/send/dispatch.ts';
import type { Endpoint } from '../../../services/dispatcher/model/endpoint.ts';
import type { Job } from '../../../services/dispatcher/model/job.ts';
import type { JobEnd } from '../../../services/dispatcher/lanes/scheduler.ts';
import type { SendVerdict } from '../../../services/dispatcher/endpoints/send-verdict.ts';
import {
  aFailure,
  anAnswer,
  anEndpoint,
  aRecordJob,
  aRowJob,
  aSentRequest,
  noLag,
  noMetrics,
  secondMicros,
  startMicros,
} from './fixtures.ts';

interface Readings {
  read?: () => Promise<void> | undefined;
  holdsMembership?: () => boolean;
}

function createWorld(
  endpoint: Endpoint | undefined,
  result: HttpResult = aFailure('timeout', { detail: 'late' }),
  newer: Endpoint | undefined = endpoint,
  request: SentRequest | null = aSentRequest,
  /** Asked before each send, and after one that has failed. */
  isErased: () => 'event' | 'tenant' | false = () => false,
  { read = () => undefined, holdsMembership = () => true }: Readings = {},
) {
  const clock = createManualClock();
  let refreshed = false;
  let erasedNow: ReturnType<typeof isErased> = false;
  const calls: unknown[][] = [];
  const lines: Record<string, unknown>[] = [];
  const write =
    (name: string) =>
    async (...given: unknown[]): Promise<void> =>
      void calls.push([name, ...given.slice(1)]);
  const verdicts: SendVerdict[] = [];
  const observed: [string, boolean][] = [];
  const work = createDispatch({
    erased: {
      has: () => (erasedNow = isErased()) !== false,
      hasTenant: () => erasedNow === 'tenant',
      recent: () => undefined,
    },
    holdsMembership,
    onDropped: (tenant) => void calls.push(['counted', tenant]),
    directory: {
      get: () => (refreshed ? newer : endpoint),
      ageMs: () => 500,
      recent: read,
      refresh: async () => void (refreshed = true),
    },
    attempt: async (_delivery, _endpoint, attempt) => {
      calls.push(['sent', attempt]);
      return { result, duration_ms: 3, request };
    },
    outcomes: {
      attempted: write('attempted'),
      ended: write('ended'),
      parked: write('parked'),
      malformed: write('malformed'),
      dropped: () => void calls.push(['dropped']),
    },
    disableEndpoint: async ({ id, revision }, { reason }) => {
      calls.push(['disabled', id, revision, reason]);
      return true;
    },
    endpointFailing: { observe: ({ id }, taken) => void observed.push([id, taken]) },
    metrics: noMetrics,
    lag: noLag,
    crashPoints: noCrashPoints,
    clock,
    random: () => 0.5,
    log: { ...silentLogger, isOn: () => true, info: (line) => void lines.push(line) },
  });
  const dispatch = (job: Job): Promise<JobEnd> => work(job, (verdict) => verdicts.push(verdict));
  return { dispatch, clock, calls, lines, verdicts, observed };
}

describe('a job whose turn has come', () => {
  it.each([
    [
      'a deleted endpoint is cancelled',
      anEndpoint({ deletedAt: 1, disabledAt: 1 }),
      { status: 'cancelled', reason: 'endpoint_deleted' },
    ],
    [
      'a disabled endpoint is a dead letter',
      anEndpoint({ disabledAt: 1 }),
      { status: 'dead_lettered', reason: 'endpoint_disabled' },
    ],
    ['an endpoint that never was is a dead letter', undefined, { status: 'dead_lettered', reason: 'endpoint_unknown' }],
  ])('of %s, and not sent', async (_title, endpoint, end) => {
    const { dispatch, calls, verdicts } = createWorld(endpoint);
    await dispatch(aRecordJob());
    await dispatch(aRowJob());
    expect(verdicts).toEqual([]);
    expect(calls).toEqual([
      ['ended', end],
      ['ended', end],
    ]);
  });

  it('goes by a recent reading, for which it waits', async () => {
    const reading = Promise.withResolvers<void>();
    const world = createWorld(anEndpoint(), anAnswer(204), undefined, undefined, undefined, {
      read: () => reading.promise,
    });
    const sending = world.dispatch(aRecordJob());
    await world.clock.advance(100);
    expect(world.calls).toEqual([]);
    reading.resolve();
    expect(await sending).toBe('over');
    expect(world.calls[0]).toEqual(['sent', 1]);
  });

  it('with an order that had to wait for a reading is sent only once its partition is ours for sure, and not once it is lost', async () => {
    const order = { key: 'k', sequence: 1n, partition: 0 };
    let holds = false;
    const readings = { read: async () => undefined, holdsMembership: () => holds };
    const ours = createWorld(anEndpoint({ ordered: true }), anAnswer(204), undefined, undefined, undefined, readings);
    const sending = ours.dispatch({ ...aRowJob(), order });
    await ours.clock.advance(1_000);
    expect(ours.calls).toEqual([]);
    holds = true;
    await ours.clock.advance(100);
    expect(await sending).toBe('over');
    expect(ours.calls[0]).toEqual(['sent', expect.any(Number)]);

    holds = false;
    const lost = new AbortController();
    const others = createWorld(anEndpoint({ ordered: true }), anAnswer(204), undefined, undefined, undefined, readings);
    const given = others.dispatch({ ...aRowJob(), order, signal: lost.signal });
    await others.clock.advance(1_000);
    lost.abort();
    await others.clock.advance(100);
    expect([await given, others.calls]).toEqual(['waits', []]);
  });

  it('of an event that was erased is cancelled, and not sent', async () => {
    const { dispatch, calls } = createWorld(anEndpoint(), undefined, undefined, undefined, () => 'event');
    expect(await dispatch(aRecordJob())).toBe('over');
    expect(await dispatch(aRowJob())).toBe('over');
    const end = ['ended', { status: 'cancelled', reason: 'event_erased' }];
    expect(calls).toEqual([end, end]);
  });

  it('of a deleted tenant is dropped and counted: nothing is sent or written', async () => {
    const { dispatch, calls } = createWorld(anEndpoint(), undefined, undefined, undefined, () => 'tenant');
    expect(await dispatch(aRecordJob())).toBe('over');
    expect(calls).toEqual([['dropped'], ['counted', 'acme']]);
  });

  it.each([
    ['fails', undefined, ['ended', { status: 'cancelled', reason: 'event_erased' }]],
    ['is taken', anAnswer(204), ['attempted', expect.anything(), { status: 'delivered' }]],
  ])(
    'whose event is erased while it is sent, and which %s, keeps no answer but a success',
    async (_, result, written) => {
      let asked = 0;
      const isErased = () => ((asked += 1) > 1 ? 'event' : false);
      const { dispatch, calls } = createWorld(anEndpoint(), result, undefined, undefined, isErased);
      await dispatch(aRecordJob());
      expect(calls).toEqual([['sent', 1], written]);
    },
  );

  it('is sent where its endpoint has been opened again, of which this process had not heard', async () => {
    const closed = anEndpoint({ disabledAt: 1 });
    const { dispatch, calls } = createWorld(closed, undefined, anEndpoint({ revision: 2 }));
    await dispatch(aRecordJob());
    expect(calls[0]).toEqual(['sent', 1]);
  });

  it('is sent, and what came of it written with the time of the next attempt', async () => {
    const { dispatch, calls, verdicts } = createWorld(anEndpoint());
    await dispatch(aRowJob({}, { step: 5, attempts: 3 }));
    expect(verdicts).toEqual([{ kind: 'unreachable' }]);
    expect(calls).toEqual([
      ['sent', 4],
      [
        'attempted',
        expect.objectContaining({ outcome: 'timeout', http_status: null, duration_ms: 3, detail: 'late' }),
        { status: 'retrying', dueAt: startMicros + 20 * secondMicros, notBefore: null },
      ],
    ]);
  });

  it('keeps what the endpoint answered', async () => {
    const excerpt = Buffer.from('sorry');
    const { dispatch, calls } = createWorld(anEndpoint(), anAnswer(502, { excerpt }));
    await dispatch(aRecordJob());
    expect(calls[1]?.[1]).toMatchObject({
      outcome: 'http_5xx',
      http_status: 502,
      duration_ms: 3,
      detail: 'answered 502',
      response_excerpt: excerpt,
      request: aSentRequest,
    });
  });

  it('disables the endpoint, in the revision that it was sent to, once a 410 is written down', async () => {
    const { dispatch, calls } = createWorld(anEndpoint({ revision: 7 }), anAnswer(410));
    await dispatch(aRecordJob());
    expect(calls.map(([name]) => name)).toEqual(['sent', 'attempted', 'disabled']);
    expect(calls[1]?.[2]).toEqual({ status: 'dead_lettered', reason: 'endpoint_gone' });
    expect(calls[2]).toEqual(['disabled', 'ep_1', 7, 'gone']);
  });

  it('disables nothing for a 410 in an odd head', async () => {
    const { dispatch, calls } = createWorld(anEndpoint(), anAnswer(410, { oddity: 'a line is no header' }));
    await dispatch(aRecordJob());
    expect(calls.map(([name]) => name)).toEqual(['sent', 'attempted']);
    expect(calls[1]?.[2]).toMatchObject({ status: 'retrying' });
  });

  it('tells whether the endpoint took it, unless nothing was sent for a reason of ours', async () => {
    const taken = createWorld(anEndpoint(), anAnswer(204));
    const refused = createWorld(anEndpoint(), anAnswer(429, { retryAfter: '5' }));
    const unsigned = createWorld(anEndpoint(), aFailure('blocked'), undefined, null);
    for (const { dispatch } of [taken, refused, unsigned]) await dispatch(aRecordJob());
    expect([taken.observed, refused.observed, unsigned.observed]).toEqual([[['ep_1', true]], [['ep_1', false]], []]);
  });

  it('is over with its delivery, or leaves it to wait: what stands behind it in an order is sent, or waits too', async () => {
    const endOf = async (endpoint: Endpoint | undefined, status: number): Promise<JobEnd> => {
      const { dispatch } = createWorld(endpoint, anAnswer(status));
      return dispatch(aRecordJob());
    };
    const once = { ...anEndpoint().retry, maxAttempts: 1 } as Endpoint['retry'];
    expect(await endOf(anEndpoint(), 500)).toBe('waits');
    expect(await endOf(anEndpoint(), 200)).toBe('over');
    expect(await endOf(anEndpoint({ retry: once }), 500)).toBe('over');
    expect(await endOf(anEndpoint({ deletedAt: 1 }), 200)).toBe('over');
    expect(await endOf(undefined, 200)).toBe('over');
  });

  it('logs one line, without payload or secret', async () => {
    const ok = anAnswer(204, { excerpt: Buffer.from('body of the answer'), headers: [['x-note', 'header of it']] });
    const { dispatch, lines } = createWorld(anEndpoint(), ok);
    await dispatch(aRecordJob({ payload: Buffer.from('body of the event') }));
    expect(lines).toMatchObject([
      {
        event: 'delivery.attempted',
        deliveryId: 'dlv_1',
        outcome: 'delivered',
        httpStatus: 204,
        status: 'delivered',
        attempt: 1,
        step: 1,
      },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/body of|header of|receiver.test|whsec_/);
  });

  it('tells the operator alone what our network looks like inside', async () => {
    const inside = '10.0.0.5 is in 10.0.0.0/8';
    const refused = aFailure('blocked', { detail: 'the host’s address is not allowed', operatorDetail: inside });
    const { dispatch, calls, lines } = createWorld(anEndpoint(), refused);
    await dispatch(aRecordJob());
    expect(lines).toMatchObject([{ detail: 'the host’s address is not allowed', operatorDetail: inside }]);
    expect(calls[1]?.[1]).toMatchObject({ detail: 'the host’s address is not allowed' });
    expect(JSON.stringify(calls)).not.toContain('10.0.0.5');
  });
});
