import fc from 'fast-check';
import { endpointDefaults, secretsContext, type StoredSecret } from '#lib/contract';
import type { HttpRequest } from '#lib/http-client';
import { createManualClock, systemClock } from '#lib/runtime';
import { noTracer } from '#lib/telemetry';
import { mergePatch } from '../../../services/api/http/patch-body.ts';
import { createAttempt } from '../../../services/dispatcher/send/attempt.ts';
import { endpointColumns, endpointOf, type EndpointRow } from '../../../services/dispatcher/model/endpoint.ts';
import { authorization, buildTestApp, testSecretBox } from '../../unit/api/build-test-app.ts';
import { aDelivery, anAnswer } from '../../unit/dispatcher/fixtures.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

interface EndpointJson {
  id: string;
  secret: string;
  [field: string]: unknown;
}

let api: OpenApi;
beforeAll(async () => {
  api = await openApi({ clock: systemClock });
});
afterAll(() => api.close());

const url = 'https://receiver.example/hook';
const post = (body: object, tenant?: string) =>
  api.ask({ method: 'POST', path: '/v1/endpoints', body, ...(tenant && { tenant }) });
const create = async (body: object = {}, tenant?: string): Promise<EndpointJson> => {
  const answer = await post({ url, ...body }, tenant);
  expect(answer.status).toBe(201);
  return answer.json<EndpointJson>();
};
const read = (id: string) => api.ask({ path: `/v1/endpoints/${id}` });
const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  api.ask({ method: 'PATCH', path: `/v1/endpoints/${id}`, body: JSON.stringify(body), headers });
const act = (id: string, action: string, body?: object, headers: Record<string, string> = {}) =>
  api.ask({ method: 'POST', path: `/v1/endpoints/${id}/${action}`, ...(body && { body }), headers });

const rowOf = async (id: string): Promise<EndpointRow> => {
  const [row] = await api.postgres.query<EndpointRow>(
    `SELECT ${endpointColumns}, history FROM endpoints WHERE id = $1`,
    [id],
  );
  if (row === undefined) throw new Error(`no endpoint ${id}`);
  return row;
};
const stored = async (id: string): Promise<StoredSecret[]> =>
  JSON.parse(
    testSecretBox.open((await rowOf(id)).secrets, secretsContext('endpoints', 'default', id)),
  ) as StoredSecret[];

const without = (json: object, ...names: string[]): object =>
  Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name)));

/** As the dispatcher does it. */
const closeAs = (id: string, reason: string) =>
  api.postgres.query(
    `UPDATE endpoints SET disabled_at = clock_timestamp(), changed_at = clock_timestamp(), disabled_reason = $2,
                          failing_since = clock_timestamp()
      WHERE id = $1`,
    [id, reason],
  );

describe('a PATCH', () => {
  test('changes what it names, leaves the rest, and is what a GET then shows', async () => {
    const { secret, ...endpoint } = await create({ event_types: ['a'], rate_limit: { per_second: 1, burst: 2 } });
    const before = await rowOf(endpoint.id);
    const answer = await patch(endpoint.id, {
      url: 'https://other.example/',
      description: 'moved',
      ordered: true,
      rate_limit: { burst: 5 },
      retry: { schedule: [1, 2] },
    });
    expect(answer.status).toBe(200);
    const after = {
      ...endpoint,
      url: 'https://other.example/',
      description: 'moved',
      ordered: true,
      rate_limit: { per_second: 1, burst: 5 },
      retry: { schedule: [1, 2], jitter: 0 },
      effective_at: expect.any(String) as string,
    };
    expect(answer.json()).toEqual(after);
    expect(answer.json<EndpointJson>()['effective_at']).not.toBe(endpoint['effective_at']);
    expect((await read(endpoint.id)).json()).toEqual(after);
    expect(await stored(endpoint.id)).toEqual([{ secret }]);
    const row = await rowOf(endpoint.id);
    expect(row.revision).toBe(before.revision + 1);
    expect(row.changed_at > before.changed_at).toBe(true);
  });

  test('by null goes back to the default', async () => {
    const { id } = await create({
      description: 'd',
      event_types: ['a'],
      ordered: true,
      timeout_ms: 100,
      retry: { schedule: [1], jitter: 0.5 },
    });
    const answer = await patch(id, {
      description: null,
      event_types: null,
      ordered: null,
      timeout_ms: null,
      retry: { schedule: null, jitter: null, base_seconds: 1 },
    });
    expect(answer.json()).toMatchObject({
      description: '',
      event_types: [],
      ordered: false,
      timeout_ms: 5_000,
      retry: { ...endpointDefaults.retry, base_seconds: 1 },
    });
    expect((await rowOf(id)).settings).toEqual({ retry: { base_seconds: 1 } });
  });

  test('leaves shorter waits than the operator allows by now, and takes no others', async () => {
    const { ask } = buildTestApp({ postgres: api.postgres, clock: systemClock, minRetrySeconds: 1 });
    const headers = { authorization, 'content-type': 'application/json' };
    const change = async (id: string, body: object) => {
      const answer = await ask({ method: 'PATCH', path: `/v1/endpoints/${id}`, headers, body: JSON.stringify(body) });
      return answer.status === 200
        ? 200
        : answer.json<{ errors: { field: string }[] }>().errors.map(({ field }) => field);
    };
    const backoff = await create({ retry: { base_seconds: 0.1, cap_seconds: 2 } });
    expect(await change(backoff.id, { description: 'kept' })).toBe(200);
    expect(await change(backoff.id, { retry: { base_seconds: 0.1, max_attempts: 3 } })).toBe(200);
    expect(await change(backoff.id, { retry: { base_seconds: 0.2 } })).toEqual(['/retry/base_seconds']);
    expect(await change(backoff.id, { retry: { base_seconds: 1 } })).toBe(200);
    expect(await change(backoff.id, { retry: { base_seconds: 0.1 } })).toEqual(['/retry/base_seconds']);
    const schedule = await create({ retry: { schedule: [0, 60] } });
    expect(await change(schedule.id, { retry: { schedule: [0, 60], jitter: 0.5 } })).toBe(200);
    expect(await change(schedule.id, { retry: { schedule: [0, 61] } })).toEqual(['/retry/schedule/0']);
    expect(await change(schedule.id, { retry: { schedule: [1, 61] } })).toBe(200);
    expect((await read(schedule.id)).json()).toMatchObject({ retry: { schedule: [1, 61], jitter: 0.5 } });
  });

  test('replaces a filter as a whole, nulls in it included, and by null takes it away', async () => {
    const { id } = await create({ filter: { a: 1, b: { $gt: 2 } } });
    const filters = [{ b: null, c: { $in: [1, 'x', null] } }, { z: 1, aa: { $exists: false } }, null] as const;
    for (const filter of filters) {
      expect((await patch(id, { filter })).json()).toMatchObject({ filter });
      expect((await patch(id, { description: JSON.stringify(filter) })).json()).toMatchObject({ filter });
      expect((await rowOf(id)).filter).toEqual(filter);
    }
  });

  test.each([
    [{ url: null }, '/url'],
    [{ url: 'nowhere' }, '/url'],
    [{ ur: url }, '/ur'],
    [{ disabled_at: null }, '/disabled_at'],
    [{ secret: 'another' }, '/secret'],
    [{ ordered: 1 }, '/ordered'],
    [{ filter: { $where: '1' } }, '/filter/$where'],
    [{ event_types: ['a', 'a'] }, '/event_types'],
    [{ source_ids: [`src_${'0'.repeat(26)}`] }, '/source_ids/0'],
    [{ rate_limit: { burst: 5 } }, '/rate_limit/per_second'],
    // The resulting settings are judged, not the change by itself.
    [{ retry: { cap_seconds: 1 } }, '/retry/cap_seconds'],
    [{ retry: { schedule: [1] } }, '/retry/base_seconds'],
    [{ retry: { base_seconds: null, jitter: 0.5 } }, '/retry/jitter'],
    [['url'], '(body)'],
    [null, '(body)'],
  ])('of %j is refused at %s, and changes nothing', async (body, field) => {
    const { id } = await create({ retry: { base_seconds: 2 } });
    const before = await read(id);
    const answer = await patch(id, body);
    expect(answer.json()).toMatchObject({ status: 400, code: 'validation_failed', errors: [{ field }] });
    expect((await read(id)).text).toBe(before.text);
    expect((await read(id)).headers.etag).toBe(before.headers.etag);
  });

  test('comes to what a POST of the merged endpoint comes to, whatever the two are', async () => {
    const retry = fc.record(
      {
        base_seconds: fc.constantFrom(1, 100, null),
        cap_seconds: fc.constantFrom(10, 1_000, null),
        schedule: fc.constantFrom([1, 2], [7 * 24 * 3600], null),
        jitter: fc.constantFrom(0.5, 1, 2, null),
      },
      { requiredKeys: [] },
    );
    const body = fc.record(
      {
        url: fc.constantFrom(url, 'https://other.example/', 'https://127.0.0.1/', null),
        description: fc.constantFrom('one', 'two', null),
        event_types: fc.constantFrom(['a'], ['b', 'c'], null),
        timeout_ms: fc.constantFrom(100, 60_000, 1, null),
        rate_limit: fc.record({ per_second: fc.constant(1), burst: fc.constant(2) }, { requiredKeys: [] }),
        ordered: fc.option(fc.boolean()),
        retry: fc.oneof(retry, fc.constant(null)),
      },
      { requiredKeys: [] },
    );
    const essence = (answer: { status: number; json<T>(): T }): object => {
      const shown = answer.json<Record<string, unknown> & { errors?: { field: string }[] }>();
      if (answer.status >= 300) return { code: shown['code'], fields: shown.errors?.map(({ field }) => field).sort() };
      return without(shown, 'id', 'secret', 'created_at', 'effective_at');
    };
    let created = 0;
    await fc.assert(
      fc.asyncProperty(body, body, async (given, patched) => {
        const first = await post(mergePatch({ url }, given) as object);
        fc.pre(first.status === 201);
        created += 1;
        const merged = mergePatch(mergePatch({ url }, given), patched) as object;
        const [patchedAnswer, postedAnswer] = [await patch(first.json<EndpointJson>().id, patched), await post(merged)];
        expect(essence(patchedAnswer)).toEqual(essence(postedAnswer));
      }),
      { numRuns: 60 },
    );
    expect(created).toBeGreaterThan(20);
  });

  test('may not lead to where deliveries may not go, but leaves alone what was let in once', async () => {
    const { id } = await create();
    const refused = await patch(id, { url: 'https://169.254.169.254/' });
    expect(refused.json()).toMatchObject({ code: 'url_not_allowed', errors: [{ field: '/url' }] });

    const source = (
      await api.ask({ method: 'POST', path: '/v1/sources', body: { name: 's', scheme: 'github' } })
    ).json<EndpointJson>();
    await api.postgres.query('UPDATE endpoints SET url = $2, source_ids = $3 WHERE id = $1', [
      id,
      'https://127.0.0.1/',
      [source.id],
    ]);
    await api.ask({ method: 'DELETE', path: `/v1/sources/${source.id}` });
    expect((await patch(id, { description: 'still here' })).status).toBe(200);
    expect((await patch(id, { source_ids: [source.id, `src_${'0'.repeat(26)}`] })).json()).toMatchObject({
      errors: [{ field: '/source_ids/1' }],
    });
    expect((await patch(id, { url: 'https://127.0.0.2/' })).json()).toMatchObject({ code: 'url_not_allowed' });
  });

  test('is taken for an endpoint that is disabled, which it stays', async () => {
    const { id } = await create();
    await act(id, 'disable');
    const answer = await patch(id, { url: 'https://other.example/' });
    expect(answer.json()).toMatchObject({ url: 'https://other.example/', disabled_reason: 'by_request' });
  });
});

describe('If-Match', () => {
  test('lets a change through only while the endpoint is as the client knows it', async () => {
    const { id } = await create();
    const { etag = '' } = (await read(id)).headers;
    const changed = await patch(id, { description: 'first' }, { 'if-match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(etag);

    const stale = { 'if-match': etag };
    for (const answer of [
      await patch(id, { description: 'second' }, stale),
      await act(id, 'rotate-secret', {}, stale),
      await act(id, 'disable', {}, stale),
      await act(id, 'enable', {}, stale),
      await api.ask({ method: 'DELETE', path: `/v1/endpoints/${id}`, headers: stale }),
    ])
      expect(answer.json()).toMatchObject({ status: 412, code: 'precondition_failed' });
    expect((await read(id)).json()).toMatchObject({ description: 'first', disabled_at: null });
    expect((await act(id, 'disable', {}, { 'if-match': changed.headers.etag ?? '' })).status).toBe(200);
  });

  test('lets one of two operators through, and changes of other fields without it are all kept', async () => {
    const { id } = await create();
    const { etag = '' } = (await read(id)).headers;
    const answers = await Promise.all(
      ['a', 'b'].map((description) => patch(id, { description }, { 'if-match': etag })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);

    const fields = { description: 'c', timeout_ms: 100, max_in_flight: 2, ordered: true, event_types: ['x'] };
    await Promise.all(Object.entries(fields).map(([name, value]) => patch(id, { [name]: value })));
    expect((await read(id)).json()).toMatchObject(fields);
  });
});

describe('a rotation', () => {
  /** How the dispatcher signs, that many seconds from now. */
  async function signatures(id: string, inSeconds: number): Promise<{ hookline: number; standard: number }> {
    const requests: HttpRequest[] = [];
    const attempt = createAttempt({
      openHeader: () => undefined,
      trails: { sign: () => undefined },
      tracer: noTracer,
      clock: createManualClock(Date.now() + inSeconds * 1_000),
      http: {
        send: async (request) => {
          requests.push(request);
          return anAnswer(200);
        },
      },
    });
    const endpoint = endpointOf(await rowOf(id), {
      secretBox: testSecretBox,
      longestWindowMs: 1,
      longestLifeMs: 1,
      onUnreadable: (error) => {
        throw error;
      },
    });
    await attempt(aDelivery(), endpoint, 1);
    const headers = requests[0]?.headers ?? {};
    return {
      hookline: headers['hookline-signature']?.split(',v1=').slice(1).length ?? 0,
      standard: headers['webhook-signature']?.split(' ').length ?? 0,
    };
  }

  test('shows the new secret once; deliveries are signed with both until the overlap has passed', async () => {
    const endpoint = await create();
    const answer = await act(endpoint.id, 'rotate-secret', { overlap_seconds: 600 });
    expect(answer.status).toBe(200);
    const { secret, previous_expires_at: endsAt } = answer.json<{ secret: string; previous_expires_at: string }>();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await stored(endpoint.id)).toEqual([{ secret }, { secret: endpoint.secret, expires_at: endsAt }]);
    expect((await read(endpoint.id)).text).not.toContain(secret);
    expect((await rowOf(endpoint.id)).revision).toBe(2);

    expect(await signatures(endpoint.id, 0)).toEqual({ hookline: 2, standard: 2 });
    expect(await signatures(endpoint.id, 500)).toEqual({ hookline: 2, standard: 2 });
    expect(await signatures(endpoint.id, 700)).toEqual({ hookline: 1, standard: 1 });
  });

  test('takes a secret of one’s own, and without an overlap ends all others', async () => {
    const { id } = await create();
    await act(id, 'rotate-secret');
    const answer = await act(id, 'rotate-secret', { secret: 'my own', overlap_seconds: 0 });
    expect(answer.json()).toEqual({ secret: 'my own', previous_expires_at: null });
    expect(await stored(id)).toEqual([{ secret: 'my own' }]);
    expect(await signatures(id, 0)).toEqual({ hookline: 1, standard: 1 });
  });

  test('that comes with others at once loses none of them, and is refused while five are in force', async () => {
    const { id, secret } = await create();
    const answers = await Promise.all(Array.from({ length: 4 }, () => act(id, 'rotate-secret')));
    const given = answers.map((answer) => answer.json<EndpointJson>().secret);
    expect(new Set((await stored(id)).map((one) => one.secret))).toEqual(new Set([secret, ...given]));
    expect((await act(id, 'rotate-secret')).json()).toMatchObject({ status: 409, code: 'conflict' });
  });

  test.each([
    [{ overlap_seconds: -1 }, '/overlap_seconds'],
    [{ secret: 'whsec_ ' }, '/secret'],
    [{ url }, '/url'],
  ])('of %j is refused at %s', async (body, field) => {
    const { id, secret } = await create();
    expect((await act(id, 'rotate-secret', body)).json()).toMatchObject({ status: 400, errors: [{ field }] });
    expect(await stored(id)).toEqual([{ secret }]);
  });
});

describe('an endpoint', () => {
  test('is disabled by request, and stays as it is when that is asked again', async () => {
    const { id } = await create();
    const answer = await act(id, 'disable');
    expect([answer.status, answer.json()]).toEqual([
      200,
      expect.objectContaining({ disabled_at: expect.any(String) as string, disabled_reason: 'by_request' }),
    ]);
    const again = await act(id, 'disable');
    expect([again.status, again.text, again.headers.etag]).toEqual([200, answer.text, answer.headers.etag]);
    expect((await read(id)).text).toBe(answer.text);
  });

  test.each(['by_request', 'gone', 'failing'])(
    'that is disabled as %s is enabled, and counts as new',
    async (reason) => {
      const endpoint = await create();
      const { id } = endpoint;
      await closeAs(id, reason);
      const closed = await act(id, 'disable');
      expect(closed.json()).toMatchObject({ disabled_reason: reason });

      const answer = await act(id, 'enable');
      expect([answer.status, answer.json()]).toEqual([
        200,
        { ...without(endpoint, 'secret'), effective_at: expect.any(String) as string },
      ]);
      // Its revision differs from the one that a 410 still in flight has seen.
      expect(answer.headers.etag).not.toBe(closed.headers.etag);
      const again = await act(id, 'enable');
      expect([again.status, again.text, again.headers.etag]).toEqual([200, answer.text, answer.headers.etag]);
    },
  );

  const changes = [
    ['PATCH', '', { description: 'x' }],
    ['POST', '/rotate-secret', {}],
    ['POST', '/disable', {}],
    ['POST', '/enable', {}],
    ['POST', '/recover', { since: '2026-01-01T00:00:00Z' }],
  ] as const;

  test.each(changes)('of another tenant, or none, is not there: %s %s', async (method, below, body) => {
    const { id } = await create({}, 'acme');
    const before = await api.ask({ path: `/v1/endpoints/${id}`, tenant: 'acme' });
    for (const which of [id, `ep_${'0'.repeat(26)}`, 'ep_none']) {
      const answer = await api.ask({ method, path: `/v1/endpoints/${which}${below}`, tenant: 'rival', body });
      expect(answer.json()).toMatchObject({ status: 404, code: 'not_found' });
    }
    const after = await api.ask({ path: `/v1/endpoints/${id}`, tenant: 'acme' });
    expect([after.text, after.headers.etag]).toEqual([before.text, before.headers.etag]);
  });

  test.each(changes)('that was deleted is gone: %s %s', async (method, below, body) => {
    const { id } = await create();
    await api.ask({ method: 'DELETE', path: `/v1/endpoints/${id}` });
    const answer = await api.ask({ method, path: `/v1/endpoints/${id}${below}`, body });
    expect(answer.json()).toMatchObject({ status: 410, code: 'gone' });
  });

  test.each(['disable', 'enable'])('takes no body to %s, or an empty one', async (action) => {
    const { id } = await create();
    expect((await act(id, action)).status).toBe(200);
    expect((await act(id, action, {})).status).toBe(200);
    expect((await act(id, action, { reason: 'x' })).json()).toMatchObject({ errors: [{ field: '/reason' }] });
  });
});
