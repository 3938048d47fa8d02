import type { Arrival, Fault } from '../../faults/checker/history.ts';
import { openLedger } from '../../faults/checker/ledger.ts';
import { readDispatcherLog } from '../../faults/delivering/dispatcher-log.ts';
import { followDispatchers } from '../../faults/delivering/follow-dispatchers.ts';
import { type InTablesAtMs, judgeRepeats } from '../../faults/delivering/repeats.ts';
import { at, healthyHistory } from '../checker/healthy-history.ts';

const group = 'test.dispatcher';

interface Options {
  faults?: Fault[];
  outcome?: string;
  /** When the event's next change is kept; default: none are kept at all. */
  changedAfterMs?: number;
  /** When the first was signed, after it came: less than nothing. Default: at the beginning of that second. */
  firstSignedAfterMs?: number;
}

/** A history in which the first delivery is sent once more, so long after it was taken, and what the dispatchers say of it. */
function sentAgain(afterMs: number, options: Options = {}) {
  const { faults = [], outcome = 'delivered', changedAfterMs, firstSignedAfterMs } = options;
  const history = healthyHistory();
  const arrived: Arrival = at(history.arrivals, 0);
  const again = { ...arrived, signedAtMs: arrived.signedAtMs + afterMs, atMs: arrived.atMs + afterMs };
  const first =
    firstSignedAfterMs === undefined ? arrived : { ...arrived, signedAtMs: arrived.atMs + firstSignedAfterMs };
  history.arrivals.splice(0, 1, first);
  history.arrivals.push(again);
  history.faults.push(...faults);
  const changes = [-20, changedAfterMs].flatMap((ms) => (ms === undefined ? [] : [first.atMs + ms]));
  history.changes =
    changedAfterMs === undefined ? [] : changes.map((atMs) => ({ eventId: first.eventId, updatedAt: '', atMs }));
  const dispatchers = followDispatchers(group);
  const line = (name: string, event: string, atMs: number, facts: object): void =>
    dispatchers.onLine(name, JSON.stringify({ event, time: new Date(atMs).toISOString(), ...facts }));
  const { eventId, endpointId, attempt } = first;
  return {
    firstMs: first.atMs,
    starts: (name: string) => line(name, 'service.starting', 0, {}),
    crashes: (name: string, afterFirstMs: number) =>
      line(name, 'consumer.crashed', first.atMs + afterFirstMs, { group }),
    cannotAsk: (name: string, afterFirstMs: number) =>
      line(name, 'deliveries.not_looked_up', first.atMs + afterFirstMs, { deliveries: 1 }),
    joins: (name: string, afterFirstMs: number, { assigned = 3, generation = 1 } = {}) =>
      line(name, 'consumer.joined', first.atMs + afterFirstMs, { group, generation, assigned, lost: 0 }),
    sends: (name: string, which: 'first' | 'again', saidAfterMs = 2, durationMs = 4) =>
      line(name, 'delivery.attempted', (which === 'first' ? first : again).atMs + saidAfterMs, {
        eventId,
        endpointId,
        generation: 0,
        attempt,
        durationMs,
        outcome: which === 'first' ? outcome : 'delivered',
      }),
    judged: (inTablesAtMs?: InTablesAtMs) =>
      judgeRepeats(openLedger(history), readDispatcherLog(dispatchers.facts()), inTablesAtMs),
  };
}

const found = ({ byCause, elsewhere }: ReturnType<typeof judgeRepeats>) => [
  ...Object.entries(byCause).flatMap(([cause, times]) => (times === 0 ? [] : [`${cause} ${times}`])),
  ...elsewhere.map(({ finding }) => finding),
];

const killedAt = (atMs: number, process = 'dispatcher'): Fault => ({
  what: 'dispatcher.after-send@1',
  service: 'dispatcher',
  process,
  deadly: true,
  atMs,
  settledAtMs: atMs + 5_000,
});
const { firstMs } = sentAgain(0);

describe('a request of a delivery that was taken before', () => {
  it('comes of a kill where a new owner sends what one who was killed had in hand', () => {
    const afterMs = (ms: number) => {
      const run = sentAgain(ms, { faults: [killedAt(firstMs + 10)] });
      run.starts('dispatcher-2');
      run.joins('dispatcher-2', ms - 1_000);
      run.sends('dispatcher-2', 'again');
      return found(run.judged());
    };

    expect(afterMs(4_000)).toEqual(['killed 1']);
    // The end that is recorded is that of the healthy history, at once: known for eleven seconds.
    expect(afterMs(12_000)).toEqual(['repeat-of-the-known']);
  });

  it('may come of a kill after the answer, too', () => {
    const run = sentAgain(4_000, { faults: [killedAt(firstMs + 1_000)] });
    run.sends('dispatcher', 'first');
    run.joins('dispatcher-2', 3_000);
    run.sends('dispatcher-2', 'again');

    expect(found(run.judged())).toEqual(['killed 1']);
  });

  it('is told from the first where a starved process has said of that late', () => {
    const saidAfterMs = (ms: number) => {
      const run = sentAgain(4_000);
      run.sends('dispatcher', 'first', ms);
      run.joins('dispatcher-2', 3_500);
      run.sends('dispatcher-2', 'again');
      return found(run.judged());
    };

    expect(saidAfterMs(900)).toEqual(['behind 1']);
    expect(saidAfterMs(2_500)).toEqual(['repeat-by-nobody']);
  });

  it('is told from the first where its process was stopped before it could say so', () => {
    const saidAfterStopOf = (process: string, stoppedAfterMs = 20) => {
      const stop: Fault = {
        what: `SIGSTOP of ${process}`,
        service: 'dispatcher',
        process,
        atMs: firstMs + stoppedAfterMs,
        settledAtMs: firstMs + 20_000,
      };
      const run = sentAgain(12_000, { faults: [stop] });
      run.joins('dispatcher', -30_000);
      run.sends('dispatcher', 'first', 16_000);
      run.joins('dispatcher-2', 11_000);
      run.sends('dispatcher-2', 'again');
      return found(run.judged(() => firstMs + 17_000));
    };

    expect(saidAfterStopOf('dispatcher')).toEqual(['behind 1']);
    expect(saidAfterStopOf('dispatcher-2')).toEqual(['repeat-by-nobody']);
    // It had twelve seconds to say so.
    expect(saidAfterStopOf('dispatcher', 12_000)).toEqual(['repeat-by-nobody']);
  });

  it('is told from the first where that lasted as long as its process was stopped, which then was slow to say so', () => {
    const saidAfterMs = (ms: number) => {
      const stop: Fault = {
        what: 'SIGSTOP of dispatcher',
        service: 'dispatcher',
        process: 'dispatcher',
        atMs: firstMs + 20,
        settledAtMs: firstMs + 16_000,
      };
      const run = sentAgain(12_000, { faults: [stop] });
      run.joins('dispatcher', -30_000);
      run.sends('dispatcher', 'first', ms, 15_000);
      run.joins('dispatcher-2', 11_000);
      run.sends('dispatcher-2', 'again');
      return found(run.judged(() => firstMs + 17_000));
    };

    expect(saidAfterMs(16_900)).toEqual(['behind 1']);
    // Later than it stood still, and than a starved process would say so.
    expect(saidAfterMs(32_500)).toEqual(['repeat-by-nobody']);
  });

  it('has no cause where nobody says that he has sent it first, and nobody was killed', () => {
    const run = sentAgain(4_000);
    run.joins('dispatcher-2', 3_000);
    run.sends('dispatcher-2', 'again');

    expect(found(run.judged())).toEqual(['repeat-by-nobody']);
  });

  it('has none where the same process sends twice', () => {
    const run = sentAgain(4_000);
    run.joins('dispatcher', 3_000);
    run.sends('dispatcher', 'first');
    run.sends('dispatcher', 'again');

    expect(found(run.judged())).toEqual(['repeat-by-the-same']);
  });

  it('may come from a process of the same name that was started after the first had died', () => {
    const run = sentAgain(4_000, { faults: [killedAt(firstMs + 100)] });
    run.starts('dispatcher');
    run.sends('dispatcher', 'first');
    run.starts('dispatcher');
    run.joins('dispatcher', 3_000);
    run.sends('dispatcher', 'again');

    expect(found(run.judged())).toEqual(['killed 1']);
  });

  it('has none where its partition did not change hands', () => {
    const run = sentAgain(4_000);
    run.joins('dispatcher-2', -30_000);
    run.joins('dispatcher-2', 3_000);
    run.sends('dispatcher', 'first');
    run.sends('dispatcher-2', 'again');

    expect(found(run.judged())).toEqual(['repeat-elsewhere']);
  });

  it('comes of the partition’s new owner where the tables, or even its topic, did not know the end yet', () => {
    const gainedAfterMs = (ms: number) => {
      const run = sentAgain(4_000);
      run.sends('dispatcher', 'first');
      run.joins('dispatcher-2', ms);
      run.sends('dispatcher-2', 'again');
      return found(run.judged());
    };

    expect(gainedAfterMs(3_000)).toEqual(['behind 1']);
    expect(gainedAfterMs(-10)).toEqual(['unrecorded 1']);
  });

  it('may come late where what writes the tables was kept from it', () => {
    const away: Fault = { what: 'postgres hangs', atMs: firstMs, settledAtMs: firstMs + 10_000 };
    const run = sentAgain(12_000, { faults: [away] });
    run.sends('dispatcher', 'first');
    run.joins('dispatcher-2', 11_000);
    run.sends('dispatcher-2', 'again');

    expect(found(run.judged())).toEqual(['behind 1']);
  });

  it('may come late where the new owner could not ask which deliveries have ended', () => {
    const notAskedAfterMs = (ms: number, name = 'dispatcher-2') => {
      const run = sentAgain(12_000);
      run.sends('dispatcher', 'first');
      run.joins('dispatcher-2', 9_000);
      run.cannotAsk(name, ms);
      run.sends('dispatcher-2', 'again');
      return found(run.judged());
    };

    expect(notAskedAfterMs(9_500)).toEqual(['unasked 1']);
    // Before it had the partition, after it had sent, another process.
    expect(notAskedAfterMs(8_500)).toEqual(['repeat-of-the-known']);
    expect(notAskedAfterMs(12_500)).toEqual(['repeat-of-the-known']);
    expect(notAskedAfterMs(9_500, 'dispatcher')).toEqual(['repeat-of-the-known']);
  });

  it('may come late where the change log shows that the tables had not changed by then', () => {
    const changedAfterMs = (ms: number) => {
      const run = sentAgain(12_000, { changedAfterMs: ms });
      run.sends('dispatcher', 'first');
      run.joins('dispatcher-2', 11_000);
      run.sends('dispatcher-2', 'again');
      return found(run.judged());
    };

    expect(changedAfterMs(10_500)).toEqual(['behind 1']);
    expect(changedAfterMs(11_500)).toEqual(['behind 1']);
    expect(changedAfterMs(100)).toEqual(['repeat-of-the-known']);
  });

  it('may come late where the projector had not read the end by then', () => {
    const inTablesAfterMs = (ms: number) => {
      const run = sentAgain(12_000);
      run.sends('dispatcher', 'first');
      run.joins('dispatcher-2', 11_000);
      run.sends('dispatcher-2', 'again');
      const asked: string[] = [];
      const judged = run.judged((position) => {
        asked.push(position);
        return firstMs + ms;
      });
      expect(asked).toEqual(['attempts-0-1']);
      return found(judged);
    };

    expect(inTablesAfterMs(Number.POSITIVE_INFINITY)).toEqual(['behind 1']);
    expect(inTablesAfterMs(10_500)).toEqual(['behind 1']);
    expect(inTablesAfterMs(100)).toEqual(['repeat-of-the-known']);
  });

  it('is taken up again by one who has lost all that he had, and was given it anew', () => {
    const run = sentAgain(4_000);
    run.joins('dispatcher-2', -30_000);
    run.crashes('dispatcher-2', 1_000);
    run.joins('dispatcher-2', 3_000);
    run.sends('dispatcher', 'first');
    run.sends('dispatcher-2', 'again');

    expect(found(run.judged())).toEqual(['behind 1']);
  });

  it('may come from one who slept while another did it', () => {
    const slept: Fault = {
      what: 'SIGSTOP of dispatcher',
      service: 'dispatcher',
      atMs: firstMs - 1_000,
      settledAtMs: firstMs + 25_000,
    };
    const run = sentAgain(24_000, { faults: [slept] });
    run.sends('dispatcher-2', 'first');
    run.sends('dispatcher', 'again');

    expect(found(run.judged())).toEqual(['slept 1']);
  });

  it('may come of one who did not hear that another had been given his partitions', () => {
    const cutOff: Fault = { what: 'black-hole of a to kafka-1', atMs: firstMs - 30_000, settledAtMs: firstMs - 15_000 };
    const sentInGeneration = (generation: number, faults: Fault[] = [cutOff]) => {
      const run = sentAgain(100, { faults });
      run.joins('dispatcher', -35_000, { generation });
      run.joins('dispatcher-2', -7_000, { assigned: 6, generation: 3 });
      run.sends('dispatcher', 'first');
      run.sends('dispatcher-2', 'again');
      return found(run.judged());
    };

    expect(sentInGeneration(2)).toEqual(['cut-off 1']);
    // It knows of the same rebalance.
    expect(sentInGeneration(3)).toEqual(['repeat-elsewhere']);
    expect(sentInGeneration(2, [])).toEqual(['repeat-elsewhere']);

    const again = sentAgain(100, { faults: [cutOff] });
    again.joins('dispatcher-2', -35_000, { generation: 2 });
    again.joins('dispatcher', -7_000, { assigned: 6, generation: 3 });
    again.sends('dispatcher', 'first');
    again.sends('dispatcher-2', 'again');
    expect(found(again.judged())).toEqual(['cut-off 1']);
  });

  it('may come of one who was stopped while it joined, and learns of that join when another has long had its partitions', () => {
    const stopped: Fault = {
      what: 'SIGSTOP of dispatcher',
      service: 'dispatcher',
      process: 'dispatcher',
      atMs: firstMs - 9_000,
      settledAtMs: firstMs - 50,
    };
    const joinedGeneration = (generation: number) => {
      const run = sentAgain(100, { faults: [stopped] });
      run.joins('dispatcher-2', -3_300, { generation: 3 });
      run.joins('dispatcher', -40, { generation });
      run.sends('dispatcher', 'first');
      run.sends('dispatcher-2', 'again');
      return found(run.judged());
    };

    expect(joinedGeneration(2)).toEqual(['cut-off 1']);
    expect(joinedGeneration(3)).toEqual(['repeat-elsewhere']);
  });

  it('is no matter of being cut off where the other was given the partition after the send', () => {
    const restarted: Fault = { what: 'kafka-1 restarts', atMs: firstMs - 8_000, settledAtMs: firstMs - 4_000 };
    const run = sentAgain(12_000, { faults: [restarted] });
    run.joins('dispatcher', -9_000, { generation: 2 });
    run.sends('dispatcher', 'first');
    run.joins('dispatcher-2', 11_000, { generation: 3 });
    run.sends('dispatcher-2', 'again');

    expect(found(run.judged(() => firstMs + 100))).toEqual(['repeat-of-the-known']);
  });

  it('comes of a kill where the network had held up what was sent before the new owner was one', () => {
    const judged = (signedAfterMs: number, killedAfterMs: number) => {
      const faults = [killedAt(firstMs + killedAfterMs)];
      const run = sentAgain(500, { faults, firstSignedAfterMs: signedAfterMs });
      run.starts('dispatcher-2');
      run.joins('dispatcher-2', -2_600);
      run.sends('dispatcher-2', 'again');
      return found(run.judged());
    };
    expect(judged(-5_000, -2_300)).toEqual(['killed 1']);
    // It was sent when the other had long had its partition.
    expect(judged(-100, 10)).toEqual(['repeat-elsewhere']);
  });

  it('is told from one that was refused at the same time by the answer', () => {
    const history = healthyHistory();
    const taken = at(history.arrivals, 0);
    history.arrivals.push({ ...taken, answered: 422, atMs: taken.atMs - 3 });
    const dispatchers = followDispatchers(group);
    const says = (name: string, endedAtMs: number, durationMs: number, outcome: string, httpStatus: number): void => {
      const { eventId, endpointId, attempt } = taken;
      const facts = { eventId, endpointId, attempt, generation: 0, outcome, httpStatus, durationMs };
      const time = new Date(endedAtMs).toISOString();
      dispatchers.onLine(name, JSON.stringify({ event: 'delivery.attempted', time, ...facts }));
    };
    // The sender that began last had the first answer that came: only its status says whose it is.
    says('dispatcher', taken.atMs + 5, 6, 'delivered', 200);
    says('dispatcher-2', taken.atMs - 1, 20, 'http_4xx', 422);
    const ofBoth = history.arrivals
      .filter(({ eventId, endpointId }) => eventId === taken.eventId && endpointId === taken.endpointId)
      .toSorted((x, y) => x.atMs - y.atMs);
    const senders = readDispatcherLog(dispatchers.facts()).sendersOf(ofBoth);
    expect(ofBoth.map((arrival) => senders.get(arrival)?.process)).toEqual(['dispatcher-2#0', 'dispatcher#0']);
  });

  it('is told from one that was under way at the same time: whose end came first brought the first', () => {
    const { arrivals } = healthyHistory();
    const first = at(arrivals, 0);
    const later = { ...first, atMs: first.atMs + 650 };
    const dispatchers = followDispatchers(group);
    const { eventId, endpointId, attempt } = first;
    const sends = (name: string, endedAfterMs: number, durationMs: number): void =>
      dispatchers.onLine(
        name,
        JSON.stringify({
          event: 'delivery.attempted',
          time: new Date(first.atMs + endedAfterMs).toISOString(),
          eventId,
          endpointId,
          generation: 0,
          attempt,
          durationMs,
          outcome: 'delivered',
          httpStatus: first.answered,
        }),
      );
    // The one that began nearer to the first arrival is the one that ended last.
    sends('dispatcher-2', 750, 1_070);
    sends('dispatcher', 100, 530);
    const senders = readDispatcherLog(dispatchers.facts()).sendersOf([first, later]);
    expect([first, later].map((arrival) => senders.get(arrival)?.process)).toEqual(['dispatcher#0', 'dispatcher-2#0']);
  });

  it('whose sender nobody knows needs a death soon after', () => {
    const run = sentAgain(4_000);
    run.sends('dispatcher', 'first');
    expect(found(run.judged())).toEqual(['repeat-by-nobody']);

    const died = sentAgain(4_000, { faults: [killedAt(firstMs + 4_010)] });
    died.sends('dispatcher', 'first');
    expect(found(died.judged())).toEqual(['killed 1']);
  });

  it('is due where the answer to the first did not reach its sender', () => {
    const run = sentAgain(4_000, { outcome: 'timeout' });
    run.sends('dispatcher', 'first');
    run.sends('dispatcher', 'again');

    expect(found(run.judged())).toEqual(['unheard 1']);
  });

  it('is what the network had kept of a send that was given up, however late it comes and whatever its sender’s clock showed', () => {
    const stepMs = -272_500;
    const history = healthyHistory();
    const first = at(history.arrivals, 0);
    const givenUpAtMs = firstMs - 6_000;
    const late = { ...first, signedAtMs: givenUpAtMs - 1_500 + stepMs, atMs: firstMs + 30_000 };
    history.arrivals.push(late);
    const dispatchers = followDispatchers(group, {
      trueTimeOf: (name, timeMs) => (name === 'dispatcher-2' ? timeMs - stepMs : timeMs),
      stepsOf: (name) => (name === 'dispatcher-2' ? [0, stepMs] : [0]),
    });
    const says = (name: string, endedAtMs: number, outcome: string, durationMs: number): void => {
      const { eventId, endpointId, attempt } = first;
      const facts = { eventId, endpointId, attempt, generation: 0, outcome, durationMs };
      const time = new Date(endedAtMs).toISOString();
      dispatchers.onLine(name, JSON.stringify({ event: 'delivery.attempted', time, ...facts }));
    };
    says('dispatcher', firstMs + 2, 'delivered', 4);
    const judged = () => found(judgeRepeats(openLedger(history), readDispatcherLog(dispatchers.facts())));
    expect(judged()).toEqual(['repeat-by-nobody']);

    says('dispatcher-2', givenUpAtMs + stepMs, 'timeout', 1_500);
    expect(judged()).toEqual(['unheard 1']);
  });
});
