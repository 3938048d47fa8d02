import { usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { type bulkOptions, readReplayLimits } from '../options/replay-options.ts';
import { confirm } from '../output/confirm.ts';
import { describe, print } from '../output/print.ts';
import type { Values } from '../verb.ts';
import { connect } from './api.ts';
import { runReplay } from './replays.ts';

interface Bulk {
  name: 'POST /v1/deliveries/retry' | 'POST /v1/deliveries/cancel' | 'POST /v1/events/replay';
  filter: Readonly<Record<string, string | readonly string[]>>;
  /** More fields of the request. */
  more?: Readonly<Record<string, string>>;
  /** `{n}` stands for how many. */
  question: string;
}

const maxItems = 10_000_000;

/** Does to what matches what the request says: counts it, asks, starts exactly what was counted, and shows the progress until it ends. */
export async function runBulk(
  context: Context,
  { name, filter, more, question }: Bulk,
  values: Values<typeof bulkOptions> & { tenant: string | undefined },
): Promise<number> {
  if (!values.all && Object.keys(filter).length === 0) throw usageFailure('nothing selected: give a filter, or --all');
  const body = { filter, ...more, ...(values.all && { all: true }), ...readReplayLimits(values, maxItems) };
  const { process, screen } = context;
  const mayAsk = process.stdin.isTTY && process.stderr.isTTY;
  if (!values['dry-run'] && !values.yes && !mayAsk) throw usageFailure('no terminal to confirm on: give --yes');

  const api = connect(context, values.tenant);
  const preview = await api.call(name, { body: JSON.stringify({ ...body, dry_run: true }) });
  if (!('dry_run' in preview)) throw new Error('a dry run has started a replay');
  if (values['dry-run']) {
    print(context, preview, values.json, describe);
    return 0;
  }
  if (!values.yes) {
    process.stderr.write(`${describe(preview, screen)}\n`);
    if (preview.matched === 0) {
      print(context, preview, values.json, () => 'nothing matches: nothing was done');
      return 0;
    }
    const count = preview.complete ? `${preview.matched}` : `${preview.matched} or more`;
    await confirm(context, `${question.replace('{n}', count)}?`, 'nothing was done');
  }
  const start = () => api.call(name, { body: JSON.stringify({ ...body, as_of: preview.as_of }) });
  return runReplay(context, api, start, values);
}
