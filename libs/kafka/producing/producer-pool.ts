import type { Logger } from '#lib/runtime';
import { type CreateProducer, createProducerBy, defaultRequestTimeoutMs, sendingOptionsOf } from './producer.ts';
import { createSending, type Sending, type SendingMember } from './sending.ts';

interface Options {
  /** Names the connections to the brokers. */
  clientId: string;
  log: Logger;
}

/**
 * Producers of services in one process that share connections where Kafka can't tell them apart: they log in as the same user at the same
 * brokers, and make batches alike. Bounds, time limits, metrics, spans and the stop are each producer's own: sending.ts.
 */
export function createProducerPool({ clientId, log }: Options, newSending = createSending): CreateProducer {
  const shared = new Map<string, Sending>();

  return (options) => {
    const key = keyOf(options);
    const own = sendingOptionsOf(options);
    const open = (): Sending => {
      if (key === undefined) return newSending(own);
      const known = shared.get(key);
      if (known !== undefined) return known;
      const requestTimeoutMs = Math.max(own.requestTimeoutMs, defaultRequestTimeoutMs);
      const opened = withEnd(newSending({ ...own, clientId, log, requestTimeoutMs }), () => shared.delete(key));
      shared.set(key, opened);
      return opened;
    };
    return createProducerBy(open, options);
  };
}

/** Undefined: nobody else can use its connections. The time limit of a request may differ: each batch keeps its owner's. */
function keyOf(options: Parameters<CreateProducer>[0]): string | undefined {
  const { identity } = options;
  if (identity === undefined) return undefined;
  const { compression, batches, metadataRefreshMs } = sendingOptionsOf(options);
  return JSON.stringify([identity, compression, batches, metadataRefreshMs]);
}

/** @param onEmpty called when the last member leaves, before its connections close: the next one opens new ones */
function withEnd(sending: Sending, onEmpty: () => void): Sending {
  let members = 0;
  return {
    ...sending,
    join(member: SendingMember) {
      members += 1;
      return sending.join(member);
    },
    leave(member: SendingMember) {
      members -= 1;
      if (members === 0) onEmpty();
      return sending.leave(member);
    },
  };
}
