import { quantile } from '../../support/load/latencies.ts';
import { trendOf } from './memory.ts';
import type { OverloadResult } from './overload.ts';
import { answerWithinMs } from './judge.ts';

/** A run as its reader wants to see it. */
export function formatResult(result: OverloadResult): string {
  const { load, memory, memoryRule } = result;
  const perSecond = (count: number): string => `${Math.round(count / load.seconds)}/s`;
  const counts = Object.entries({
    due: load.due,
    'not sent: every connection waited for an answer': load.held,
    sent: load.sent,
    ...Object.fromEntries(Object.entries(load.answers).map(([status, count]) => [meaning[status] ?? status, count])),
    'on the topic, by receipt': result.onTopic,
    'of them written again': result.repeated,
  }).map(([name, count]) => `  ${name.padEnd(50)}${String(count).padStart(9)}  ${perSecond(count).padStart(9)}`);
  const ms = (part: number): string => `${quantile(load.latencies, part)} ms`;
  const trends = Object.entries(memory).map(([name, samples]) => {
    const { middleMib, lastMib, maxMib, isFlat } = trendOf(samples);
    const figures = [middleMib, lastMib, maxMib].map((mib) => mib.toFixed().padStart(6)).join('');
    const trend = isFlat ? 'flat' : 'GROWS';
    return `  ${name.padEnd(12)}${figures} MiB  ${memoryRule === 'flat' ? trend : `of ${memoryRule.mostMib}`}`;
  });
  return [
    `offered ${result.offeredPerSecond}/s where ${result.sustainedPerSecond}/s are sustained, for ${load.seconds.toFixed(1)} s`,
    ...counts,
    `answers after the request’s last byte: p50 ${ms(0.5)}, p99 ${ms(0.99)}, p99.9 ${ms(0.999)}, max ${ms(1)};`,
    `  less the senders’ own delay max ${load.maxMs.toFixed()} ms (${answerWithinMs} + ${result.toleranceMs} allowed; the senders were late by ${load.ownDelayMs.toFixed()} ms at worst)`,
    'memory: median of the middle third, of the last third, max',
    ...trends,
    ...(result.violations.length === 0 ? ['all held'] : result.violations.map((violation) => `VIOLATION ${violation}`)),
  ].join('\n');
}

const meaning: Record<string, string> = {
  '202': '202 accepted',
  '429': '429 above the source’s rate',
  '503': '503 come again',
  none: 'connection closed without an answer',
};
