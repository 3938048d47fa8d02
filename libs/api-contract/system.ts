import { component, operation, resource } from './operation.ts';
import { count, flag, list, map, nullable, number, object, oneOf, saying, type Static, text, time } from './schema.ts';

const system = component(
  'System',
  object({
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
);

export type System = Static<typeof system.schema>;

export const getSystem = operation({
  method: 'GET',
  path: '/v1/system',
  tag: 'System',
  id: 'getSystem',
  summary: 'Show the running processes, the consumer lag of each stage, and the dependencies',
  description: 'For the operator’s key alone.',
  access: { scope: 'operator', ofAllTenants: true },
  query: {},
  answers: { 200: { is: 'The system as its processes report it every five seconds', body: system.ref } },
});

export const systemState = resource({
  tag: 'System',
  description: 'The state of the installation, for the operator’s key alone.',
  components: [system],
  operations: [getSystem],
});
