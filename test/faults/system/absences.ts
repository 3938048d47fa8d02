/** Consumers that were without their group, and for how long of it Kafka was there. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Inflicted } from './schedule.ts';

/** One consumer, from when it last heard of its group. */
export interface Absence {
  process: string;
  group: string;
  fromMs: number;
  untilMs: number;
}

const metric = 'hookline_consumer_without_group_seconds';
const everyMs = 2_000;
const askTimeoutMs = 5_000;
/** Two readings of one absence say of its beginning what they can. */
const sameWithinMs = 5_000;

/** Skips a process that doesn't answer: the next reading includes it. */
export function watchAbsences(urls: ReadonlyMap<string, string>, signal: AbortSignal): () => Absence[] {
  const absences: Absence[] = [];

  async function read(process: string, url: string): Promise<void> {
    const text = await (await fetch(url, { signal: AbortSignal.timeout(askTimeoutMs) })).text();
    const untilMs = Date.now();
    for (const [, group = '', seconds] of text.matchAll(new RegExp(`^${metric}\\{group="([^"]*)"\\} (\\S+)$`, 'gm'))) {
      const fromMs = untilMs - 1_000 * Number(seconds);
      if (Number(seconds) === 0) continue;
      const known = absences.find(
        (absence) =>
          absence.process === process && absence.group === group && Math.abs(absence.fromMs - fromMs) < sameWithinMs,
      );
      if (known === undefined) absences.push({ process, group, fromMs, untilMs });
      else known.untilMs = untilMs;
    }
  }

  async function watch(process: string, url: string): Promise<void> {
    while (!signal.aborted) {
      await read(process, url).catch(() => undefined);
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }
  for (const [process, url] of urls) void watch(process, url);
  return () => absences;
}

/** No consumer may be without a group for longer while Kafka is available. */
const mostAbsentSeconds = 60;

/**
 * @param outages faults of Kafka and of the links to it: no consumer could be a member then
 * @returns each absence that was too long, as text
 */
export function judgeAbsences(absences: readonly Absence[], outages: readonly Inflicted[]): string[] {
  return absences.flatMap(({ process, group, fromMs, untilMs }) => {
    let absentMs = 0;
    let countedUpToMs = fromMs;
    const within = outages
      .filter(({ atMs, overAtMs }) => overAtMs > fromMs && atMs < untilMs)
      .toSorted((a, b) => a.atMs - b.atMs);
    for (const { atMs, overAtMs } of within) {
      absentMs += Math.max(0, atMs - countedUpToMs);
      countedUpToMs = Math.max(countedUpToMs, overAtMs);
    }
    absentMs += Math.max(0, untilMs - countedUpToMs);
    const seconds = Math.round(absentMs / 1_000);
    if (seconds <= mostAbsentSeconds) return [];
    const began = new Date(fromMs).toISOString();
    return [`${process} was without ${group} for ${seconds} s though Kafka was there, from ${began} on`];
  });
}
