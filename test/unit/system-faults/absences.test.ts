import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { judgeAbsences, watchAbsences } from '../../faults/system/absences.ts';
import { waitUntil } from '../../support/wait-until.ts';

const absence = (fromSeconds: number, untilSeconds: number) => ({
  process: 'dedup',
  group: 'g',
  fromMs: 1_000 * fromSeconds,
  untilMs: 1_000 * untilSeconds,
});
const outage = (fromSeconds: number, untilSeconds: number) => ({
  kind: 'all-brokers-killed',
  atMs: 1_000 * fromSeconds,
  overAtMs: 1_000 * untilSeconds,
});

it('finds who was without a group for more than a minute', () => {
  expect(judgeAbsences([absence(10, 70)], [])).toEqual([]);
  expect(judgeAbsences([absence(10, 72)], [])).toEqual([
    'dedup was without g for 62 s though Kafka was there, from 1970-01-01T00:00:10.000Z on',
  ]);
});

it('counts what lay outside of outages alone, each of them once', () => {
  expect(judgeAbsences([absence(0, 100)], [outage(20, 40), outage(30, 70)])).toEqual([]);
  expect(judgeAbsences([absence(0, 100)], [outage(20, 40), outage(25, 35), outage(200, 300)])).toHaveLength(1);
  expect(judgeAbsences([absence(0, 200)], [outage(-50, 100)])).toHaveLength(1);
});

it('reads one absence off several readings, and none off a member', async () => {
  const startedMs = performance.now();
  const server = createServer((_request, response) => {
    const seconds = 20 + (performance.now() - startedMs) / 1_000;
    response.end(
      `hookline_consumer_without_group_seconds{group="a"} ${seconds}\nhookline_consumer_without_group_seconds{group="b"} 0\n`,
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
  const ended = new AbortController();
  const absences = watchAbsences(new Map([['dedup', url]]), ended.signal);
  try {
    await waitUntil('it has read twice', () => (absences()[0]?.untilMs ?? 0) - (absences()[0]?.fromMs ?? 0) > 21_500);
    expect(absences()).toMatchObject([{ process: 'dedup', group: 'a' }]);
  } finally {
    ended.abort();
    server.close();
    server.closeAllConnections();
  }
});
