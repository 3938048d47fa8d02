import { openLedger } from '../../faults/checker/ledger.ts';
import { judgeOrder, payloadsOf } from '../../faults/delivering/order.ts';
import type { Payload } from '../../faults/delivering/webhooks.ts';
import { at, healthyHistory, type MutableHistory, stepOf } from '../checker/healthy-history.ts';

const payload = (number: number, key: string): [string, Payload] => [
  `webhook-${number}`,
  { id: `webhook-${number}`, type: 'order.updated', number, act: 'faults', key, refuse: 0, padding: '' },
];

/** Judges two events, the second received 100 ms after the first, each taken by both endpoints 30 ms after its receipt. */
function judged(
  break_: (history: MutableHistory) => void,
  keys: [string, string] = ['a', 'a'],
  ordered = ['ep_a', 'ep_b'],
): string[] {
  const history = healthyHistory();
  break_(history);
  const ledger = openLedger(history);
  const payloads = new Map(keys.map((key, number) => payload(number, key)));
  const payloadOf = payloadsOf(ledger, payloads);
  return judgeOrder(ledger, {
    keyOf: (event) => payloadOf(event)?.key,
    isOrdered: (endpointId) => ordered.includes(endpointId),
  }).map(({ finding }) => finding);
}

const firstAtA = ({ arrivals }: MutableHistory) => at(arrivals, 0);

describe('the order of the events of a key at an endpoint', () => {
  it('is kept where each arrives after the one before was taken', () => {
    expect(judged(() => undefined)).toEqual([]);
  });

  it('is broken where one arrives while the one before is on its way', () => {
    expect(judged((history) => (firstAtA(history).answeredAtMs! += 100))).toEqual(['out-of-order']);
  });

  it('is broken where one arrives while the one before waits for its next try', () => {
    expect(
      judged((history) => {
        const arrival = firstAtA(history);
        history.arrivals.push({
          ...arrival,
          attempt: 2,
          atMs: arrival.atMs + 5_000,
          answeredAtMs: arrival.atMs + 5_001,
        });
        Object.assign(arrival, { answered: 500 });
      }),
    ).toEqual(['out-of-order']);
  });

  it('does not wait for one that was given up, from then on', () => {
    const giveUp = (afterMs: number) => (history: MutableHistory) => {
      Object.assign(firstAtA(history), { answered: 500 });
      const step = stepOf(history.topics, 0);
      Object.assign(step, { status: 'dead_lettered', outcome: 'http_5xx', atMs: step.atMs + afterMs });
    };
    expect(judged(giveUp(20))).toEqual([]);
    expect(judged(giveUp(200))).toEqual(['out-of-order']);
  });

  it('is that of the topic, whichever was received first', () => {
    expect(
      judged(({ topics }) => {
        at(topics.events, 0).position = 'events-0-9';
      }),
    ).toEqual(['out-of-order', 'out-of-order']);
  });

  it('is no matter between keys, or between endpoints', () => {
    expect(judged((history) => (firstAtA(history).answeredAtMs! += 100), ['a', 'b'])).toEqual([]);
  });

  it('is no matter at endpoints that are not ordered', () => {
    expect(judged((history) => (firstAtA(history).answeredAtMs! += 100), ['a', 'a'], ['ep_b'])).toEqual([]);
  });

  it('needs one partition for all events of a key', () => {
    expect(judged(({ topics }) => (at(topics.events, 1).position = 'events-1-1'))).toEqual(['order-undefined']);
  });
});
