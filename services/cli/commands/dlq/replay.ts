import { systemClock } from '#lib/clock';
import { usageFailure } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { connect, tenantHelp } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';
import { readReplayLimits, replayLimitHelp, replayLimitOptions } from '../../replay-limits.ts';
import { runReplay } from '../../run-replay.ts';
import { filterHelp, filterOf, filterOptions } from './filter-options.ts';

export const help = `usage: hookline dlq replay [options]

Sends dead letters again, the oldest first, and shows how far it has come until it ends. Each is sent by one
replay only, however many are asked for at once. Ctrl-C ends the watching, not the replay.

  --all                        all that are dead; without it there must be a filter
  --id ID                      this letter, as often as needed
${filterHelp}
${replayLimitHelp}
  --dry-run                    shows what would go; changes nothing
  --yes                        does not ask
${tenantHelp('dead letters')}`;

const options = {
  ...filterOptions,
  all: { type: 'boolean', default: false },
  id: { type: 'string', multiple: true },
  ...replayLimitOptions,
  'dry-run': { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
} as const;

const notDone = 'nothing was replayed';

interface Preview extends Record<string, unknown> {
  matched: number;
  left_out: number;
}

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, options);
  const filter = filterOf(values, systemClock.nowMs());
  if (!values.all && values.id === undefined && Object.keys(filter).length === 0)
    throw usageFailure('which dead letters? Give a filter, or --all');
  const body = {
    ...filter,
    ...(values.id !== undefined && { ids: values.id }),
    ...(values.all && { all: true }),
    ...readReplayLimits(values),
  };
  const mayAsk = process.stdin.isTTY && process.stderr.isTTY;
  if (!values['dry-run'] && !values.yes && !mayAsk) throw usageFailure('there is no terminal to ask on: give --yes');

  const api = connect(values.tenant);
  if (values['dry-run'] || !values.yes) {
    const preview = await api.ask<Preview>('POST', '/dead-letters/replay', { body: { ...body, dry_run: true } });
    if (values['dry-run']) {
      print(preview, values.json, describe);
      return 0;
    }
    process.stderr.write(`${describe(preview)}\n`);
    await confirm(`Replay ${preview.matched} dead letters?`, notDone);
  }

  return runReplay(api, { path: '/dead-letters/replay', body }, values);
}
