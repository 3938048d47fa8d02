import { type Evidence, judge } from '../../faults/overload/judge.ts';
import { addLatency, noLatencies, quantile } from '../../support/load/latencies.ts';
import { mergeReports, type LoadReport } from '../../support/load/load.ts';
import { trendOf } from '../../faults/overload/memory.ts';

const report = (given: Partial<LoadReport> = {}): LoadReport => ({
  due: 10,
  held: 0,
  sent: 10,
  answers: { '202': 2, '503': 7, '429': 1 },
  receipts: { src_1: ['rcp_1'], src_2: ['rcp_2'] },
  latencies: noLatencies(),
  maxMs: 1_900,
  ownDelayMs: 5,
  seconds: 1,
  ...given,
});
const evidence = (given: Partial<Evidence> = {}): Evidence => ({
  load: report(),
  onTopic: new Map([
    ['rcp_1', 1],
    ['rcp_2', 2],
    ['rcp_unanswered', 1],
  ]),
  memory: { ingress: [50, 150, 180, 190, 185, 195, 190, 195, 200] },
  memoryRule: 'flat',
  mostAccepted: { src_1: 1 },
  toleranceMs: 250,
  ...given,
});

test('a run in which all held is clean, what stands on the topic beside it included', () => {
  expect(judge(evidence())).toEqual([]);
});

test.each<[string, Partial<Evidence>, RegExp]>([
  [
    'a 2xx that is not on the topic',
    { onTopic: new Map([['rcp_1', 1]]) },
    /1 of 2 answered 2xx are not on the topic: rcp_2/,
  ],
  ['a receipt that was given twice', { load: report({ receipts: { src_2: ['rcp_2', 'rcp_2'] } }) }, /given twice/],
  ['nothing accepted', { load: report({ receipts: {} }) }, /nothing was accepted/],
  ['an answer that came too late', { load: report({ maxMs: 2_251 }) }, /2251 ms/],
  ['memory that grows', { memory: { dedup: [1, 1, 1, 100, 100, 100, 121, 121, 121] } }, /dedup grew from 100 to 121/],
  [
    'more memory than there may be',
    { memory: { ingress: [90, 120, 90] }, memoryRule: { mostMib: 100 } },
    /ingress took 120 MiB of 100/,
  ],
  ['more of a source than its rate', { load: report({ receipts: { src_1: ['rcp_1', 'rcp_2'] } }) }, /src_1 got 2/],
  ['a 500', { load: report({ answers: { '202': 2, '500': 1 } }) }, /nobody expects: 500/],
])('%s is a violation', (_what, given, words) => {
  expect(judge(evidence(given)).join()).toMatch(words);
});

test('growth is no violation where a bound alone is asked for', () => {
  expect(judge(evidence({ memory: { ingress: [1, 1, 10, 10, 90, 90] }, memoryRule: { mostMib: 100 } }))).toEqual([]);
});

test('memory is flat up to a fifth more, whatever it was at the beginning', () => {
  expect(trendOf([900, 800, 100, 100, 120, 120]).isFlat).toBe(true);
  expect(trendOf([1, 1, 100, 100, 130, 130]).isFlat).toBe(false);
});

test('quantiles are of all answers, and reports of several senders add up', () => {
  const latencies = noLatencies();
  for (let ms = 1; ms <= 100; ms += 1) addLatency(latencies, ms + 0.5);
  addLatency(latencies, 1e9);
  expect([0.5, 0.99, 1].map((part) => quantile(latencies, part))).toEqual([51, 100, 20_000]);
  expect(quantile(noLatencies(), 0.5)).toBe(0);
  const merged = mergeReports([report({ latencies }), report({ latencies, maxMs: 7, seconds: 2 })]);
  expect(merged).toMatchObject({ sent: 20, answers: { '503': 14 }, maxMs: 1_900, seconds: 2 });
  expect(merged.receipts['src_1']).toHaveLength(2);
  expect(quantile(merged.latencies, 0.5)).toBe(51);
});
