import { spentBetween } from '../../bench/peers/accounts.ts';
import { parseBusySeconds, parseProportionalKib, parseTimes } from '../../bench/support/processor-seconds.ts';

it('a process’s own time and that of those it has waited for stand behind its name, whatever that holds', () => {
  const stat = '42 (a) b (c)) S 1 42 42 0 -1 4194304 100 0 0 0 150 50 30 20 20 0 7 0 12345 0 0\n';
  expect(parseTimes(stat)).toEqual({ own: 2, ofEnded: 0.5 });
});

it('a machine is busy with all but waiting, and with what was stolen from it', () => {
  const stat = 'cpu  100 20 30 9999 8888 4 6 40 50 60\ncpu0 50 10 15 5000 4444 2 3 20 25 30\n';
  expect(parseBusySeconds(stat)).toBe(2);
});

it('memory is a process’s with its share of what it shares', () => {
  expect(parseProportionalKib('00400000-7ffd rollup\nRss:  900 kB\nPss:   512 kB\nPss_Dirty:  99 kB\n')).toBe(512);
  expect(parseProportionalKib('')).toBe(0);
});

it('what neither a system nor the sender has spent was spent by others, and never less than nothing', () => {
  const before = { by: { server: 1, redis: 2 }, ours: 3, machine: 10, atMs: 0 };
  const after = { by: { server: 2.5, redis: 2.5 }, ours: 3.5, machine: 14, atMs: 2_000 };
  expect(spentBetween(before, after)).toEqual({
    by: { server: 1.5, redis: 0.5 },
    system: 2,
    ours: 0.5,
    others: 1.5,
    seconds: 2,
  });
  expect(spentBetween(before, { ...after, machine: 11 }).others).toBe(0);
});
