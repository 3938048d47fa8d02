import type { Logger } from '#lib/runtime';
import type { ConsumerMeter } from '../../metrics.ts';
import type { PartitionRef } from '../../port.ts';
import type { Position } from './vet-position.ts';

export type ReportPosition = (partition: PartitionRef, position: Position) => void;

/** Counts and logs what is not as the group left it. Offsets as in Kafka: `toOffset` is the first that is still there. */
export function createReportPosition(groupId: string, meter: ConsumerMeter, log: Logger): ReportPosition {
  return ({ topic, partition }, position) => {
    meter.begin(topic, partition);
    const facts = { group: groupId, topic, partition };
    const startOffset = String(position.startOffset);
    switch (position.kind) {
      case 'within':
      case 'new':
        return;
      case 'lost': {
        const records = Number(position.records);
        meter.lost(topic, partition, records);
        const fromOffset = String(position.from);
        log.error({ event: 'consumer.records_lost', ...facts, fromOffset, toOffset: startOffset, records });
        return;
      }
      case 'beyond_end': {
        meter.reset(topic, partition, 'beyond_end');
        const ends = { committedOffset: String(position.from), endOffset: String(position.end) };
        log.error({ event: 'consumer.offset_beyond_end', ...facts, ...ends, startOffset });
        return;
      }
      case 'no_offset':
        meter.reset(topic, partition, 'no_offset');
        log.error({ event: 'consumer.offset_missing', ...facts, startOffset });
    }
  };
}
