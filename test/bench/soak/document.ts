import { markdownTable as table } from '../../support/markdown-table.ts';
import { imagesOf } from '../../support/plots/named-plot.ts';
import { thousands } from '../../support/thousands.ts';
import { percentile } from '../../support/percentiles.ts';
import { lagNames } from '../support/lags.ts';
import { soakEndpoints } from '../traffic/endpoints.ts';
import { afterWarmUp, warmUpShare } from './judge.ts';
import { publishedShare, repeatedShare } from '../traffic/load-process.ts';
import { expectedKbOfEvent, plotsOf } from './plots.ts';
import type { SoakReport } from './report.ts';
import { cellsOf } from './result.ts';
import { slopeOf } from './trend.ts';

/** The text of docs/soak.md. */
export function documentOf(report: SoakReport): string {
  const { result, minutes, startedAt } = report;
  const { violations, series } = result;
  const verdict =
    violations.length === 0
      ? `Nothing grew that should not, and every webhook was accounted for.`
      : ['**Violations:**', '', ...violations.map((violation) => `- ${violation}`)].join('\n');
  return `# Soak

Written by \`npm run -s soak -- --write-docs\` from one run: [how it works, what is judged](../test/bench/soak/README.md).

${minutes} minutes at ${result.perSecond} webhooks a second, on ${startedAt.slice(0, 10)}. ${verdict}

## Set-up

${table(['', ''], setUpRows(report))}

The endpoints:

${table(
  ['endpoint', '', 'gets the events of'],
  soakEndpoints.map(({ name, what, sources }) => [name, what, sources === 'all' ? 'all sources' : `${sources} of 8`]),
)}

## What must be flat

By Theil's and Sen's slope over the last ${percent(1 - warmUpShare)} of the run; \`moved\` is what the slope comes to in that time, and fails above
\`allowed\`. \`in a day\` is the same slope for 24 hours. Memory and heap are judged by their floor.

${table(
  ['', '', 'level', 'moved', 'allowed', 'in a day', ''],
  series.map((each) => [each.what, each.of, ...cellsOf(each), each.isFlat ? 'flat' : '**grows**']),
)}

## What grows, as it must

${table(['', 'measured', 'expected'], growthRows(report))}

## What became of it

${table(['', ''], accountRows(report))}

## Plots

${imagesOf('soak', plotsOf(report))}

Again: \`${report.command}\`
`;
}

function setUpRows({ setUp, minutes, everySeconds, result }: SoakReport): string[][] {
  const { highestPerSecond, perSecond } = result;
  const rate =
    highestPerSecond === undefined
      ? `${perSecond} a second, as given`
      : `${perSecond} a second: half of ${highestPerSecond}, the highest that left no backlog`;
  return [
    [
      'machine',
      `${setUp.cpus}, ${setUp.memoryGiB} GiB, shared by services, servers, sender and receivers; load before the run ${setUp.loadBefore.toFixed(1)}`,
    ],
    ['Node', setUp.node],
    ['services', `one process each of ingress, dedup, dispatcher, projector, api; Node with \`${setUp.nodeOptions}\``],
    ['servers', 'Kafka (one broker, 3 partitions), Redis, Postgres, schema registry'],
    [
      'webhooks',
      `${rate}; ${percent(repeatedShare)} of them repeats; seven kinds of signatures, up to 2 kB; open loop`,
    ],
    ['published', `${percent(publishedShare)} as many by \`POST /v1/events\``],
    ['pollers', result.pollers.map(({ name, requests }) => `${name} (${thousands(requests)} requests)`).join('; ')],
    ['samples', `${result.samples.length}, one each ${everySeconds} s for ${minutes} minutes`],
    ['sender', `late by ${result.senderLateMs.toFixed()} ms at worst`],
  ];
}

function growthRows({ result }: SoakReport): string[][] {
  const judged = afterWarmUp(result.samples);
  const perHour = (valueOf: (sample: (typeof judged)[number]) => number): number =>
    3_600 * slopeOf(judged.map((sample) => ({ atSeconds: sample.atSeconds, value: valueOf(sample) })));
  const eventsPerHour = result.perSecond * (1 - repeatedShare + publishedShare) * 3_600;
  const keysPerHour = result.perSecond * (1 - repeatedShare) * 3_600;
  const redisMib = perHour(({ redis }) => redis.usedMib);
  const tablesMib = perHour(({ postgres }) => Object.values(postgres.tableMib).reduce((sum, each) => sum + each, 0));
  const kbOf = (mib: number, count: number): string => ((mib * 2 ** 20) / 1_000 / count).toFixed(2);
  return [
    [
      'keys in Redis, an hour',
      thousands(perHour(({ redis }) => redis.keys)),
      `${thousands(keysPerHour)}: one each distinct webhook, for 72 hours`,
    ],
    [
      'memory of Redis',
      `${redisMib.toFixed(1)} MiB an hour, ${kbOf(redisMib, keysPerHour)} kB a key`,
      '0.10 kB a key ([dedup](../services/dedup/README.md#what-it-costs-to-remember)), more while its table doubles',
    ],
    [
      'tables in Postgres',
      `${tablesMib.toFixed(0)} MiB an hour, ${kbOf(tablesMib, eventsPerHour)} kB an event`,
      `about ${expectedKbOfEvent} kB an event ([scaling](scaling.md)), more where it goes to more endpoints; until [retention](adr/0009-retention.md)`,
    ],
  ];
}

function accountRows({ result }: SoakReport): string[][] {
  const { account, latencies, drainSeconds, samples } = result;
  const all = (valueOf: (minute: (typeof latencies)[number]) => number): string =>
    `${percentile(latencies.map(valueOf), 0.5).toFixed()} (worst minute ${Math.max(...latencies.map(valueOf)).toFixed()})`;
  const judged = afterWarmUp(samples);
  return [
    [
      'webhooks accepted, those of the search for the rate included',
      `${thousands(account.accepted)}, ${thousands(account.distinct)} of them distinct`,
    ],
    ['published', thousands(account.published)],
    ['events', thousands(account.events)],
    [
      'deliveries',
      `${thousands(account.deliveries)}: ${thousands(account.delivered)} delivered, each of which arrived; ${thousands(account.deadLettered)} dead letters`,
    ],
    ['drained', `${drainSeconds.toFixed(1)} s after the last webhook`],
    [
      'largest lag after the warm-up',
      lagNames
        .map((group) => `${group} ${thousands(Math.max(...judged.map(({ topics }) => topics[group].lag)))}`)
        .join(', '),
    ],
    ...(latencies.length === 0
      ? []
      : [
          [
            'request to answer, ms, median of minutes',
            `p50 ${all(({ answered }) => answered.p50)}, p99 ${all(({ answered }) => answered.p99)}`,
          ],
          [
            'accepted to arrived, ms, median of minutes',
            `p50 ${all(({ arrived }) => arrived.p50)}, p99 ${all(({ arrived }) => arrived.p99)}`,
          ],
        ]),
  ];
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
