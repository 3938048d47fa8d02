/**
 * Paces a consumer's fetches (consuming/fetch-pace.ts), per broker.
 *
 * kafkajs's fetchManager runs one fetcher per broker, each a loop: fetch, hand the batches to the handler, fetch again. A fetcher asks the
 * cluster for its broker before each fetch, after it has chosen partitions and offsets. The cluster belongs to one consumer, whose assigner
 * receives it. So pauses and resumes take effect with the next request as before, and nothing waits between two requests.
 *
 * Stopping a fetcher waits for its fetch, so a resting fetch is cancelled then.
 */
import type { Broker, PartitionAssigner } from 'kafkajs';
import type { Clock } from '#lib/runtime';
import type { FetchPace } from '../consuming/fetch-pace.ts';
import { createSendFetch } from './fetch-request.ts';

type Request = Parameters<Broker['fetch']>[0];
/** The answer of kafkajs 2.2.4, whose types omit it. */
type Answer = { responses: readonly { partitions: readonly { messages: readonly { timestamp: string }[] }[] }[] };

interface Options {
  createPace(): FetchPace;
  clock: Pick<Clock, 'monotonicMs'>;
  /** Aborts right after kafkajs was stopped. */
  leaving: AbortSignal;
}

const nothing: Answer = { responses: [] };

/** @returns the same assigner; it paces the fetches of its consumer */
export function withPacedFetches(
  assigner: PartitionAssigner,
  { createPace, clock, leaving }: Options,
): PartitionAssigner {
  const paced = new WeakSet<object>();
  const unlessLeaving = createUnlessAborted(leaving);

  function pace(broker: Broker): Broker {
    if (paced.has(broker)) return broker;
    paced.add(broker);
    const own = createPace();
    // Read at each call: the prototype may be patched later than this.
    const theirs = Object.getPrototypeOf(broker) as Broker;
    const send = createSendFetch(broker) ?? ((request: Request) => theirs.fetch.call(broker, request));
    broker.fetch = async (request: Request) => {
      const asked = send({ ...request, ...own.next(clock.monotonicMs()) }) as Promise<Answer>;
      const answer = await unlessLeaving(asked);
      own.found(sendsIn(answer), clock.monotonicMs());
      return answer;
    };
    return broker;
  }

  return (config) => {
    const { cluster } = config;
    const findBroker = cluster.findBroker.bind(cluster);
    cluster.findBroker = async (node) => pace(await findBroker(node));
    return assigner(config);
  };
}

/** With one listener on the signal for all fetches: Promise.race would leave one for each, and adding and removing one costs as much as a record. */
function createUnlessAborted(signal: AbortSignal): (asked: Promise<Answer>) => Promise<Answer> {
  const waiting = new Set<(answer: Answer) => void>();
  signal.addEventListener('abort', () => {
    for (const resolve of waiting) resolve(nothing);
  });
  return (asked) =>
    new Promise((resolve, reject) => {
      waiting.add(resolve);
      asked.then(resolve, reject).finally(() => waiting.delete(resolve));
    });
}

/** A producer stamps all records of a request with one time, so distinct times count requests from below. */
function sendsIn({ responses }: Answer): number {
  const times = new Set<string>();
  for (const { partitions } of responses)
    for (const { messages } of partitions) for (const { timestamp } of messages) times.add(timestamp);
  return times.size;
}
