import type { Query } from '#lib/postgres';
import { type Clock, inRounds, type Logger, type Part } from '#lib/runtime';
import type { LimitName, TenantUsage } from '#lib/tenancy';
import type { CountedKind } from '../resources/tenant-room.ts';

interface Deps {
  postgres: Query;
  usage: Pick<TenantUsage, 'show'>;
  clock: Clock;
  log: Logger;
}

interface Counted {
  tenant: string;
  kind: CountedKind;
  live: number;
  bytes: string;
}

const everyMs = 15_000;
/** The tenants with the most bytes: each row counts as 500 at least, a key as 300. */
const mostRows = 10_000;

/** Shows the operator which tenants are near their limits of sources and endpoints. */
export function watchResources({ postgres, usage, clock, log }: Deps): Part {
  let counted: readonly Counted[] = [];
  const used = (kind: CountedKind, of: (row: Counted) => number) => () =>
    counted.filter((row) => row.kind === kind).map((row) => [row.tenant, of(row)] as const);
  const shown: [LimitName, ReturnType<typeof used>][] = [
    ['sources', used('sources', ({ live }) => live)],
    ['endpoints', used('endpoints', ({ live }) => live)],
    ['api_keys', used('api_keys', ({ live }) => live)],
    ['source_bytes', used('sources', ({ bytes }) => Number(bytes))],
    ['endpoint_bytes', used('endpoints', ({ bytes }) => Number(bytes))],
  ];
  for (const [limit, read] of shown) usage.show(limit, read);

  return inRounds(
    async () => {
      counted = await postgres.query<Counted>(
        `SELECT tenant, kind, live, bytes FROM tenant_resources WHERE bytes > 0 ORDER BY bytes DESC LIMIT ${mostRows}`,
      );
    },
    { name: 'tenants’ resources', everyMs, clock, log },
  );
}
