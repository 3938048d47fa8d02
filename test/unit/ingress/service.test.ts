import { readConfig } from '#lib/config';
import { Metrics } from '#lib/telemetry';
import { fields, loadConfig } from '../../../services/ingress/config.ts';
import { createIngressMetrics } from '../../../services/ingress/metrics.ts';

describe('the configuration', () => {
  const required = {
    HOOKLINE_DATABASE_URL: 'postgres://localhost/hookline',
    HOOKLINE_ENCRYPTION_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
  };
  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
  });

  test('has the documented ports by default', () => {
    expect(readConfig(fields, required)).toMatchObject({ port: 8080, adminPort: 9080 });
  });

  test('refuses a time for stopping in which a body that has begun could not be finished', () => {
    process.env = { ...required, HOOKLINE_SHUTDOWN_TIMEOUT_MS: '11999', HOOKLINE_INGRESS_BODY_TIMEOUT_MS: '10000' };
    expect(loadConfig).toThrow('HOOKLINE_SHUTDOWN_TIMEOUT_MS must be at least 2000 more');
    process.env.HOOKLINE_SHUTDOWN_TIMEOUT_MS = '12000';
    expect(loadConfig().bodyTimeoutMs).toBe(10_000);
  });
});

test('the first 200 sources have a label of their own, all others share one', async () => {
  const registry = new Metrics();
  const metrics = createIngressMetrics(registry, { records: () => 0, maxRecords: 0 });
  for (let turn = 0; turn < 2; turn += 1)
    for (let index = 0; index < 300; index += 1) metrics.answered(`src_${index}`, 'accepted');
  metrics.answered(undefined, 'not_found');
  const requests = (await registry.getMetricsAsJSON()).find(({ name }) => name === 'hookline_ingress_requests_total');
  const counts = new Map(requests?.values.map(({ labels, value }) => [(labels as { source: string }).source, value]));
  expect(counts.size).toBe(202);
  expect(counts.get('src_199')).toBe(2);
  expect(counts.get('src_200')).toBeUndefined();
  expect(counts.get('other')).toBe(200);
  expect(counts.get('unknown')).toBe(1);
});
