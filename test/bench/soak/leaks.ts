import type { Edit } from '../../faults/mutants/edits/index.ts';

interface Leak {
  what: string;
  edit: Edit;
  /** One of these must be found. */
  seenAs: readonly string[];
}

/** One in each process that a soak watches. */
export const leaks: readonly Leak[] = [
  {
    what: 'dedup keeps 16 kB of each record',
    edit: {
      in: 'createAcceptOnce',
      insert: '((globalThis as any).leaked ??= []).push(Array.from({ length: 2_000 }, Math.random));',
      before: 'readItem',
    },
    seenAs: ['memory of dedup', 'heap of dedup'],
  },
  {
    what: 'the dispatcher opens a file at every tenth attempt, and does not close it',
    edit: {
      in: 'createDispatch',
      insert: "if (Math.random() < 0.1) void import('node:fs').then(({ openSync }) => openSync('/dev/null', 'r'));",
      before: 'logAttempt',
    },
    seenAs: ['handles of dispatcher'],
  },
  {
    what: 'the api opens a connection for each event that is published, and does not close it',
    edit: {
      in: 'services/api/events/publish',
      insert: `const [host, port] = (process.env.HOOKLINE_KAFKA_BROKERS ?? '').split(',')[0]!.split(':');
void import('node:net').then(({ connect }) => connect(Number(port), host).on('error', () => undefined));`,
      before: 'tagErrors',
    },
    seenAs: ['connections of api'],
  },
  {
    what: 'the projector takes longer for a batch, the longer it runs',
    edit: {
      in: 'createRecordHandler',
      insert: 'await new Promise((resolve) => setTimeout(resolve, process.uptime() * 30));',
      before: 'project(await readAll(',
    },
    seenAs: ['lag of projector'],
  },
];
