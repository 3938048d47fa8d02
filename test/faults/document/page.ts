import { glance } from './glance.ts';
import { mutantsKilled, mutantsSection } from './mutants-section.ts';
import type { Recordings } from './recordings.ts';
import { runSection } from './run-section.ts';

/** The text of docs/faults.md; every figure in it is a recorded one. */
export const pageOf = ({ runs, mutants }: Recordings): string =>
  `${[
    '# What it survives',
    `A run of [test/faults](../test/faults/README.md) begins with servers of its own, Kafka, Redis, Postgres and the schema registry, and the
services as processes; that over the whole system has three brokers and two processes of each service. Senders, publishers, pollers and
receivers use them, while processes, brokers, stores, links, clocks and disks are killed, stopped, cut off and set wrong. Every side writes down
what it sees; then all of it is added up, event by event, and whatever does not fit a promise is a violation.`,
    `Written by \`npm run docs:write\` from [what was recorded](../test/faults/recorded); no figure here is written by hand.`,
    '## At a glance',
    ...(runs.length === 0
      ? ['No run is recorded yet.']
      : [
          glance(runs),
          '`–`: not judged by that run, or not counted by this name. *length* is what was asked for, *minutes* what it took.',
        ]),
    ...(mutants === undefined ? [] : [`And of the checks themselves: [${mutantsKilled(mutants)}](#mutants).`]),
    ...runs.map(runSection),
    ...(mutants === undefined ? [] : [mutantsSection(mutants)]),
    repeating,
  ].join('\n\n')}\n`;

const repeating = `## What a seed fixes

Each run above ends with the line that repeats it. \`--seed\` fixes what is sent, what is done to the system, in which order and by what chances;
it does not fix how the two fall together, which the machine decides: the same seed is the same trial, not the same history. It means nothing
to \`overload\` and \`replay\`.

\`\`\`
make faults ARGS='--minutes 60 --webhooks 100000 --record hour'     # keeps it as test/faults/recorded/hour.json, violations or not
make faults-mutants ARGS=--record                                   # keeps what came of the last trials, without a new one
npm run docs:write                                                  # writes this page from them
\`\`\``;
