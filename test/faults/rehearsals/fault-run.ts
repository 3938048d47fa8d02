import { alignFigures } from '../../support/align-figures.ts';
import { type AnswersOfSpan, formatAnswers } from '../incidents/answers.ts';
import type { FaultRun } from '../support/fault-run.ts';
import { startFaultyServers } from '../support/servers.ts';
import { withPipeline } from '../support/with-pipeline.ts';
import { processNames } from '../system/faults/processes.ts';
import { makePreviousTree } from './previous-tree.ts';
import { type Remains, rehearseRestore } from './restore.ts';
import { rehearseUpgrade } from './upgrade.ts';

interface RehearsalResult {
  scenario: string;
  violations: readonly string[];
  answers: readonly AnswersOfSpan[];
  remains: readonly Remains[];
  /** In words: what was done, and how long it took. */
  steps: readonly string[];
}

const scenarios = [{ name: 'upgrade' }, { name: 'postgres-restored' }];

/** Tasks that an operator plans, done while webhooks come in. */
export const rehearsalsRun: FaultRun<'per-second' | 'minutes'> = {
  name: 'rehearsals',
  scenarios,
  numbers: { 'per-second': 20, minutes: 10 },
  processes: 'two of each service; Kafka (one broker, 3 partitions), Redis, Postgres, registry',
  startServers: () => startFaultyServers(),
  async run({ numbers: { 'per-second': perSecond, minutes }, isWanted, servers, settings }) {
    const { seed, say } = settings;
    const results: RehearsalResult[] = [];
    const common = { ...settings, services: processNames };
    if (isWanted({ name: 'upgrade' })) {
      const previous = makePreviousTree();
      say(`the version before: ${previous.commit}, without ${previous.newMigrations.join(', ')}`);
      let tree = previous.dir;
      const options = { ...common, topicPrefix: 'upgrade.', treeOf: () => tree };
      try {
        const told = await withPipeline(options, (pipeline) =>
          rehearseUpgrade({
            pipeline,
            seed,
            perSecond,
            say,
            run: (version) => void (tree = version === 'new' ? previous.root : previous.dir),
          }),
        );
        results.push({ scenario: 'upgrade', remains: [], ...told });
      } finally {
        previous.remove();
      }
    }
    if (isWanted({ name: 'postgres-restored' })) {
      const options = { ...common, topicPrefix: 'restore.' };
      const told = await withPipeline(options, (pipeline) =>
        rehearseRestore({ pipeline, servers, seed, perSecond, minutes, say }),
      );
      results.push({ scenario: 'postgres-restored', ...told });
    }
    return {
      results,
      faults: [],
      tables: results.flatMap(({ steps, answers, remains }) => [
        steps.join('\n'),
        formatAnswers('webhooks', answers, ({ webhooks }) => webhooks),
        formatAnswers('api', answers, ({ api }) => api),
        ...(remains.length === 0 ? [] : [formatRemains(remains)]),
      ]),
    };
  },
};

const formatRemains = (remains: readonly Remains[]): string =>
  alignFigures([
    ['', ...remains.map(({ when }) => when)],
    ...(
      [
        ['webhooks taken', 'taken'],
        ['events on the topic', 'events'],
        ['webhooks with a second event', 'secondEvents'],
        ['events that the API does not know', 'unknownToApi'],
        ['deliveries that were never taken', 'neverTaken'],
        ['deliveries that were taken twice', 'takenTwice'],
      ] as const
    ).map(([words, member]) => [words, ...remains.map((each) => String(each[member]))]),
  ]);
