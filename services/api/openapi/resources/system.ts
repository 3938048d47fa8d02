import type { DocumentedResource } from '../operation.ts';
import { count, flag, list, map, nullable, number, object, oneOf, saying, text, time } from '#lib/api-contract';

export const documentedSystem: DocumentedResource = {
  tag: 'System',
  description: 'The state of the installation, for the operator’s key alone.',
  schemas: {
    System: object({
      processes: list(
        object({
          service: text,
          instance: text,
          host: text,
          pid: count,
          version: text,
          started_at: time,
          beat_at: saying('the last report; reports are forgotten after ten minutes', time),
          status: saying('`silent`: no report for 30 seconds', oneOf(['ready', 'not_ready', 'silent'])),
          dependencies: saying('whether each answered; null if the process is silent', nullable(map(flag))),
        }),
      ),
      stages: saying(
        'consumer lag by group and topic; null if no process that reports has any of the partitions',
        list(
          object({
            service: text,
            group: text,
            topic: text,
            partitions: nullable(count),
            records: nullable(count),
            seconds: saying('age of the oldest unfinished record', nullable(number)),
          }),
        ),
      ),
      dependencies: list(
        object({ name: text, up: flag, down_for: saying('services that it does not answer', list(text)) }),
      ),
    }),
  },
};
