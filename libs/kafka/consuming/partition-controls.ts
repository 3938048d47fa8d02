import type { Consumer } from 'kafkajs';
import type { Logger } from '#lib/runtime';
import type { PartitionRef } from '../port.ts';

/** Pauses, resumes and moves the reading of single partitions. */
export interface PartitionControls {
  pause(ref: PartitionRef): void;
  resume(ref: PartitionRef): void;
  seek(ref: PartitionRef, offset: bigint): void;
}

export function createPartitionControls(consumer: Consumer, log: Logger): PartitionControls {
  /** Between a crash and the next start, kafkajs has no group to pause or resume in; the next join sets things right. */
  function whileRunning(action: () => void): void {
    try {
      action();
    } catch (error) {
      log.debug({ event: 'kafka.consumer_not_running', err: error });
    }
  }

  return {
    pause: (ref) => whileRunning(() => consumer.pause([partitionsOf(ref)])),
    resume: (ref) => whileRunning(() => consumer.resume([partitionsOf(ref)])),
    seek: ({ topic, partition }, offset) =>
      whileRunning(() => consumer.seek({ topic, partition, offset: String(offset) })),
  };
}

const partitionsOf = ({ topic, partition }: PartitionRef) => ({ topic, partitions: [partition] });
