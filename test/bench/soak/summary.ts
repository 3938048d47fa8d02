import { percentile } from '../../support/percentiles.ts';
import { lagNames } from '../support/lags.ts';
import { publishedShare, repeatedShare } from '../traffic/load-messages.ts';
import type { Account } from './accounts.ts';
import { afterWarmUp, type SeriesVerdict } from './judge.ts';
import type { SoakReport } from './report.ts';
import { slopeOf } from './trend.ts';

/** A run without its samples, small enough to be kept with the code: docs/soak.md is written from it alone. */
export interface SoakSummary extends Omit<SoakReport, 'result' | 'seed'> {
  /** Null: it was not kept. */
  seed: number | null;
  perSecond: number;
  /** The highest rate that left no backlog; null: the rate was given. */
  highestPerSecond: number | null;
  samples: number;
  senderLateMs: number;
  pollers: { name: string; requests: number }[];
  series: readonly SeriesVerdict[];
  /** Growth that is meant to be: added in an hour, beside what the rate makes one expect. */
  growthPerHour: { redisKeys: number; redisKeysExpected: number; redisMib: number; tablesMib: number; events: number };
  account: Account;
  largestLags: Readonly<Record<string, number>>;
  /** The median minute, and the worst. */
  latenciesMs: Readonly<Record<string, { median: number; worst: number }>>;
  drainSeconds: number;
  violations: readonly string[];
}

export function summaryOf({ result, ...about }: SoakReport): SoakSummary {
  const { perSecond, samples, latencies, account } = result;
  const judged = afterWarmUp(samples);
  const perHour = (valueOf: (sample: (typeof judged)[number]) => number): number =>
    3_600 * slopeOf(judged.map((sample) => ({ atSeconds: sample.atSeconds, value: valueOf(sample) })));
  const ofMinutes = (valueOf: (minute: (typeof latencies)[number]) => number) => ({
    median: percentile(latencies.map(valueOf), 0.5),
    worst: Math.max(...latencies.map(valueOf)),
  });
  return {
    ...about,
    perSecond,
    highestPerSecond: result.highestPerSecond ?? null,
    samples: samples.length,
    senderLateMs: result.senderLateMs,
    pollers: result.pollers.map(({ name, requests }) => ({ name, requests })),
    series: result.series,
    growthPerHour: {
      redisKeys: perHour(({ redis }) => redis.keys),
      redisKeysExpected: perSecond * (1 - repeatedShare) * 3_600,
      redisMib: perHour(({ redis }) => redis.usedMib),
      tablesMib: perHour(({ postgres }) => Object.values(postgres.tableMib).reduce((sum, each) => sum + each, 0)),
      events: perSecond * (1 - repeatedShare + publishedShare) * 3_600,
    },
    account,
    largestLags: Object.fromEntries(
      lagNames.map((group) => [group, Math.max(...judged.map(({ topics }) => topics[group].lag))]),
    ),
    latenciesMs:
      latencies.length === 0
        ? {}
        : {
            'request to answer, p50': ofMinutes(({ answered }) => answered.p50),
            'request to answer, p99': ofMinutes(({ answered }) => answered.p99),
            'accepted to arrived, p50': ofMinutes(({ arrived }) => arrived.p50),
            'accepted to arrived, p99': ofMinutes(({ arrived }) => arrived.p99),
          },
    drainSeconds: result.drainSeconds,
    violations: result.violations,
  };
}
