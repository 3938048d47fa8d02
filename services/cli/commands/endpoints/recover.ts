import { systemClock } from '#lib/clock';
import { usageFailure } from '../../command.ts';
import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { readTime, timeForms } from '../../read-time.ts';
import { readReplayLimits, replayLimitHelp, replayLimitOptions } from '../../replay-limits.ts';
import { runReplay } from '../../run-replay.ts';

export const help = `usage: hookline endpoints recover <id> --since TIME

Sends the endpoint's deliveries again that have died since then, the oldest first, and shows how far it has come until
it ends. Ctrl-C ends the watching, not the replay.

  --since TIME                 ${timeForms}
${replayLimitHelp}
${tenantHelp('endpoints')}`;

export async function run(args: readonly string[]): Promise<number> {
  const options = { ...tenantOption, ...replayLimitOptions, since: { type: 'string' } } as const;
  const { values, given } = readOptions(args, options, ['id']);
  const since = readTime('since', values.since, systemClock.nowMs());
  if (since === undefined) throw usageFailure('--since is missing');
  const body = { since, ...readReplayLimits(values) };
  return runReplay(connect(values.tenant), { path: `${pathOf('endpoints', given.id)}/recover`, body }, values);
}
