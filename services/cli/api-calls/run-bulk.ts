import { usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { type bulkOptions, readReplayLimits } from '../options/replay-options.ts';
import { isConfirmed, refuseUnasked } from '../output/confirm.ts';
import type { Values } from '../verb.ts';
import { connect } from './api.ts';
import { runReplay } from './replays.ts';

interface Bulk {
  name: 'POST /v1/deliveries/retry' | 'POST /v1/deliveries/cancel' | 'POST /v1/events/replay';
  filter: Readonly<Record<string, string | readonly string[]>>;
  /** Events go to this endpoint alone. */
  endpointId?: string | undefined;
  /** `{n}` stands for how many. */
  question: string;
}

const maxItems = 10_000_000;

/** Does to what matches what the request says: counts it, asks, starts exactly what was counted, and shows the progress until it ends. */
export async function runBulk(
  context: Context,
  { name, filter, endpointId, question }: Bulk,
  values: Values<typeof bulkOptions> & { tenant: string | undefined },
): Promise<number> {
  if (!values.all && Object.keys(filter).length === 0) throw usageFailure('nothing selected: give a filter, or --all');
  const body = {
    filter,
    endpoint_id: endpointId,
    ...(values.all && { all: true }),
    ...readReplayLimits(values, maxItems),
  };
  refuseUnasked(values, context);

  const api = connect(context, values.tenant);
  const preview = await api.call(name, { body: JSON.stringify({ ...body, dry_run: true }) });
  if (!('dry_run' in preview)) throw new Error('a dry run has started a replay');
  const count = preview.complete ? `${preview.matched}` : `${preview.matched} or more`;
  const words = {
    question: `${question.replace('{n}', count)}?`,
    noMatch: 'nothing matches: nothing was done',
    notDone: 'nothing was done',
  };
  if (!(await isConfirmed(context, preview, words, values))) return 0;
  const start = () => api.call(name, { body: JSON.stringify({ ...body, as_of: preview.as_of }) });
  return runReplay(context, api, start, values);
}
