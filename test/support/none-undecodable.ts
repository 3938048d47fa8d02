import type { UndecodableBatch } from '#lib/kafka';

/** For consumers of topics on which every batch can be decoded. */
export async function noneUndecodable({ topic, partition, firstOffset, problem }: UndecodableBatch): Promise<void> {
  throw new Error(`${topic}-${partition}: the batch at ${firstOffset} ${problem}`);
}
