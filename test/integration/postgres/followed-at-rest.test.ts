/** Tables in memory cost nothing where nobody asks for them, and one quick statement where somebody does. */
import { setTimeout as delay } from 'node:timers/promises';
import { createErasedEvents } from '#lib/erasure';
import { createEndpointDirectory, readSubscriber, subscriberColumns, type SubscriberRow } from '#lib/fan-out';
import { createPostgres, directoryPool, type Postgres, type Query, type Readings } from '#lib/postgres';
import { type Part, silentLogger, systemClock } from '#lib/runtime';
import { createTenantLimits, noLimitSettings } from '#lib/tenancy';
import { createKeyDirectory } from '../../../services/api/keys/key-directory.ts';
import { createSessionDirectory } from '../../../services/api/keys/session-directory.ts';
import { followLimits } from '../../../services/api/limits/follow-limits.ts';
import { createEndpointDirectory as createSendersDirectory } from '../../../services/dispatcher/endpoints/endpoint-directory.ts';
import { createCredentialNames } from '../../../services/ingress/sources/credential-names.ts';
import { createSourceDirectory } from '../../../services/ingress/sources/source-directory.ts';
import { createDatabase } from '../../support/servers.ts';
import { secretBox } from '../../unit/ingress/harness.ts';

let postgres: Postgres;
const statements: string[] = [];
const counted: Query = {
  query: (text, ...more) => {
    statements.push(text);
    return postgres.query(text, ...more);
  },
};
let services: Record<string, (Part & Pick<Readings, 'recent'>)[]>;
const all = () => Object.values(services).flat();
beforeAll(async () => {
  const url = await createDatabase();
  const { maxConnections, statementTimeoutMs } = directoryPool;
  postgres = createPostgres({
    url,
    maxConnections,
    statementTimeoutMs,
    applicationName: 'hookline-test',
    log: silentLogger,
  });
  await postgres.start();
  const given = { followPostgres: counted, postgres: counted, clock: systemClock, log: silentLogger };
  const keys = createKeyDirectory(given);
  const subscribers = () =>
    createEndpointDirectory({
      ...given,
      columns: subscriberColumns,
      read: (row: SubscriberRow) => ({ ...readSubscriber(row, undefined, () => undefined), ordered: false }),
    });
  services = {
    ingress: [createSourceDirectory({ ...given, secretBox }), createCredentialNames(given)],
    dedup: [subscribers(), createErasedEvents(given)],
    dispatcher: [
      createSendersDirectory({ ...given, secretBox, longestWindowMs: 1, longestLifeMs: 1 }),
      createErasedEvents(given),
    ],
    api: [
      ...[subscribers(), keys, createErasedEvents(given)],
      followLimits({ ...given, settings: createTenantLimits(noLimitSettings) }),
      createSessionDirectory({
        ...given,
        findKeyById: keys.findById,
        operatorKeys: { fingerprints: [] },
        uses: { note: () => undefined },
      }),
    ],
  };
  for (const part of all()) await part.start();
});
afterAll(async () => {
  for (const part of all()) await part.stop();
  await postgres.stop();
});

test('at rest no statement is sent, by any service', async () => {
  statements.length = 0;
  await delay(6_000);
  expect(statements).toEqual([]);
});

test('after a rest each of them is read by one statement, in milliseconds, however many ask', async () => {
  await delay(1_600);
  for (const followed of all()) {
    statements.length = 0;
    const beganMs = performance.now();
    const asked = Array.from({ length: 50 }, () => followed.recent());
    for (const reading of asked) await reading;
    expect([followed.name, statements.length]).toEqual([followed.name, 1]);
    expect(followed.recent()).toBeUndefined();
    expect(performance.now() - beganMs).toBeLessThan(1_000);
  }
});
