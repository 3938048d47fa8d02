/**
 * Has the fetches of a consumer go at its pace (fetch-pace.ts), those from each broker at their own.
 *
 * kafkajs's fetchManager runs one fetcher a broker, each a loop of its own: fetch, hand the batches to the handler, fetch again. A fetcher asks
 * the cluster for its broker before each fetch, after it has decided what is read and from where; the cluster is one that no other consumer has,
 * and an assigner is given it. So what is paused, and what goes on, is in the next request as ever, and between two requests nothing waits.
 */
import type { Broker, PartitionAssigner } from 'kafkajs';
import type { Clock } from '#lib/clock';
import type { FetchPace } from './fetch-pace.ts';

type Request = Parameters<Broker['fetch']>[0];
/** Of kafkajs 2.2.4, whose types do not say. */
type Answer = { responses: readonly { partitions: readonly { messages: readonly object[] }[] }[] };

/** @returns the same assigner, which has the fetches of its consumer paced */
export function withPacedFetches(
  assigner: PartitionAssigner,
  createPace: () => FetchPace,
  clock: Pick<Clock, 'monotonicMs'>,
): PartitionAssigner {
  const paced = new WeakSet<object>();

  function pace(broker: Broker): Broker {
    if (paced.has(broker)) return broker;
    paced.add(broker);
    const own = createPace();
    const fetch = broker.fetch.bind(broker);
    broker.fetch = async (request: Request) => {
      const answer = (await fetch({ ...request, ...own.next(clock.monotonicMs()) })) as Answer;
      own.found(recordsOf(answer), clock.monotonicMs());
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

function recordsOf({ responses }: Answer): number {
  let records = 0;
  for (const { partitions } of responses) for (const { messages } of partitions) records += messages.length;
  return records;
}
