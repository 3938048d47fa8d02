import { Counter, Gauge, Histogram, type Metrics } from '#lib/telemetry';

/** Sources that have a label of their own: each costs a time series for every outcome. */
const maxSourceLabels = 200;

export interface IngressMetrics {
  /** @param sourceId undefined where no source of that id exists */
  answered(sourceId: string | undefined, outcome: string): void;
  acknowledged(seconds: number): void;
  /** Unread, because there is no room for it. */
  turnedAway(reason: string): void;
}

export function createIngressMetrics(metrics: Metrics, pendingRecords: () => number): IngressMetrics {
  const requests = new Counter({
    name: 'hookline_ingress_requests_total',
    help: 'Webhooks by source and what became of them: accepted, client_gone, or the error’s code',
    labelNames: ['source', 'outcome'],
    registers: [metrics],
  });
  const ackSeconds = new Histogram({
    name: 'hookline_ingress_ack_seconds',
    help: 'From a webhook’s headers to Kafka’s acknowledgment',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2],
    registers: [metrics],
  });
  const turnedAway = new Counter({
    name: 'hookline_ingress_turned_away_total',
    help: 'Webhooks turned away unread with 503, by what there was no room in; dropped: connections closed unanswered',
    labelNames: ['reason'],
    registers: [metrics],
  });
  new Gauge({
    name: 'hookline_ingress_pending_records',
    help: 'Records handed to the producer that Kafka has not acknowledged',
    registers: [metrics],
    collect() {
      this.set(pendingRecords());
    },
  });

  const labelled = new Set<string>();
  const labelOf = (sourceId: string): string => {
    if (labelled.has(sourceId)) return sourceId;
    if (labelled.size >= maxSourceLabels) return 'other';
    labelled.add(sourceId);
    return sourceId;
  };

  return {
    answered: (sourceId, outcome) =>
      requests.inc({ source: sourceId === undefined ? 'unknown' : labelOf(sourceId), outcome }),
    acknowledged: (seconds) => ackSeconds.observe(seconds),
    turnedAway: (reason) => turnedAway.inc({ reason }),
  };
}
