import { readConfig } from '#lib/config';
import { createCrashPoints, createManualClock, silentLogger } from '#lib/runtime';
import { Metrics, noTracer } from '#lib/telemetry';
import { fields } from '../../../services/dispatcher/config.ts';
import { build } from '../../../services/dispatcher/service.ts';

const config = readConfig(fields, {
  HOOKLINE_DATABASE_URL: 'postgres://127.0.0.1:1/none',
  HOOKLINE_SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1',
  HOOKLINE_ENCRYPTION_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
});

/**
 * The order is a guarantee: at the stop, which goes from the end, replays bring nothing more, the lanes drain, and only then the rows that
 * have served are removed and the offsets committed. The writers that all of them use are closed last.
 */
test('the dispatcher’s parts start with what they stand on, and stop from the replays by lanes and rows to the consumers', () => {
  const parts = build(config, {
    metrics: new Metrics(),
    clock: createManualClock(),
    log: silentLogger,
    tracer: noTracer,
    crashPoints: createCrashPoints(''),
    fail: () => undefined,
  });
  expect(parts.map(({ name }) => name)).toEqual([
    'postgres',
    'comparison of clocks',
    'postgres',
    'postgres',
    'postgres',
    'postgres',
    'redis',
    'table endpoints',
    'erased events',
    'dropped records',
    'codec of hookline.events',
    'codec of hookline.delivery.attempts',
    'kafka producer',
    'http client',
    'announcements',
    'failing endpoints',
    'breaker reports',
    'unjudged filters',
    'kafka consumer hookline.fan-out',
    'kafka consumer hookline.dispatcher',
    'waiting rows',
    'scheduler',
    'bulk replays',
    'single replays',
    'following replays',
  ]);
});
