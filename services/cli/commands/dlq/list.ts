import { systemClock } from '#lib/clock';
import { connect, tenantHelp } from '../../connect.ts';
import { readOptions, readWholeNumber } from '../../options.ts';
import { print, table } from '../../output.ts';
import { filterHelp, filterOf, filterOptions } from './filter-options.ts';

export const help = `usage: hookline dlq list [options]

The dead letters, the newest first.

${filterHelp}
  --status NAME                dead (default), replaying, replayed or all
  --limit N                    at most so many (default: 50)
${tenantHelp('dead letters')}`;

const options = { ...filterOptions, status: { type: 'string', default: 'dead' }, limit: { type: 'string' } } as const;

const shownFields = ['id', 'at', 'stage', 'reason', 'attempts', 'event_type', 'event_id', 'endpoint_id', 'status'];

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, options);
  const limit = readWholeNumber('limit', values.limit, { min: 1, max: 1_000_000, otherwise: 50 });
  const query = new URLSearchParams({
    ...filterOf(values, systemClock.nowMs()),
    ...(values.status !== 'all' && { status: values.status }),
  });
  const letters = await connect(values.tenant).list<Record<string, unknown>>(
    `/dead-letters?${query.toString()}`,
    limit,
  );
  print(letters, values.json, (shown) => table(shown, shownFields));
  return 0;
}
