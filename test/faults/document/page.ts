import { glance } from './glance.ts';
import { mutantsSection } from './mutants-section.ts';
import { lastOfEachKind, type Recordings } from './recordings.ts';
import { runSection } from './run-section.ts';

/** The text of docs/faults.md; every figure in it is a recorded one. */
export const pageOf = ({ runs, mutants }: Recordings): string =>
  `${[
    '# Fault runs',
    `For whoever asks what Hookline survives: the last run of each kind, and [all it recorded](../test/faults/recorded). The commands are in
[evidence](evidence.md). \`npm run docs:write\` writes this page.`,
    `A run starts its own Kafka, Redis, Postgres and schema registry, and the services as processes. Senders, publishers, pollers and receivers use them
while processes, brokers, stores, links, clocks and disks fail, and every side records what it sees. A checker then compares the records, event by
event: a broken guarantee is a violation. [How each run works](../test/faults/README.md).`,
    ...(runs.length === 0
      ? []
      : [
          glance(runs),
          `\`–\`: not counted by that run. *Restarts*: of processes that ended by themselves. *Recovered* below: [from the end of a fault until all that was taken
while it lasted had arrived](../test/faults/system/README.md#what-is-judged), whatever else failed meanwhile.`,
        ]),
    ...lastOfEachKind(runs).map(runSection),
    ...(mutants === undefined ? [] : [mutantsSection(mutants)]),
  ].join('\n\n')}\n`;
