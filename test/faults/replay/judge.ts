import type { ReplayResult } from './run.ts';

/** The sums that do not add up, in words. */
export function violationsOf(result: ReplayResult, { malformed }: { malformed: number }): string[] {
  const { deadLetters, dryRun, killed, operators, cancelled, last } = result;
  const replays = [killed, ...operators, cancelled, last];
  const sum = (field: 'matched' | 'replayed' | 'failed'): number =>
    replays.reduce((total, replay) => total + replay[field], 0);
  const found: string[] = [];
  const expect = (what: string, actual: unknown, expected: unknown): void => {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (is !== should) found.push(`${what}: ${is}, not ${should}`);
  };
  expect('the dry run matches the dead letters of one endpoint', dryRun.matched, deadLetters / 2);
  expect('and leaves them all dead', dryRun.deadAfter, deadLetters);
  expect(
    'the replay whose dispatcher died',
    [killed.status, killed.replayed, killed.failed, killed.remaining],
    ['completed', deadLetters / 2, 0, 0],
  );
  expect(
    'what both operators matched',
    operators[0] && operators[0].matched + (operators[1]?.matched ?? 0),
    deadLetters / 2 - cancelled.matched,
  );
  expect(
    'every replay is as long as its parts',
    replays.filter(({ matched, replayed, failed, remaining }) => matched !== replayed + failed + remaining),
    [],
  );
  expect('the cancelled one', cancelled.status, 'cancelled');
  expect('the last one has what was given back', last.matched, cancelled.remaining);
  expect('replayed in all', sum('replayed'), deadLetters);
  expect('failed in all', sum('failed'), 0);
  expect('deliveries of a replay', result.replayedDeliveries, { delivered: deadLetters });
  expect('deliveries in two generations', result.sentTwice, 0);
  expect('dead letters', result.deadLettersLeft, { replayed: deadLetters });
  expect('events', result.eventStatuses, { completed: deadLetters / 2 });
  // The projector had died of the same events, and was not asked again.
  expect('dead letters of unreadable records', Object.entries(result.unreadable).sort(), [
    ['dedup 0', malformed],
    ['dedup 1', malformed],
    ['fan-out 0', malformed],
    ['fan-out 1', malformed],
    ['projector 0', malformed],
  ]);
  const { matched, replayed, eventStatus, arrivals } = result.eventReplay;
  expect('one event’s replay', [matched, replayed, eventStatus, arrivals], [2, 2, 'completed', 2]);
  if (result.repeats < 0) found.push(`${-result.repeats} deliveries have not arrived`);
  return found;
}
