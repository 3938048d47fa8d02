import type { Fault, DeadLetterEntry } from '../../faults/checker/history.ts';
import { openLedger } from '../../faults/checker/ledger.ts';
import { castOf, judgeEnds, judgeGone, judgeDeadLetters } from '../../faults/delivering/ends.ts';
import { createReactions, type Role, roles } from '../../faults/delivering/roles.ts';
import { at, faultThroughout, healthyHistory, stepOf } from '../checker/healthy-history.ts';

const roleNamed = (name: string): Role => {
  const role = roles.find((each) => each.name === name);
  if (role === undefined) throw new Error(`there is no ${name}`);
  return role;
};
const deadLetter = (given: Partial<DeadLetterEntry> = {}): DeadLetterEntry => ({
  position: 'dead-letters-0-0',
  stage: 'dispatcher',
  reason: 'retries_exhausted',
  origin: 'dlv_0_a',
  atMs: 0,
  ...given,
});
const namesOf = (found: readonly { finding: string }[]): string[] => found.map(({ finding }) => finding);

describe('the end of a delivery', () => {
  const cast = castOf(roles, [
    ['healthy-0', 'ep_a'],
    ['fails-for-ever-0', 'ep_b'],
  ]);

  it('is wrong where its endpoint gives no reason for it', () => {
    const { topics } = healthyHistory();
    for (const index of [1, 3]) Object.assign(stepOf(topics, index), { status: 'dead_lettered' });
    const history = { ...healthyHistory(), topics };
    expect(namesOf(judgeEnds(openLedger(history), cast))).toEqual([]);

    Object.assign(stepOf(topics, 0), { status: 'dead_lettered' });
    expect(namesOf(judgeEnds(openLedger(history), cast))).toEqual(['wrong-end']);
  });

  it('is that of its last generation where dead letters are replayed', () => {
    const role = { ...roleNamed('replayed'), count: 1 };
    const replayed = castOf([role], [['replayed-0', 'ep_a']]);
    const { topics } = healthyHistory();
    Object.assign(stepOf(topics, 0), { status: 'dead_lettered' });
    const judged = () => namesOf(judgeEnds(openLedger({ ...healthyHistory(), topics }), replayed));
    expect(judged()).toEqual(['wrong-end']);

    topics['delivery.attempts'].push(
      {
        kind: 'fanned_out',
        position: 'attempts-0-90',
        eventId: 'evt_0',
        generation: 1,
        atMs: 0,
        deliveries: [{ id: 'dlv_0_again', endpointId: 'ep_a' }],
        chunk: null,
      },
      { ...stepOf(topics, 0), position: 'attempts-0-91', deliveryId: 'dlv_0_again', status: 'delivered' },
    );
    expect(judged()).toEqual([]);
  });
});

describe('a dead letter', () => {
  it('stands once on its topic where nothing died, and once in the table', () => {
    const history = healthyHistory();
    history.topics['dead-letters'].push(deadLetter(), deadLetter({ position: 'dead-letters-0-1' }));
    expect(namesOf(judgeDeadLetters(openLedger(history), 1).findings)).toEqual(['dead-letter-twice']);
    expect(namesOf(judgeDeadLetters(openLedger(history), 2).findings)).toEqual([
      'dead-letter-twice',
      'dead-letters-in-the-table',
    ]);
  });

  it('may stand twice where a dispatcher died between the two', () => {
    const history = healthyHistory();
    const { atMs } = faultThroughout;
    history.topics['dead-letters'].push(
      deadLetter({ atMs }),
      deadLetter({ position: 'dead-letters-0-1', atMs: atMs + 10_000 }),
    );
    history.faults.push({ ...faultThroughout, service: 'dispatcher' });
    expect(judgeDeadLetters(openLedger(history), 1)).toEqual({ again: 1, findings: [] });
  });
});

describe('an endpoint that answered 410', () => {
  const gone = () => {
    const { arrivals, endpoints } = healthyHistory();
    const [first, last] = [at(arrivals, 0), at(arrivals, 2)];
    Object.assign(first, { answered: 410 });
    return { first, last, arrivals, endpoints };
  };

  it('is disabled', () => {
    const { arrivals, endpoints } = gone();
    expect(namesOf(judgeGone(arrivals, endpoints, []))).toEqual(['not-disabled']);
  });

  it('gets nothing from then on, but for what was on its way', () => {
    const { first, last, arrivals, endpoints } = gone();
    at(endpoints, 0).disabledAtMs = first.atMs;
    expect(namesOf(judgeGone(arrivals, endpoints, []))).toEqual([]);
    last.atMs = first.atMs + 6_000;
    expect(namesOf(judgeGone(arrivals, endpoints, []))).toEqual(['sent-after-gone']);
  });

  it('may get more of a dispatcher that slept since, or could not ask Postgres', () => {
    const { first, last, arrivals, endpoints } = gone();
    at(endpoints, 0).disabledAtMs = first.atMs;
    last.atMs = first.atMs + 6_000;
    const during = { atMs: first.atMs - 1_000, settledAtMs: last.atMs };
    const findingsUnder = (fault: Omit<Fault, 'atMs' | 'settledAtMs'>): string[] =>
      namesOf(judgeGone(arrivals, endpoints, [{ ...fault, ...during }]));
    expect(findingsUnder({ what: 'SIGSTOP of dispatcher-2', service: 'dispatcher', process: 'dispatcher-2' })).toEqual(
      [],
    );
    expect(findingsUnder({ what: 'postgres hanging for 6 s' })).toEqual([]);
    for (const [service, what] of [
      ['dedup', 'SIGSTOP of dedup'],
      ['dispatcher', 'SIGKILL of dispatcher'],
    ] as const)
      expect(findingsUnder({ what, service })).toEqual(['sent-after-gone']);
    expect(findingsUnder({ what: 'kafka-1 killed' })).toEqual(['sent-after-gone']);
  });
});

describe('the endpoint that fails until it is replayed', () => {
  it('refuses the tries of every second event and takes what comes after them', () => {
    const react = createReactions(roles, 10, () => 0.5);
    const statuses = (number: number): unknown[] =>
      Array.from({ length: 3 }, () =>
        react({ name: 'replayed-0', eventId: `evt_${number}`, body: Buffer.from(JSON.stringify({ number })) }),
      ).map((reaction) => (reaction as { status: number }).status);

    expect([statuses(2), statuses(3)]).toEqual([
      [422, 422, 200],
      [200, 200, 200],
    ]);
    expect(roleNamed('replayed').settings.retry).toMatchObject({ max_attempts: 2 });
  });
});
