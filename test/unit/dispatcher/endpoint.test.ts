import { createManualClock, formatMicros } from '#lib/clock';
import { secretsContext, type StoredSecret } from '#lib/contract';
import { AppError } from '#lib/errors';
import { judgedPayload } from '#lib/event-filter';
import { silentLogger } from '#lib/log';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import { type Endpoint, endpointOf, type EndpointRow } from '../../../services/dispatcher/endpoint.ts';
import { createEndpointDirectory } from '../../../services/dispatcher/endpoint-directory.ts';
import { startMicros } from './fixtures.ts';

const secretBox = createSecretBox(parseEncryptionKeys([`test:${Buffer.alloc(32, 1).toString('base64')}`]));

function aRow(overrides: Partial<EndpointRow> = {}, secrets: StoredSecret[] = [{ secret: 'whsec_new' }]): EndpointRow {
  return {
    tenant: 'acme',
    id: 'ep_1',
    url: 'https://receiver.test/',
    event_types: ['order.*'],
    source_ids: [],
    filter: null,
    history: [],
    settings: {},
    secrets: secretBox.seal(JSON.stringify(secrets), secretsContext('endpoints', 'acme', 'ep_1')),
    revision: 3,
    created_at: formatMicros(startMicros),
    changed_at: formatMicros(startMicros),
    failing_since: null,
    disabled_at: null,
    deleted_at: null,
    ...overrides,
  };
}
const longestWindowMs = 14 * 24 * 3_600_000;
const read = (row: EndpointRow, onUnreadable?: (error: AppError) => void): Endpoint =>
  endpointOf(row, {
    secretBox,
    longestWindowMs,
    onUnreadable:
      onUnreadable ??
      ((error) => {
        throw error;
      }),
  });

describe('an endpoint', () => {
  it('has the defaults of what was not set', () => {
    expect(read(aRow())).toMatchObject({
      timeoutMs: 5_000,
      maxInFlight: 10,
      retry: {
        kind: 'backoff',
        baseMs: 5_000,
        capMs: 43_200_000,
        windowMs: 259_200_000,
        maxAttempts: Number.POSITIVE_INFINITY,
      },
      createdAt: startMicros,
      disabledAt: null,
      deletedAt: null,
    });
  });

  it('has what was set, in part too', () => {
    const settings = { timeout_ms: 1_000, max_in_flight: 2, retry: { base_seconds: 0.5, max_attempts: 3 } };
    expect(read(aRow({ settings }))).toMatchObject({
      timeoutMs: 1_000,
      maxInFlight: 2,
      retry: { kind: 'backoff', baseMs: 500, capMs: 43_200_000, windowMs: 259_200_000, maxAttempts: 3 },
    });
  });

  it('has both secrets while one is rotated', () => {
    const secrets = [{ secret: 'whsec_new' }, { secret: 'whsec_old', expires_at: formatMicros(startMicros + 5) }];
    expect(read(aRow({}, secrets)).secrets).toEqual([
      { secret: 'whsec_new', expiresAt: null },
      { secret: 'whsec_old', expiresAt: startMicros + 5 },
    ]);
  });

  it('has none where they do not open, and says so', () => {
    const errors: AppError[] = [];
    const { secrets } = read(aRow({ secrets: Buffer.from('changed') }), (error) => errors.push(error));
    expect(secrets).toEqual([]);
    expect(errors).toMatchObject([{ code: 'data_invalid' }]);
  });

  it('has the waits of its schedule, no jitter that was not asked for, and the longest window that payloads are kept for', () => {
    expect(read(aRow({ settings: { retry: { schedule: [0.5, 60] } } })).retry).toEqual({
      kind: 'schedule',
      waitsMs: [500, 60_000],
      jitter: 0,
      capMs: 43_200_000,
      windowMs: longestWindowMs,
    });
    expect(read(aRow({ settings: { retry: { schedule: [5], jitter: 0.2 } } })).retry).toMatchObject({ jitter: 0.2 });
  });

  it('has its filter, and what it was to get before', () => {
    const filter = { 'data.amount': { $gte: 100 } };
    const history = [
      { until: formatMicros(startMicros), open: false, event_types: ['a'], source_ids: ['src_1'], filter },
    ];
    const { subscription, past } = read(aRow({ filter, history, disabled_at: formatMicros(startMicros) }));
    const small = judgedPayload(Buffer.from('{"data":{"amount":99}}'));
    expect(subscription).toMatchObject({ open: false, eventTypes: ['order.*'], sourceIds: [] });
    expect(past).toMatchObject([{ until: startMicros, open: false, eventTypes: ['a'], sourceIds: ['src_1'] }]);
    expect([subscription.filter?.(small), past[0]?.filter?.(small)]).toEqual([false, false]);
    expect(read(aRow()).subscription).toMatchObject({ open: true });
    expect(read(aRow()).subscription.filter).toBeNull();
  });

  it('gets every payload where its filter can’t be used, and says so', () => {
    const errors: AppError[] = [];
    const { subscription } = read(aRow({ filter: { $where: 'true' } }), (error) => errors.push(error));
    expect(subscription.filter).toBeNull();
    expect(errors).toMatchObject([{ code: 'data_invalid' }]);
  });
});

describe('the directory of endpoints', () => {
  it('knows what Postgres last told, also while it is away, and how old that is', async () => {
    const clock = createManualClock();
    let answer: () => EndpointRow[] = () => [aRow(), aRow({ id: 'ep_2', tenant: 'other' })];
    const directory = createEndpointDirectory({
      postgres: { query: async <T extends object>() => answer() as unknown as T[] },
      secretBox,
      longestWindowMs,
      clock,
      log: silentLogger,
    });
    expect(directory.ageMs()).toBe(Number.POSITIVE_INFINITY);
    await directory.start();
    expect(directory.get('acme', 'ep_1')).toMatchObject({ id: 'ep_1', deletedAt: null });
    expect(directory.get('acme', 'ep_2')).toBeUndefined();
    expect([...directory.ofTenant('other')].map(({ id }) => id)).toEqual(['ep_2']);
    expect([...directory.ofTenant('nobody')]).toEqual([]);

    answer = () => [aRow({ changed_at: formatMicros(startMicros + 1), deleted_at: formatMicros(startMicros + 1) })];
    await clock.advance(1_000);
    expect(directory.get('acme', 'ep_1')).toMatchObject({ deletedAt: startMicros + 1 });
    expect(directory.ageMs()).toBe(0);

    answer = () => {
      throw new AppError('store_unavailable', 'away');
    };
    await clock.advance(10_000);
    expect(directory.get('acme', 'ep_1')).toBeDefined();
    expect(directory.ageMs()).toBe(10_000);
    await expect(directory.refresh()).rejects.toMatchObject({ code: 'store_unavailable' });
    const stopping = directory.stop();
    await clock.advance(1_000);
    await stopping;
  });
});
