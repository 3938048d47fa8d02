/**
 * Has the fetches of a consumer go at its pace (fetch-pace.ts), those from each broker at their own.
 *
 * kafkajs's fetchManager runs one fetcher a broker, each a loop of its own: fetch, hand the batches to the handler, fetch again. A fetcher asks
 * the cluster for its broker before each fetch, after it has decided what is read and from where; the cluster is one that no other consumer has,
 * and an assigner is given it. So what is paused, and what goes on, is in the next request as ever, and between two requests nothing waits.
 *
 * A fetcher that is told to stop waits for its fetch: the one that rests is given up then.
 */
import type { Broker, PartitionAssigner } from 'kafkajs';
import type { Clock } from '#lib/clock';
import type { FetchPace } from '../consuming/fetch-pace.ts';

type Request = Parameters<Broker['fetch']>[0];
/** Of kafkajs 2.2.4, whose types do not say. */
type Answer = { responses: readonly { partitions: readonly { messages: readonly { timestamp: string }[] }[] }[] };

interface Options {
  createPace(): FetchPace;
  clock: Pick<Clock, 'monotonicMs'>;
  /** Aborts right after kafkajs was told to stop. */
  leaving: AbortSignal;
}

const nothing: Answer = { responses: [] };

/** @returns the same assigner, which has the fetches of its consumer paced */
export function withPacedFetches(
  assigner: PartitionAssigner,
  { createPace, clock, leaving }: Options,
): PartitionAssigner {
  const paced = new WeakSet<object>();

  function pace(broker: Broker): Broker {
    if (paced.has(broker)) return broker;
    paced.add(broker);
    const own = createPace();
    // kafkajs's, as it is by then: it may be patched later than this.
    const theirs = Object.getPrototypeOf(broker) as Broker;
    broker.fetch = async (request: Request) => {
      const asked = theirs.fetch.call(broker, { ...request, ...own.next(clock.monotonicMs()) }) as Promise<Answer>;
      const answer = await unlessAborted(asked, leaving);
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

/** Not by Promise.race, which would leave something behind with the signal for each fetch. */
function unlessAborted(asked: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => resolve(nothing);
    const forget = (): void => signal.removeEventListener('abort', giveUp);
    signal.addEventListener('abort', giveUp);
    void asked.then(resolve, reject).finally(forget);
  });
}

/** A producer gives all records of a request the same time, so that each time is at least one request. */
function sendsIn({ responses }: Answer): number {
  const times = new Set<string>();
  for (const { partitions } of responses)
    for (const { messages } of partitions) for (const { timestamp } of messages) times.add(timestamp);
  return times.size;
}
