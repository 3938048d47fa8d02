import type { ReplayResult } from './run.ts';

/** The sums that do not add up, in words. */
export function violationsOf(result: ReplayResult, { malformed }: { malformed: number }): string[] {
  const { letters, dryRun, killed, operators, cancelled, last } = result;
  const replays = [killed, ...operators, cancelled, last];
  const sum = (field: 'matched' | 'replayed' | 'failed'): number =>
    replays.reduce((total, replay) => total + replay[field], 0);
  const found: string[] = [];
  const expect = (what: string, actual: unknown, expected: unknown): void => {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (is !== should) found.push(`${what}: ${is}, not ${should}`);
  };
  expect('the dry run matches one endpoint’s letters', dryRun.matched, letters / 2);
  expect('and leaves them all dead', dryRun.deadAfter, letters);
  expect(
    'the replay whose dispatcher died',
    [killed.status, killed.replayed, killed.failed, killed.remaining],
    ['completed', letters / 2, 0, 0],
  );
  expect(
    'what both operators matched',
    operators[0] && operators[0].matched + (operators[1]?.matched ?? 0),
    letters / 2 - cancelled.matched,
  );
  expect(
    'every replay is as long as its parts',
    replays.filter(({ matched, replayed, failed, remaining }) => matched !== replayed + failed + remaining),
    [],
  );
  expect('the cancelled one', cancelled.status, 'cancelled');
  expect('the last one has what was given back', last.matched, cancelled.remaining);
  expect('replayed in all', sum('replayed'), letters);
  expect('failed in all', sum('failed'), 0);
  expect('deliveries of a replay', result.replayedDeliveries, { delivered: letters });
  expect('deliveries in two generations', result.sentTwice, 0);
  expect('letters', result.deadLettersLeft, { replayed: letters });
  expect('events', result.eventStatuses, { completed: letters / 2 });
  // The projector had died of the same events, and was not asked again.
  expect('letters of what nobody can read', Object.entries(result.unreadable).sort(), [
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
