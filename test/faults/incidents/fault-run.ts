import { alignFigures } from '../../support/align-figures.ts';
import type { FaultRun } from '../support/fault-run.ts';
import { startFaultyServers } from '../support/servers.ts';
import { withPipeline } from '../support/with-pipeline.ts';
import { processNames } from '../system/faults/processes.ts';
import { formatAnswers } from './answers.ts';
import { incidents } from './incidents.ts';
import type { AlertResult } from './judge-alerts.ts';
import { runIncidents } from './run.ts';

export const incidentsRun: FaultRun<'per-second'> = {
  name: 'incidents',
  scenarios: incidents,
  numbers: { 'per-second': 20 },
  processes: 'two of each service; Kafka (one broker, 3 partitions), Redis, Postgres, registry; Prometheus',
  startServers: () => startFaultyServers(),
  async run({ numbers: { 'per-second': perSecond }, isWanted, servers, settings }) {
    const { seed, say } = settings;
    const { result, faults } = await withPipeline({ ...settings, services: processNames }, (pipeline) =>
      runIncidents({ pipeline, servers, seed, perSecond, isWanted, say }),
    );
    const { accepted, events, deliveries, violations } = result;
    return {
      results: [{ scenario: 'incidents', ...result }],
      faults,
      tables: [
        `${accepted} webhooks taken, ${events} events, ${deliveries} deliveries${violations.length === 0 ? ': nothing lost, nothing twice' : ''}`,
        formatAlerts(result.alerts),
        formatAnswers('webhooks', result.answers, ({ webhooks }) => webhooks),
        formatAnswers('api', result.answers, ({ api }) => api),
      ],
    };
  },
};

const formatAlerts = (alerts: readonly AlertResult[]): string =>
  alignFigures([
    ['alert', 'incident', 'has s', 'fired after s', 'ended s after its end'],
    ...alerts.map(({ alert, incident, withinSeconds, afterSeconds, endedAfterSeconds }) => [
      alert,
      incident,
      String(withinSeconds ?? 'may'),
      String(afterSeconds ?? 'never'),
      String(endedAfterSeconds ?? 'never'),
    ]),
  ]);
