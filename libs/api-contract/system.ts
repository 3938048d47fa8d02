import { answer, component, operationsOf, resource } from './operation.ts';
import * as t from './schema.ts';

const operation = operationsOf('System');

const system = component(
  'System',
  t.object({
    processes: t.list(
      t.object({
        service: t.text,
        instance: t.text,
        host: t.text,
        pid: t.count,
        version: t.text,
        started_at: t.time,
        beat_at: t.saying('the last report; reports are forgotten after ten minutes', t.time),
        status: t.saying('`silent`: no report for 30 seconds', t.oneOf(['ready', 'not_ready', 'silent'])),
        dependencies: t.saying('whether each answered; null if the process is silent', t.nullable(t.map(t.flag))),
      }),
    ),
    stages: t.saying(
      'consumer lag by group and topic; null if no process that reports has any of the partitions',
      t.list(
        t.object({
          service: t.text,
          group: t.text,
          topic: t.text,
          partitions: t.nullable(t.count),
          records: t.nullable(t.count),
          seconds: t.saying('age of the oldest unfinished record', t.nullable(t.number)),
        }),
      ),
    ),
    dependencies: t.list(
      t.object({ name: t.text, up: t.flag, down_for: t.saying('services that it does not answer', t.list(t.text)) }),
    ),
  }),
);

export type System = t.Static<typeof system.schema>;

export const getSystem = operation('GET', '/v1/system', {
  summary: 'Show the running processes, the consumer lag of each stage, and the dependencies',
  description: 'For the operator’s key alone.',
  access: { scope: 'operator', ofAllTenants: true },
  query: {},
  answers: { 200: answer(system, 'The system as its processes report it every five seconds') },
});

export const systemState = resource({
  tag: 'System',
  description: 'The state of the installation, for the operator’s key alone.',
  components: [system],
  operations: { getSystem },
});
