/** A part of the night's suite: each runs by itself, and again where it has failed or was interrupted. */
export interface NightPart {
  name: string;
  /** For people: the guarantee that it shows. */
  holds: string;
  /** A program of this repository with its arguments, for the pinned Node. */
  args: readonly string[];
  /** Whoever changes one of these folders runs the part before the change lands. */
  folders: readonly string[];
}

const night = (...files: readonly string[]): readonly string[] => [
  'node_modules/jest/bin/jest.js',
  // Each file has services of its own, and kills them: more at once than by day would starve each other.
  ...['--selectProjects', 'night', '--maxWorkers=3', '--runTestsByPath'],
  ...files.map((file) => `test/${file}.night.test.ts`),
];

/** The shortest first: what fails is known soon. */
export const nightParts: readonly NightPart[] = [
  {
    name: 'alerts',
    holds: 'every alert fires when it should, and almost fires when it should not',
    args: night('integration/prometheus/rules', 'e2e/dashboards'),
    folders: ['deploy/prometheus', 'deploy/grafana'],
  },
  {
    name: 'dispatcher',
    holds: 'a dispatcher that dies at any crash point repeats at most what was under way',
    args: night(
      ...['unit/http-client/odd-heads', 'unit/dispatcher/simulation', 'integration/dispatcher/crashes'],
      ...['integration/dispatcher/long-histories', 'e2e/delivering-faults'],
    ),
    folders: ['services/dispatcher', 'libs/fan-out', 'libs/http-client'],
  },
  {
    name: 'documents',
    holds:
      'whatever documents and schemas a tenant gives, and whatever it locks, the others have short turns and hardly wait',
    args: night(...['unit/schema-checks/documents/hard-documents', 'integration/api/large-answers', 'e2e/neighbours']),
    folders: ['libs/schema-checks', 'services/api/event-types'],
  },
  {
    name: 'dedup',
    holds: 'a webhook is accepted once while Redis and Postgres hang and processes die',
    args: night('integration/dedup/service', 'e2e/receiving-faults'),
    folders: ['services/dedup', 'services/ingress', 'libs/dedup-store', 'libs/redis'],
  },
  {
    name: 'idempotency',
    holds: 'an idempotency key has one effect and one answer while its owners die',
    args: night('e2e/idempotency-faults'),
    folders: ['libs/idempotency', 'services/api/events/publishing', 'services/api/outbox'],
  },
  {
    name: 'kafka',
    holds:
      'no record is lost or rewound while leaders move, brokers die and clients fall silent, whatever compresses the topics',
    args: night(
      ...['integration/kafka/conformance', 'integration/kafka/rebuild', 'integration/kafka/oauth'],
      'e2e/compressed-topics',
    ),
    folders: ['libs/kafka'],
  },
  {
    name: 'console',
    holds: 'console, portal and catalog: every page in every look, by keyboard, live, and with the API away',
    args: night('e2e/console', 'e2e/console-browser', 'e2e/catalog'),
    folders: ['services/console', 'libs/html'],
  },
  {
    name: 'whole',
    holds: 'what people do with a running Hookline: examples, replays, restores, traces, the demo',
    args: night(
      ...[
        'bulk-replay',
        'demo',
        'examples',
        'fuzzing',
        'github-payloads',
        'listening',
        'loops',
        'outcomes',
        'overload',
        'refusals',
      ].map(e2e),
      ...['replay', 'restore', 'topics-are-readable', 'traces', 'trying-endpoints', 'unusual-bodies'].map(e2e),
    ),
    folders: ['services/cli', 'libs/replay-store', 'libs/telemetry', 'packages/receiver'],
  },
  {
    name: 'payloads',
    holds: 'all of GitHub’s payloads arrive while every service is killed at each of its crash points',
    args: night('e2e/github-payloads-with-kills'),
    folders: ['services/projector', 'libs/contract', 'libs/runtime'],
  },
  {
    name: 'mutants',
    holds: 'checks can fail: twenty of the recorded defects, others every night',
    args: ['test/faults/mutants/main.ts', '--sample', '20'],
    folders: ['test/faults/mutants'],
  },
  {
    name: 'system',
    holds: 'nothing is lost or done twice under every kind of fault there is',
    args: ['node_modules/jest/bin/jest.js', '--selectProjects', 'system-faults'],
    folders: ['deploy/postgres/migrations'],
  },
];

function e2e(name: string): string {
  return `e2e/${name}`;
}
