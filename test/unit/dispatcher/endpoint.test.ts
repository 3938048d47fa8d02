import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import {
  endpointDefaults,
  type EndpointSettings,
  privateContext,
  secretsContext,
  splitSettings,
  type StoredSecret,
} from '#lib/contract';
import { matchedPayload } from '#lib/event-filter';
import { AppError, createManualClock, formatMicros, silentLogger } from '#lib/runtime';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import { generatePrivateKey, publicKeyOf } from '#lib/signatures';
import { type Endpoint, endpointOf, type EndpointRow } from '../../../services/dispatcher/model/endpoint.ts';
import { createEndpointDirectory } from '../../../services/dispatcher/endpoints/endpoint-directory.ts';
import { fakeFollowedTable } from '../../support/fake-followed-table.ts';
import { startMicros } from './fixtures.ts';

const secretBox = createSecretBox(parseEncryptionKeys([`test:${Buffer.alloc(32, 1).toString('base64')}`]));

function aRow(overrides: Partial<EndpointRow> = {}, secrets: StoredSecret[] = [{ secret: 'whsec_new' }]): EndpointRow {
  return {
    tenant: 'acme',
    id: 'ep_1',
    url: 'https://receiver.test/',
    url_by_portal: false,
    event_types: ['order.*'],
    source_ids: [],
    filter: null,
    history: [],
    settings: {},
    private: null,
    secrets: secretBox.seal(JSON.stringify(secrets), secretsContext('endpoints', 'acme', 'ep_1')),
    revision: 3,
    created_at: formatMicros(startMicros),
    begins_at: null,
    changed_at: formatMicros(startMicros),
    failing_since: null,
    outage_since: null,
    probe_asked_at: null,
    pauses: [],
    disabled_at: null,
    deleted_at: null,
    ...overrides,
  };
}

function withSettings(settings: EndpointSettings): Pick<EndpointRow, 'settings' | 'private'> {
  const split = splitSettings(settings);
  const sealed = secretBox.seal(JSON.stringify(split.private), privateContext('acme', 'ep_1'));
  return { settings: split.settings, private: split.private && sealed };
}

const longestWindowMs = 14 * 24 * 3_600_000;
const longestLifeMs = 29 * 24 * 3_600_000;
const read = (row: EndpointRow, onUnreadable?: (error: AppError) => void): Endpoint =>
  endpointOf(row, {
    secretBox,
    longestWindowMs,
    longestLifeMs,
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
        windowMs: endpointDefaults.retry.window_seconds * 1_000,
        maxAttempts: Number.POSITIVE_INFINITY,
      },
      beginsAt: startMicros + 5_000_000,
      disabledAt: null,
      deletedAt: null,
    });
  });

  it('has what was set, in part too', () => {
    const settings = { timeout_ms: 1_000, max_in_flight: 2, retry: { base_seconds: 0.5, max_attempts: 3 } };
    expect(read(aRow({ settings }))).toMatchObject({
      timeoutMs: 1_000,
      maxInFlight: 2,
      retry: {
        kind: 'backoff',
        baseMs: 500,
        capMs: 43_200_000,
        windowMs: endpointDefaults.retry.window_seconds * 1_000,
        maxAttempts: 3,
      },
    });
  });

  it('has both secrets while one is rotated', () => {
    const secrets = [{ secret: 'whsec_new' }, { secret: 'whsec_old', expires_at: formatMicros(startMicros + 5) }];
    expect(read(aRow({}, secrets)).secrets).toEqual([
      { secret: 'whsec_new', privateKey: null, expiresAt: null },
      { secret: 'whsec_old', privateKey: null, expiresAt: startMicros + 5 },
    ]);
  });

  const clientCertificate = { certificate: 'CERTIFICATE', private_key: 'KEY' };
  const sending: EndpointSettings = {
    method: 'PUT',
    headers: { Authorization: 'Bearer hush', 'X-Plain': 'seen' },
    proxy: 'http://user:hush@proxy.test',
    client_certificate: clientCertificate,
  };

  it('is sent to as it was set, with the secrets that are masked', () => {
    expect(read(aRow(withSettings(sending)))).toMatchObject({
      method: 'PUT',
      headers: { authorization: 'Bearer hush', 'x-plain': 'seen' },
      route: {
        proxy: 'http://user:hush@proxy.test',
        clientCertificate: { certificate: 'CERTIFICATE', privateKey: 'KEY' },
      },
    });
    expect(read(aRow())).toMatchObject({ method: 'POST', headers: {} });
    expect(read(aRow()).route).toBeUndefined();
  });

  it('keeps its route for as long as that is the same, so that connections are found again', () => {
    const reading = { secretBox, longestWindowMs, longestLifeMs, onUnreadable: jest.fn() };
    const first = endpointOf(aRow(withSettings(sending)), reading);
    const again = endpointOf(aRow({ ...withSettings({ ...sending, headers: {} }), revision: 4 }), reading, first);
    expect(again.route).toBe(first.route);
    const renewed = { ...sending, client_certificate: { ...clientCertificate, private_key: 'ANOTHER' } };
    expect(endpointOf(aRow(withSettings(renewed)), reading, again).route).toEqual({
      ...first.route,
      clientCertificate: { certificate: 'CERTIFICATE', privateKey: 'ANOTHER' },
    });
    expect(endpointOf(aRow(), reading, again).route).toBeUndefined();
  });

  it('has the private keys that go with its secrets', () => {
    const [newer, older] = [generatePrivateKey(randomBytes), generatePrivateKey(randomBytes)];
    const { secrets } = read(
      aRow({}, [
        { secret: 'new', private_key: newer },
        { secret: 'old', private_key: older, expires_at: formatMicros(startMicros) },
        { secret: 'older', expires_at: formatMicros(startMicros) },
      ]),
    );
    const publicKeys = secrets.map(({ privateKey }) => privateKey && `whpk_${rawPublicKey(privateKey)}`);
    expect(publicKeys).toEqual([publicKeyOf(newer), publicKeyOf(older), null]);
  });

  const another = createSecretBox(parseEncryptionKeys([`other:${Buffer.alloc(32, 2).toString('base64')}`]));
  const sealedFor = (context: string, box = secretBox): Buffer =>
    box.seal(JSON.stringify(splitSettings(sending).private), context);

  it.each([
    ['do not open', Buffer.from('changed')],
    ['are sealed under an unknown key', sealedFor(privateContext('acme', 'ep_1'), another)],
    ['are another row’s', sealedFor(privateContext('acme', 'ep_2'))],
    ['are another column’s', sealedFor(secretsContext('endpoints', 'acme', 'ep_1'))],
    ['are no JSON', secretBox.seal('hush', privateContext('acme', 'ep_1'))],
    ['have lost what is masked', secretBox.seal('{"client_key":"KEY"}', privateContext('acme', 'ep_1'))],
    ['are lost', null],
  ])('has no secrets where its private settings %s, so that nothing is sent, and says so', (_what, sealed) => {
    const errors: AppError[] = [];
    const row = aRow({ ...withSettings(sending), private: sealed });
    expect(read(row, (error) => errors.push(error))).toMatchObject({ secrets: [], headers: {} });
    expect(errors).toMatchObject([{ code: 'data_invalid' }]);
    expect(inspect(errors, { depth: 5 })).not.toContain('hush');
  });

  it('has none where they do not open, and says so', () => {
    const errors: AppError[] = [];
    const noJson = secretBox.seal('hush', secretsContext('endpoints', 'acme', 'ep_1'));
    for (const secrets of [Buffer.from('changed'), noJson])
      expect(read(aRow({ secrets }), (error) => errors.push(error)).secrets).toEqual([]);
    expect(errors).toMatchObject([{ code: 'data_invalid' }, { code: 'data_invalid' }]);
    expect(inspect(errors, { depth: 5 })).not.toContain('hush');
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
    const small = matchedPayload(Buffer.from('{"data":{"amount":99}}'), 'application/json');
    expect(subscription).toMatchObject({ open: false, eventTypes: ['order.*'], sourceIds: [] });
    expect(past).toMatchObject([
      { countsUntil: startMicros + 5_000_000, open: false, eventTypes: ['a'], sourceIds: ['src_1'] },
    ]);
    expect([subscription.filter?.(small).takes, past[0]?.filter?.(small).takes]).toEqual([false, false]);
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

const rawPublicKey = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');

describe('the directory of endpoints', () => {
  it('knows what Postgres last told, also while it is away, and how old that is', async () => {
    const clock = createManualClock();
    const followed = (row: EndpointRow) => ({ ...row, history_revision: 0 });
    const rows = [followed(aRow()), followed(aRow({ id: 'ep_2', tenant: 'other' }))];
    let isAway = false;
    const postgres = fakeFollowedTable(rows, async () => {
      if (isAway) throw new AppError('store_unavailable', 'away');
    });
    const directory = createEndpointDirectory({
      postgres,
      secretBox,
      longestWindowMs,
      longestLifeMs,
      clock,
      log: silentLogger,
    });
    expect(directory.ageMs()).toBe(Number.POSITIVE_INFINITY);
    await directory.start();
    expect(directory.get('acme', 'ep_1')).toMatchObject({ id: 'ep_1', deletedAt: null });
    expect(directory.get('acme', 'ep_2')).toBeUndefined();
    const candidates = (tenant: string) => [
      ...directory.candidates({ tenant, type: 'order.created', source_id: 'src_1' }),
    ];
    expect(candidates('other').map(({ id }) => id)).toEqual(['ep_2']);
    expect(candidates('nobody')).toEqual([]);

    const deletedAt = formatMicros(startMicros + 1);
    rows[0] = followed(aRow({ changed_at: deletedAt, deleted_at: deletedAt }));
    await clock.advance(2_000);
    await directory.recent();
    expect(directory.get('acme', 'ep_1')).toMatchObject({ deletedAt: startMicros + 1 });
    expect(directory.ageMs()).toBe(0);

    isAway = true;
    await clock.advance(10_000);
    await directory.recent();
    expect(directory.recent()).toBeUndefined();
    expect(directory.get('acme', 'ep_1')).toBeDefined();
    expect(directory.ageMs()).toBe(10_000);
    await expect(directory.refresh()).rejects.toMatchObject({ code: 'store_unavailable' });
    isAway = false;
    Object.assign(rows[1] ?? {}, { buried: true, changed_at: deletedAt });
    await directory.refresh();
    expect(directory.get('other', 'ep_2')).toBeUndefined();
    expect(candidates('other')).toEqual([]);
    const stopping = directory.stop();
    await clock.advance(1_000);
    await stopping;
  });
});
