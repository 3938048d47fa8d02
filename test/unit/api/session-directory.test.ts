import { randomBytes } from 'node:crypto';
import type { Query } from '#lib/postgres';
import { AppError, createId, createManualClock, formatMicros, type ManualClock, silentLogger } from '#lib/runtime';
import type { KnownKey } from '../../../services/api/keys/key-directory.ts';
import { credentialHash, idInCredential, newCredential } from '../../../services/api/keys/key-text.ts';
import { createSessionDirectory } from '../../../services/api/keys/session-directory.ts';
import { createSessionUses } from '../../../services/api/keys/session-uses.ts';
import { fakeFollowedTable } from '../../support/fake-followed-table.ts';

const hourMs = 3_600_000;
const key: KnownKey = { id: 'key_1', tenant: 'acme', scopes: ['admin'], rateLimit: undefined };

function newSession(clock: ManualClock, given: object = {}) {
  const id = createId('ses', clock.nowMs(), randomBytes);
  const token = newCredential('hs', id, randomBytes);
  const inHours = (hours: number): string => formatMicros((clock.nowMs() + hours * hourMs) * 1_000);
  const row = {
    tenant: 'acme',
    id,
    key_id: key.id,
    operator_key: null,
    scopes: ['read'],
    portal: null,
    hash: credentialHash(token),
    expires_at: inHours(12),
    idle_expires_at: inHours(2),
    deleted_at: null,
    changed_at: inHours(0),
    ...given,
  };
  return { id, token, row };
}

async function startWith(given: (clock: ManualClock) => ReturnType<typeof newSession>) {
  const clock = createManualClock();
  const session = given(clock);
  const state = { readings: 0, key: key as KnownKey | 'unknown' | 'unavailable', used: 0 };
  const postgres = fakeFollowedTable([session.row], async () => void (state.readings += 1));
  const directory = createSessionDirectory({
    followPostgres: postgres,
    postgres,
    findKeyById: async () => state.key,
    operatorKeys: { fingerprints: ['k:now'] },
    uses: { note: () => void (state.used += 1) },
    clock,
    log: silentLogger,
  });
  await directory.start();
  // Nothing is read again: what is known is all that there is.
  await directory.stop();
  state.readings = 0;
  return { ...session, clock, state, find: (text = session.token) => directory.find(text) };
}

test('a token is found by its whole text, without a query, and each use is noted', async () => {
  const { id, token, row, state, find } = await startWith(newSession);
  expect(await find()).toEqual({ id, tenant: 'acme', scopes: ['read'], key, expiresAt: row.expires_at });
  const end = token.endsWith('0') ? '1' : '0';
  expect(await find(`${token.slice(0, -1)}${end}`)).toBe('unknown');
  for (const other of ['', 'hs_', newCredential('hk', 'key_x', randomBytes), token.replace('hs_', 'hc_')])
    expect([await find(other), idInCredential('hs', other)]).toEqual(['unknown', undefined]);
  expect([state.readings, state.used]).toEqual([0, 1]);
});

test('a session ends two hours after its last use, and twelve after its creation whatever its use', async () => {
  const unused = await startWith(newSession);
  await unused.clock.advance(2 * hourMs - 1);
  expect(await unused.find()).toMatchObject({ id: unused.id });
  await unused.clock.advance(2 * hourMs);
  expect(await unused.find()).toBe('unknown');

  const used = await startWith(newSession);
  for (let hour = 0; hour < 11; hour += 1) {
    await used.clock.advance(hourMs);
    expect(await used.find()).toMatchObject({ id: used.id });
  }
  await used.clock.advance(hourMs);
  expect(await used.find()).toBe('unknown');
});

test.each([
  ['that was ended', { deleted_at: '2026-01-01T00:00:00.000000Z' }],
  ['of a key of the operator that is not set any more', { key_id: 'admin', operator_key: 'k:before' }],
])('a session %s is unknown, without a query', async (_what, given) => {
  const { find, state } = await startWith((clock) => newSession(clock, given));
  expect([await find(), state.readings, state.used]).toEqual(['unknown', 0, 0]);
});

test('a session ends with its key, and can’t be judged where the key can’t', async () => {
  const { find, state } = await startWith(newSession);
  for (const known of ['unknown', 'unavailable'] as const) {
    state.key = known;
    expect(await find()).toBe(known);
  }
  const operators = await startWith((clock) => newSession(clock, { key_id: 'admin', operator_key: 'k:now' }));
  operators.state.key = 'unknown';
  expect(await operators.find()).toMatchObject({ key: undefined });
});

describe('the uses of a session', () => {
  const written: unknown[][] = [];
  let isAway = false;
  const postgres: Query = {
    async query<T extends object>(_text: string, values: readonly unknown[] = []) {
      if (isAway) throw new AppError('store_unavailable', 'as the test wants it');
      written.push([...values.slice(0, 3)]);
      return [] as T[];
    },
  };
  const session = { tenant: 'acme', id: 'ses_1' };
  beforeEach(() => void (written.length = 0));

  test('are written within seconds after a pause, and then once a minute, the last ones at the stop', async () => {
    const clock = createManualClock();
    const uses = createSessionUses({ postgres, clock, log: silentLogger });
    await uses.start();
    for (let second = 0; second < 120; second += 1) {
      uses.note(session);
      await clock.advance(1_000);
    }
    expect(written).toEqual([
      [['acme'], ['ses_1'], [1]],
      [['acme'], ['ses_1'], [1]],
    ]);
    await clock.advance(600_000);
    expect(written).toHaveLength(3);
    uses.note(session);
    await uses.stop();
    expect(written).toHaveLength(4);
  });

  test('are kept while Postgres is away', async () => {
    const clock = createManualClock();
    const uses = createSessionUses({ postgres, clock, log: silentLogger });
    await uses.start();
    isAway = true;
    uses.note(session);
    await clock.advance(20_000);
    isAway = false;
    await clock.advance(5_000);
    expect(written).toEqual([[['acme'], ['ses_1'], [25]]]);
    await uses.stop();
    expect(written).toHaveLength(1);
  });
});
