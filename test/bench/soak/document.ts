import { markdownTable as table } from '../../support/markdown-table.ts';
import { thousands } from '../../support/thousands.ts';
import { type SeriesVerdict, warmUpShare } from './judge.ts';
import { cellsOf } from './result.ts';
import type { SoakSummary } from './summary.ts';

/** docs/scaling.md: an event of 2 kB in all tables. */
const expectedKbOfEvent = 7.8;

/** The text of docs/soak.md; every figure in it is a recorded one. */
export function documentOf(summary: SoakSummary): string {
  const { setUp, minutes, everySeconds, perSecond, highestPerSecond, samples, senderLateMs, pollers, series } = summary;
  const { violations, startedAt, commit } = summary;
  return `${[
    '# Soak',
    `For whoever asks whether Hookline runs on for days: the last run of an hour under load, in which nothing may grow that has no reason to
([what is judged](../test/bench/soak/README.md), [the record](../test/bench/recorded/soak.json)). \`npm run docs:write\` writes this page.`,
    `${minutes} minutes at ${perSecond} webhooks a second${highestPerSecond === null ? '' : `, half of the highest rate that left no backlog`}, on ${startedAt.slice(0, 10)} at commit ${commit}: ${
      violations.length === 0
        ? 'nothing grew that should not, and every webhook was accounted for.'
        : `**${violations.length} ${violations.length === 1 ? 'violation' : 'violations'}:**\n\n${violations.map((violation) => `- ${violation}`).join('\n')}`
    }`,
    `One process of each service, one Kafka broker with 3 partitions, Redis, Postgres and registry; \`${setUp.nodeOptions}\`; ${setUp.cpus}, ${setUp.memoryGiB} GiB,
Node ${setUp.node}, for senders and receivers too. Seven endpoints: two are well, the others slow, failing, hanging, down or refusing at times. Pollers:
${pollers.map(({ name, requests }) => `${name}, ${thousands(requests)} requests`).join('; ')}. ${samples} samples, one each ${everySeconds} s; the sender was late by ${senderLateMs.toFixed()} ms at worst.`,
    '## What must be flat',
    `Each with its level, and in brackets what it moved by over the last ${Math.round((1 - warmUpShare) * 100)} % of the run (Theil's and Sen's slope) of what is allowed. Those without brackets did
not move. Memory and heap, in MiB, are judged by their floor.`,
    table(
      ['', 'level (moved of allowed)', ''],
      [...Map.groupBy(series, ({ what }) => what)].map(([what, all]) => [
        what,
        all.map(describeSeries).join(', '),
        all.every(({ isFlat }) => isFlat) ? 'flat' : '**grows**',
      ]),
    ),
    '## What grows, as it must',
    table(['an hour', 'measured', 'expected'], growthRows(summary)),
    '## What became of it',
    table(['', ''], accountRows(summary)),
  ].join('\n\n')}\n`;
}

function describeSeries(series: SeriesVerdict): string {
  const [level, moved, limit] = cellsOf(series);
  const shown = moved === '0' ? `${series.of} ${level}` : `${series.of} ${level} (${moved} of ${limit})`;
  return series.isFlat ? shown : `**${shown}**`;
}

function growthRows({ growthPerHour: growth }: SoakSummary): string[][] {
  const { redisKeys, redisKeysExpected, redisMib, tablesMib, events } = growth;
  const kbOf = (mib: number, count: number): string => ((mib * 2 ** 20) / 1_000 / count).toFixed(2);
  return [
    ['keys in Redis', thousands(redisKeys), `${thousands(redisKeysExpected)}: one each distinct webhook, for 72 hours`],
    [
      'memory of Redis',
      `${redisMib.toFixed(1)} MiB, ${kbOf(redisMib, redisKeysExpected)} kB a key`,
      '0.10 kB a key ([dedup](../services/dedup/README.md#what-it-costs-to-remember)), more while its table doubles',
    ],
    [
      'tables in Postgres',
      `${tablesMib.toFixed(0)} MiB, ${kbOf(tablesMib, events)} kB an event`,
      `about ${expectedKbOfEvent} kB an event ([scaling](scaling.md)), until [retention](adr/0009-retention.md)`,
    ],
  ];
}

function accountRows({ account, drainSeconds, largestLags, latenciesMs }: SoakSummary): string[][] {
  return [
    ['webhooks accepted', `${thousands(account.accepted)}, ${thousands(account.distinct)} of them distinct`],
    ['published', thousands(account.published)],
    ['events', thousands(account.events)],
    [
      'deliveries',
      `${thousands(account.deliveries)}: ${thousands(account.delivered)} delivered and arrived, ${thousands(account.deadLettered)} dead letters`,
    ],
    ['drained', `${drainSeconds.toFixed(1)} s after the last webhook`],
    [
      'largest lag after the warm-up',
      Object.entries(largestLags)
        .map(([group, lag]) => `${group} ${thousands(lag)}`)
        .join(', '),
    ],
    ...Object.entries(latenciesMs).map(([name, { median, worst }]) => [
      name,
      `${median.toFixed()} ms in the median minute, ${worst.toFixed()} in the worst`,
    ]),
  ];
}
