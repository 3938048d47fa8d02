import { connect } from '../../api-calls/connect.ts';
import { runReplay } from '../../api-calls/run-replay.ts';
import { usageFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { readReplayLimits, type replayLimitOptions, type waitOptions } from '../../options/replay-limits.ts';
import { confirm } from '../../output/confirm.ts';
import { describe, print } from '../../output/print.ts';
import type { Values } from '../../verb.ts';
import { filterOf, type filterOptions } from './filter-options.ts';

type ReplayValues = Values<typeof filterOptions & typeof replayLimitOptions & typeof waitOptions> & {
  all: boolean;
  id: string[] | undefined;
  'dry-run': boolean;
  yes: boolean;
  tenant: string | undefined;
};

const notDone = 'nothing was replayed';

interface Preview extends Record<string, unknown> {
  matched: number;
  left_out: number;
}

export async function replayDeadLetters(values: ReplayValues, context: Context): Promise<number> {
  const { process, clock, screen } = context;
  const filter = filterOf(values, clock.nowMs());
  if (!values.all && values.id === undefined && Object.keys(filter).length === 0)
    throw usageFailure('no dead letters selected: give a filter, or --all');
  const body = {
    ...filter,
    ...(values.id !== undefined && { ids: values.id }),
    ...(values.all && { all: true }),
    ...readReplayLimits(values),
  };
  const mayAsk = process.stdin.isTTY && process.stderr.isTTY;
  if (!values['dry-run'] && !values.yes && !mayAsk) throw usageFailure('no terminal to confirm on: give --yes');

  const api = connect(context, values.tenant);
  if (values['dry-run'] || !values.yes) {
    const preview = await api.ask<Preview>('POST', '/dead-letters/replay', { body: { ...body, dry_run: true } });
    if (values['dry-run']) {
      print(context, preview, values.json, describe);
      return 0;
    }
    process.stderr.write(`${describe(preview, screen)}\n`);
    if (preview.matched === 0) {
      print(context, preview, values.json, () => `no dead letters to replay: ${notDone}`);
      return 0;
    }
    await confirm(context, `Replay ${preview.matched} dead letters?`, notDone);
  }

  return runReplay(context, api, { path: '/dead-letters/replay', body }, values);
}
