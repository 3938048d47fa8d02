import { Registry } from 'prom-client';
import { type ConsumerOptions, partitionOf, type PartitionRef, type ProducerOptions } from '#lib/kafka';
import { type Part, silentLogger, systemClock } from '#lib/runtime';
import { noneUndecodable } from '../none-undecodable.ts';

const common = { clientId: 'conformance', clock: systemClock, log: silentLogger };

export const producerOptions = (
  brokers: readonly string[],
  options: Partial<ProducerOptions> = {},
): ProducerOptions => ({
  ...common,
  metrics: new Registry(),
  brokers,
  ...options,
});

type ConsumerDefaults = 'clientId' | 'clock' | 'log' | 'metrics' | 'onUndecodable' | 'onFailure' | 'sessionTimeoutMs';

export const consumerOptions = (
  options: Omit<ConsumerOptions, ConsumerDefaults> & Partial<Pick<ConsumerOptions, ConsumerDefaults>>,
): ConsumerOptions => ({
  ...common,
  metrics: new Registry(),
  sessionTimeoutMs: 3_000,
  stopDrainMs: 500,
  onUndecodable: noneUndecodable,
  onFailure: (error) => {
    throw error;
  },
  ...options,
});

/** Starts parts, and stops the running ones at the end of each test, in any case. */
export function runningParts(): <P extends Part>(part: P) => Promise<P> {
  let running: Part[] = [];
  afterEach(async () => {
    const stopping = running.reverse();
    running = [];
    for (const part of stopping) await part.stop();
  });
  return async (part) => {
    running.push(part);
    await part.start();
    return part;
  };
}

/** A key for each partition of a topic with so many. */
export function keysByPartition(partitions: number): string[] {
  const keys: string[] = [];
  for (let i = 0; keys.filter((key) => key !== undefined).length < partitions; i += 1) {
    keys[partitionOf(`key-${i}`, partitions)] ??= `key-${i}`;
  }
  return keys;
}

export const placeOf = ({ topic, partition }: PartitionRef): string => `${topic}/${partition}`;
