/** A process with the plugin over Postgres, and a route of each kind, for a test to kill and to stop: `node server.ts DATABASE_URL LOCK_SECONDS [CRASH_POINT]`. */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { createPostgresStore, type GroupEnding, idempotency, sendResponse } from '#lib/idempotency';
import { createPostgres } from '#lib/postgres';
import { createCrashPoints, silentLogger, systemClock } from '#lib/runtime';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';

const [url = '', lockSeconds = '2', crashPoint = ''] = process.argv.slice(2);
const postgres = createPostgres({
  url,
  applicationName: 'hookline-test',
  maxConnections: 6,
  statementTimeoutMs: 5_000,
  log: silentLogger,
});
await postgres.start();

const app = fastify();
const store = createPostgresStore({
  postgres,
  secretBox: createSecretBox(parseEncryptionKeys([`test:${Buffer.alloc(32, 7).toString('base64')}`])),
  random: randomBytes,
  lockSeconds: Number(lockSeconds),
  ttlSeconds: 3_600,
  crashPoints: createCrashPoints(crashPoint),
});
void app.register(idempotency, {
  store,
  scopeOf: () => ({ tenant: 'default', credential: 'test' }),
  lockSeconds: Number(lockSeconds),
  clock: systemClock,
  log: silentLogger,
});
const insertSql = 'INSERT INTO effects (scope, name) VALUES ($1, $2)';
app.post('/grouped', { config: { inGroups: true } }, async ({ idempotent, headers }, reply) => {
  const name = String(headers['idempotency-key']);
  const joined = await idempotent.join(async (keyed) => {
    const endings = await store.runTogether([keyed], async (tx, running) => {
      await tx.query(insertSql, ['process', name]);
      process.stdout.write('entered\n');
      await systemClock.sleep(Number(headers['x-sleep-ms'] ?? 0));
      return running.map(() => ({ status: 201, headers: {}, body: Buffer.from(`{"pid":${process.pid}}`) }));
    });
    return endings[0] as GroupEnding;
  });
  if ('answer' in joined) return sendResponse(reply, joined.answer);
  await joined.alone.effects.query(insertSql, ['process', name]);
  return reply.code(201).send({ pid: process.pid });
});
app.post('/things', async ({ idempotent, headers }, reply) => {
  const name = String(headers['idempotency-key']);
  await idempotent.effects.query(insertSql, ['process', name]);
  process.stdout.write('entered\n');
  await systemClock.sleep(Number(headers['x-sleep-ms'] ?? 0));
  return reply.code(201).send({ pid: process.pid });
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`);
