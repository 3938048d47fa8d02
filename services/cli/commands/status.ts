import { ApiError, type Client } from '#client';
import type { Endpoint, System } from '#lib/api-contract';
import { connect } from '../api-calls/api.ts';
import type { Context } from '../context.ts';
import { print, type Screen, table } from '../output/print.ts';

export interface Status {
  /** Null: the key may not see it. */
  system: System | null;
  failing_endpoints: readonly Endpoint[];
}

/** Every stack has them: one that reports nothing is down. */
const services = ['ingress', 'dedup', 'dispatcher', 'projector', 'api'];

export const isDown = (system: System): boolean =>
  serviceRows(system).some(({ status }) => status !== 'ready') || system.dependencies.some(({ up }) => !up);

export function describeStatus({ system, failing_endpoints: failing }: Status, screen: Screen): string {
  const endpoints = `failing endpoints\n${table(failing, ['id', 'failing_since', 'url'], screen)}`;
  if (system === null) return `services: only the admin key sees them\n\n${endpoints}`;
  const down = system.dependencies
    .filter(({ up }) => !up)
    .map(({ name, down_for }) => ({ name, status: 'down', for: down_for.join(', ') }));
  const noneIsDown = `all of ${system.dependencies.length} answer`;
  return [
    table(serviceRows(system), ['service', 'status', 'processes', 'lag_records', 'lag_seconds'], screen),
    `dependencies\n${down.length === 0 ? noneIsDown : table(down, ['name', 'status', 'for'], screen)}`,
    endpoints,
  ].join('\n\n');
}

/** A line for each service: the worst state of its processes that matters, and the lag of its stages. */
function serviceRows({ processes, stages }: System) {
  const names = [...new Set([...services, ...processes.map(({ service }) => service)])];
  return names.map((service) => {
    const own = processes.filter((process) => process.service === service);
    const lag = stages.filter((stage) => stage.service === service);
    return {
      service,
      status: statusOf(own.map(({ status }) => status)),
      processes: own.filter(({ status }) => status !== 'silent').length,
      lag_records: lag.length === 0 ? null : sum(lag.map(({ records }) => records)),
      lag_seconds: lag.length === 0 ? null : most(lag.map(({ seconds }) => seconds)),
    };
  });
}

/** A silent process beside a reporting one has ended, and is forgotten soon. */
function statusOf(states: readonly string[]): string {
  const reporting = states.filter((state) => state !== 'silent');
  if (reporting.length === 0) return states.length === 0 ? 'down' : 'silent';
  return reporting.every((state) => state === 'ready') ? 'ready' : 'not_ready';
}

/** Unknown if any is. */
const sum = (counts: readonly (number | null)[]): number | string =>
  counts.reduce<number | null>((all, each) => (all === null || each === null ? null : all + each), 0) ?? 'unknown';

const most = (seconds: readonly (number | null)[]): number | string => {
  const known = seconds.filter((each) => each !== null);
  return known.length < seconds.length ? 'unknown' : Math.round(Math.max(...known) * 10) / 10;
};

const mostEndpoints = 1_000;

export async function showStatus(
  { tenant, json }: { tenant: string | undefined; json: boolean },
  context: Context,
): Promise<number> {
  const api = connect(context, tenant);
  const [system, failing] = await Promise.all([
    readSystem(api),
    api.list('GET /v1/endpoints', mostEndpoints, { query: { failing: 'true' } }),
  ]);
  print(context, { system, failing_endpoints: failing }, json, describeStatus);
  return system !== null && isDown(system) ? 1 : 0;
}

/** Null for the key of a tenant: the system is the operator's. */
async function readSystem(api: Client): Promise<System | null> {
  const asked = await api.ask('GET /v1/system');
  if (asked.ok) return asked.value;
  if (asked.failure.kind === 'problem' && asked.failure.status === 403) return null;
  throw new ApiError(asked.failure);
}
