import type { FaultRun } from '../support/fault-run.ts';
import { startFaultyServers } from '../support/servers.ts';
import { withPipeline } from '../support/with-pipeline.ts';
import { byFilterServices, byFilterViolations, runByFilter } from './by-filter.ts';
import { violationsOf } from './judge.ts';
import { replayServices, runReplays } from './run.ts';

const malformed = 20;
const timeoutMs = 300_000;

const deadLettersScenario = { name: 'dead-letters' };
const byFilterScenario = { name: 'by-filter' };

export const replayRun: FaultRun<'dead-letters' | 'events' | 'rate'> = {
  name: 'replay',
  scenarios: [deadLettersScenario, byFilterScenario],
  numbers: { 'dead-letters': 10_000, events: 10_000, rate: 500 },
  processes: 'dedup, two dispatchers, projector, api; Kafka (one broker, 3 partitions), Redis, Postgres, registry',
  startServers: () => startFaultyServers(),
  problemsOf: ({ 'dead-letters': deadLetters }) =>
    deadLetters >= 100 && deadLetters % 20 === 0 ? [] : ['--dead-letters must be 100 or more, in steps of 20'],
  async run({ numbers: { 'dead-letters': deadLetters, events, rate: perSecond }, isWanted, settings }) {
    const report = { results: [], faults: [], tables: [] } as {
      results: { scenario: string; violations: string[] }[];
      faults: Awaited<ReturnType<typeof runOf>>['faults'][number][];
      tables: string[];
    };
    if (isWanted(deadLettersScenario))
      add(
        deadLettersScenario.name,
        await runOf(replayServices, async (pipeline) => {
          const result = await runReplays({
            pipeline,
            deadLetters,
            malformed,
            perSecond,
            timeoutMs,
            say: settings.say,
          });
          return { result, violations: violationsOf(result, { malformed }) };
        }),
      );
    if (isWanted(byFilterScenario))
      add(
        byFilterScenario.name,
        await runOf(byFilterServices, async (pipeline) => {
          const result = await runByFilter({ pipeline, events, perSecond, timeoutMs, say: settings.say });
          return { result, violations: byFilterViolations(result) };
        }),
      );
    return report;

    function runOf(
      services: NonNullable<Parameters<typeof withPipeline>[0]['services']>,
      work: (
        pipeline: Parameters<Parameters<typeof withPipeline>[1]>[0],
      ) => Promise<{ result: object; violations: string[] }>,
    ) {
      return withPipeline({ ...settings, services }, async (pipeline) => ({
        ...(await work(pipeline)),
        faults: pipeline.faults,
      }));
    }

    function add(scenario: string, { result, violations, faults }: Awaited<ReturnType<typeof runOf>>): void {
      report.results.push({ scenario, ...result, violations });
      report.faults.push(...faults);
      report.tables.push(JSON.stringify(result, null, 2));
    }
  },
};
