import type { UndecodableBatch } from '#lib/kafka';
import type { Context } from '../../context.ts';

/** Says what a rebuild passes over: the stage that met the batch has written its dead letter, whose replay brings what is missing. */
export async function noteUndecodable(
  { process }: Pick<Context, 'process'>,
  { topic, partition, firstOffset, lastOffset, problem }: UndecodableBatch,
): Promise<void> {
  process.stderr.write(
    `${topic}, partition ${partition}: offsets ${firstOffset} to ${lastOffset} are left out, since the batch ${problem}. Replay its dead letter (undecodable_batch)\n`,
  );
}
