import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { Query } from '#lib/postgres';
import { AppError, createId, createManualClock, silentLogger } from '#lib/runtime';
import { createKeyDirectory } from '../../../services/api/keys/key-directory.ts';
import { credentialHash, idInCredential, newCredential } from '../../../services/api/keys/key-text.ts';
import { createKeyUses } from '../../../services/api/keys/key-uses.ts';
import { fakeFollowedTable } from '../../support/fake-followed-table.ts';

const at = (second: number): string => `2026-01-01T00:00:0${second}.000000Z`;

function newKey(given: object = {}) {
  const id = createId('key', Date.now(), randomBytes);
  const text = newCredential('hk', id, randomBytes);
  const row = {
    tenant: 'acme',
    id,
    scopes: ['read'],
    hash: credentialHash(text),
    rate_limit: null,
    deleted_at: null as string | null,
    changed_at: at(0),
    ...given,
  };
  return { id, text, row };
}

/** A table whose readings a test counts, and which is away when the test says so. */
function createTable(rows: object[]) {
  const state = { away: false, readings: 0 };
  const clock = createManualClock();
  const postgres = fakeFollowedTable(rows, async () => {
    state.readings += 1;
    if (state.away) throw new AppError('store_unavailable', 'as the test wants it');
  });
  const directory = createKeyDirectory({ followPostgres: postgres, postgres, clock, log: silentLogger });
  return { directory, clock, state };
}

describe('the text of a key', () => {
  test('names its id, and is never the same twice', () => {
    const { id, text } = newKey();
    expect(text).toMatch(/^hk_[0-9a-z]{26}_[0-9a-f]{64}$/);
    expect(idInCredential('hk', text)).toBe(id);
    expect(newCredential('hk', id, randomBytes)).not.toBe(text);
  });

  test('is recognised by its form alone', () => {
    const { text } = newKey();
    for (const other of [
      '',
      'hk_',
      text.slice(1),
      text.slice(0, -1),
      `${text}0`,
      text.toUpperCase(),
      ` ${text}`,
      `${text}\n`,
    ])
      expect(idInCredential('hk', other)).toBeUndefined();
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (other) => idInCredential('hk', other) === undefined));
  });
});

describe('keys in memory', () => {
  test('are found by their whole text, without a query', async () => {
    const { id, text, row } = newKey({ rate_limit: { per_second: 5, burst: 9 } });
    const { directory, state } = createTable([row]);
    await directory.start();
    state.readings = 0;
    expect(await directory.find(text)).toEqual({
      id,
      tenant: 'acme',
      scopes: ['read'],
      rateLimit: { perSecond: 5, burst: 9 },
    });
    const end = text.endsWith('0') ? '1' : '0';
    expect(await directory.find(`${text.slice(0, -1)}${end}`)).toBe('unknown');
    expect(await directory.find('an-admin-key-for-tesTs')).toBe('unknown');
    expect(state.readings).toBe(0);
    await directory.stop();
  });

  test('that are revoked are unknown within two seconds, those made a moment ago known at once', async () => {
    const { text, row } = newKey();
    const rows = [row];
    const { directory, clock } = createTable(rows);
    await directory.start();
    const young = newKey({ changed_at: at(1) });
    rows.push(young.row);
    expect(await directory.find(young.text)).toMatchObject({ id: young.id });
    rows[0] = { ...row, deleted_at: at(2), changed_at: at(2) };
    await clock.advance(1_501);
    expect(await directory.find(text)).toBe('unknown');
    await directory.stop();
  });

  test('go on while Postgres is away, and of others it can’t be told', async () => {
    const { id, text, row } = newKey();
    const { directory, clock, state } = createTable([row]);
    await directory.start();
    state.away = true;
    await clock.advance(3_600_000);
    expect(await directory.find(text)).toMatchObject({ id });
    expect(await directory.find(newKey().text)).toBe('unavailable');
    await directory.stop();
  });
});

describe('when a key was last used', () => {
  const written: unknown[][] = [];
  let away = false;
  const postgres: Query = {
    async query<T extends object>(_text: string, values: readonly unknown[] = []) {
      if (away) throw new AppError('store_unavailable', 'as the test wants it');
      written.push([...values]);
      return [] as T[];
    },
  };
  beforeEach(() => void (written.length = 0));

  test('is written once a minute however often that is, the last ones at the stop', async () => {
    const clock = createManualClock();
    const uses = createKeyUses({ postgres, clock, log: silentLogger });
    await uses.start();
    for (let second = 0; second < 59; second += 1) {
      uses.note({ tenant: 'acme', id: 'key_1' });
      await clock.advance(1_000);
    }
    expect(written).toEqual([]);
    await clock.advance(1_000);
    expect(written).toEqual([[['acme'], ['key_1'], ['2026-01-01T00:00:58.000000Z']]]);
    await clock.advance(600_000);
    expect(written).toHaveLength(1);
    uses.note({ tenant: 'b', id: 'key_2' });
    await uses.stop();
    expect(written[1]?.slice(0, 2)).toEqual([['b'], ['key_2']]);
  });

  test('is kept while Postgres is away', async () => {
    const clock = createManualClock();
    const uses = createKeyUses({ postgres, clock, log: silentLogger });
    await uses.start();
    uses.note({ tenant: 'acme', id: 'key_1' });
    away = true;
    await clock.advance(60_000);
    away = false;
    uses.note({ tenant: 'acme', id: 'key_0' });
    await clock.advance(60_000);
    expect(written.map(([, ids]) => ids)).toEqual([['key_0', 'key_1']]);
    await uses.stop();
  });
});
