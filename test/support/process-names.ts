import type { CrashPointName } from '#lib/runtime';
import { type ServiceName, serviceNames } from './stack.ts';

/** A service, or one more process of it: `dedup`, `dedup-2`. */
export type ProcessName = ServiceName | `${ServiceName}-${number}`;

export function serviceOf(name: ProcessName): ServiceName {
  const service = serviceNames.find((known) => name === known || name.startsWith(`${known}-`));
  if (service === undefined) throw new Error(`no service is called ${name}`);
  return service;
}

/** Parts of services that have crash points of their own. */
const serviceOfPart: Readonly<Record<string, ServiceName>> = {
  publish: 'dedup',
  'fan-out': 'dispatcher',
  replay: 'dispatcher',
  idempotency: 'api',
  'idempotency-group': 'api',
  outbox: 'api',
};

export function serviceOfPoint(point: CrashPointName): ServiceName {
  const [part = ''] = point.split('.');
  const service = serviceNames.find((name) => name === (serviceOfPart[part] ?? part));
  if (service === undefined) throw new Error(`no service has the crash point ${point}`);
  return service;
}
