import type { Arrival, Fault } from '../../faults/checker/history.ts';
import { openLedger } from '../../faults/checker/ledger.ts';
import { createDispatcherLog, type DispatcherLog } from '../../faults/delivering/dispatcher-log.ts';
import { judgeRepeats } from '../../faults/delivering/repeats.ts';
import { at, healthyHistory } from '../checker/healthy-history.ts';

const group = 'test.dispatcher';

/** A history in which the first delivery is sent once more, so long after it was taken, and what the dispatchers say of it. */
function sentAgain(
  afterMs: number,
  { faults = [], outcome = 'delivered' }: { faults?: Fault[]; outcome?: string } = {},
) {
  const history = healthyHistory();
  const first: Arrival = at(history.arrivals, 0);
  const again = { ...first, atMs: first.atMs + afterMs };
  history.arrivals.push(again);
  history.faults.push(...faults);
  const log = createDispatcherLog(group);
  const line = (name: string, event: string, atMs: number, facts: object): void =>
    log.onLine(name, JSON.stringify({ event, time: new Date(atMs).toISOString(), ...facts }));
  const { eventId, endpointId, attempt } = first;
  return {
    firstMs: first.atMs,
    starts: (name: string) => line(name, 'service.starting', 0, {}),
    joins: (name: string, afterFirstMs: number, assigned = 3) =>
      line(name, 'consumer.joined', first.atMs + afterFirstMs, { group, assigned, lost: 0 }),
    sends: (name: string, which: 'first' | 'again') =>
      line(name, 'delivery.attempted', (which === 'first' ? first : again).atMs + 2, {
        ...{ eventId, endpointId, generation: 0, attempt, durationMs: 4 },
        outcome: which === 'first' ? outcome : 'delivered',
      }),
    judged: () => judgeRepeats(openLedger(history), log satisfies DispatcherLog),
  };
}

const found = ({ near, elsewhere }: ReturnType<typeof judgeRepeats>) => [
  near.ofKilled + near.handedOver,
  ...elsewhere.map(({ finding }) => finding),
];

const killedAt = (atMs: number): Fault => ({
  what: 'dispatcher.after-send@1',
  service: 'dispatcher',
  atMs,
  settledAtMs: atMs + 5_000,
});

describe('a request of a delivery that was taken before', () => {
  it('has its reason where a new owner sends what one who was killed had in hand', () => {
    const run = sentAgain(12_000);
    run.starts('dispatcher-2');
    run.joins('dispatcher-2', 11_000);
    run.sends('dispatcher-2', 'again');

    // The end that is recorded is that of the healthy history, at once: known for eleven seconds.
    expect(found(run.judged())).toEqual([0, 'repeat-of-the-known']);
    const inTime = sentAgain(4_000);
    inTime.joins('dispatcher-2', 3_000);
    inTime.sends('dispatcher-2', 'again');
    expect(found(inTime.judged())).toEqual([1]);
  });

  it('has none where the same process sends twice', () => {
    const run = sentAgain(4_000);
    run.joins('dispatcher', 3_000);
    run.sends('dispatcher', 'first');
    run.sends('dispatcher', 'again');

    expect(found(run.judged())).toEqual([0, 'repeat-by-the-same']);
  });

  it('may come from a process of the same name that was started after the first had died', () => {
    const run = sentAgain(4_000);
    run.starts('dispatcher');
    run.sends('dispatcher', 'first');
    run.starts('dispatcher');
    run.joins('dispatcher', 3_000);
    run.sends('dispatcher', 'again');

    expect(found(run.judged())).toEqual([1]);
  });

  it('has none where its partition did not change hands', () => {
    const run = sentAgain(4_000);
    run.joins('dispatcher-2', -30_000);
    run.joins('dispatcher-2', 3_000);
    run.sends('dispatcher', 'first');
    run.sends('dispatcher-2', 'again');

    expect(found(run.judged())).toEqual([0, 'repeat-elsewhere']);
  });

  it('may come from one who slept while another did it', () => {
    const { firstMs } = sentAgain(0);
    const slept: Fault = {
      what: 'SIGSTOP of dispatcher',
      service: 'dispatcher',
      atMs: firstMs - 1_000,
      settledAtMs: firstMs + 25_000,
    };
    const run = sentAgain(24_000, { faults: [slept] });
    run.sends('dispatcher-2', 'first');
    run.sends('dispatcher', 'again');

    expect(found(run.judged())).toEqual([1]);
  });

  it('whose sender nobody knows needs a death soon after', () => {
    const run = sentAgain(4_000);
    run.sends('dispatcher', 'first');
    expect(found(run.judged())).toEqual([0, 'repeat-by-nobody']);

    const died = sentAgain(4_000, { faults: [killedAt(run.firstMs + 4_010)] });
    died.sends('dispatcher', 'first');
    expect(found(died.judged())).toEqual([1]);
  });

  it('is none where the first came too late to count as delivered', () => {
    const run = sentAgain(4_000, { outcome: 'timeout' });
    run.sends('dispatcher', 'first');
    run.sends('dispatcher', 'again');

    expect(found(run.judged())).toEqual([0]);
  });
});
