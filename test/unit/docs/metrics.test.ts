import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigOf, type Fields, readConfig } from '#lib/config';
import { createCrashPoints, createManualClock, type Part, silentLogger } from '#lib/runtime';
import { hostMetrics, type ServiceContext } from '#lib/service-host';
import { Metrics, noTracer } from '#lib/telemetry';
import { fields as apiFields } from '../../../services/api/config.ts';
import { build as buildApi } from '../../../services/api/service.ts';
import { fields as consoleFields } from '../../../services/console/config.ts';
import { build as buildConsole } from '../../../services/console/service.ts';
import { fields as dedupFields } from '../../../services/dedup/config.ts';
import { build as buildDedup } from '../../../services/dedup/service.ts';
import { fields as dispatcherFields } from '../../../services/dispatcher/config.ts';
import { build as buildDispatcher } from '../../../services/dispatcher/service.ts';
import { fields as ingressFields } from '../../../services/ingress/config.ts';
import { build as buildIngress } from '../../../services/ingress/service.ts';
import { fields as projectorFields } from '../../../services/projector/config.ts';
import { build as buildProjector } from '../../../services/projector/service.ts';
import { metricsDocument, metricsOf } from '../../support/metrics-document.ts';
import { type ServiceName, serviceNames } from '../../support/stack.ts';

const env = {
  HOOKLINE_DATABASE_URL: 'postgres://127.0.0.1:1/none',
  HOOKLINE_SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1',
  HOOKLINE_ADMIN_KEY: 'an-admin-key-for-tests',
  HOOKLINE_ENCRYPTION_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
};

const measuring =
  <F extends Fields>(fields: F, build: (config: ConfigOf<F>, context: ServiceContext) => Part[]) =>
  (context: ServiceContext): void =>
    void build(readConfig(fields, env), context);

/** Builds a service, and starts nothing of it. */
const services: Readonly<Record<ServiceName, (context: ServiceContext) => void>> = {
  ingress: measuring(ingressFields, buildIngress),
  dedup: measuring(dedupFields, buildDedup),
  dispatcher: measuring(dispatcherFields, buildDispatcher),
  projector: measuring(projectorFields, buildProjector),
  api: measuring(apiFields, buildApi),
  console: measuring(consoleFields, buildConsole),
};

test('docs/metrics.md has every metric, as the code has it (`npm run docs:write` writes it anew)', () => {
  expect(readFileSync(join(import.meta.dirname, '../../../docs/metrics.md'), 'utf8')).toBe(metricsDocument());
});

test.each(serviceNames)('%s has the metrics that are documented, and no other', (service) => {
  const metrics = new Metrics();
  const clock = createManualClock();
  services[service]({
    metrics,
    clock,
    log: silentLogger,
    tracer: noTracer,
    crashPoints: createCrashPoints(''),
    fail: () => undefined,
  });
  const ofProcess = Object.values(hostMetrics).map(({ name }) => name as string);
  const exposed = metrics.getMetricsAsArray().map(({ name, help, type }) => ({ name, help, type }));
  const documented = metricsOf(service).map(({ name, help, kind }) => ({ name, help, type: kind }));
  expect(sorted(exposed)).toEqual(sorted(documented.filter(({ name }) => !ofProcess.includes(name))));
});

const sorted = <T extends { name: string }>(metrics: T[]): T[] =>
  metrics.sort((one, other) => one.name.localeCompare(other.name));

describe.each(serviceNames)('the metrics of %s', (service) => {
  test.each(metricsOf(service))('$name is named and described as Prometheus’s conventions have it', (metric) => {
    const { kind, name, help, unit, labels = {}, buckets } = metric;
    expect(name).toMatch(/^hookline_[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(kind === 'counter');
    if (unit.startsWith('seconds') || unit === 'bytes') expect(name).toContain(`_${unit.split(' ')[0]}`);
    expect(`${help}${unit}${Object.values(labels).join('')}`).not.toMatch(/[|\n]/);
    expect(buckets === undefined).toBe(kind !== 'histogram');
    expect(buckets).toEqual(buckets && [...buckets].sort((a, b) => a - b));
  });
});
