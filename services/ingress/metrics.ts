import { type Exemplar, type Metrics, type MetricTable, observe, registerMetrics, whenRead } from '#lib/telemetry';

/** Sources that have a label of their own: each costs a time series for every outcome. */
const maxSourceLabels = 200;

export const ingressMetrics = {
  requests: {
    kind: 'counter',
    name: 'hookline_ingress_requests_total',
    help: 'Webhooks by source and outcome: `accepted`, an error code, `challenge` (the provider verified the URL), `client_gone` (the provider disconnected before the end of its body)',
    unit: 'webhooks',
    labels: {
      source: `the first ${maxSourceLabels} by id, then \`other\`; \`unknown\` where there is none`,
      outcome: 'error codes of docs/errors.md, and three more',
    },
  },
  ackSeconds: {
    kind: 'histogram',
    name: 'hookline_ingress_ack_seconds',
    help: 'Time from the headers of an accepted webhook to the acknowledgment by Kafka',
    unit: 'seconds',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2],
    exemplars: true,
  },
  answerDelaySeconds: {
    kind: 'histogram',
    name: 'hookline_ingress_answer_delay_seconds',
    help: 'Time for which responses to accepted webhooks were held back because deliveries of their tenant are late; those that were not are not counted',
    unit: 'seconds',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1],
  },
  turnedAway: {
    kind: 'counter',
    name: 'hookline_ingress_turned_away_total',
    help: 'Webhooks refused with 503 before their body is read, by reason; `dropped`: connections closed without a response',
    unit: 'webhooks',
    labels: { reason: ['full', 'starved', 'stalled', 'slow', 'connections', 'dropped'] },
  },
  pendingRecords: {
    kind: 'gauge',
    name: 'hookline_ingress_pending_records',
    help: 'Records that Kafka has not acknowledged yet',
    unit: 'records',
  },
  pendingRecordsMax: {
    kind: 'gauge',
    name: 'hookline_ingress_pending_records_max',
    help: 'Limit on unacknowledged records: `HOOKLINE_INGRESS_MAX_PENDING_RECORDS`',
    unit: 'records',
  },
  rejectionsDropped: {
    kind: 'counter',
    name: 'hookline_ingress_rejections_dropped_total',
    help: 'Rejections that were not stored for the API: too many at once, or Postgres is down',
    unit: 'rejections',
  },
  certificateExpiry: {
    kind: 'gauge',
    name: 'hookline_ingress_certificate_expiry_timestamp_seconds',
    help: 'Expiry time of the TLS certificate in use; 0 with plain HTTP',
    unit: 'seconds since 1970',
  },
} satisfies MetricTable;

export interface IngressMetrics {
  /** @param sourceId undefined where no source of that id exists */
  answered(sourceId: string | undefined, outcome: string): void;
  acknowledged(seconds: number, exemplar?: Exemplar): void;
  answerDelayed(seconds: number): void;
  /** Unread, because there is no room for it. */
  turnedAway(reason: string): void;
  rejectionDropped(): void;
  /** @param endsAtMs milliseconds since the epoch */
  certificateInUse(endsAtMs: number): void;
}

export function createIngressMetrics(
  registry: Metrics,
  pending: { records(): number; maxRecords: number },
): IngressMetrics {
  const metrics = registerMetrics(ingressMetrics, registry);
  metrics.pendingRecordsMax.set(pending.maxRecords);
  whenRead(metrics.pendingRecords, (gauge) => gauge.set(pending.records()));

  const labelled = new Set<string>();
  const labelOf = (sourceId: string): string => {
    if (labelled.has(sourceId)) return sourceId;
    if (labelled.size >= maxSourceLabels) return 'other';
    labelled.add(sourceId);
    return sourceId;
  };

  return {
    answered: (sourceId, outcome) =>
      metrics.requests.inc({ source: sourceId === undefined ? 'unknown' : labelOf(sourceId), outcome }),
    acknowledged: (seconds, exemplar) => observe(metrics.ackSeconds, seconds, { exemplar }),
    answerDelayed: (seconds) => metrics.answerDelaySeconds.observe(seconds),
    turnedAway: (reason) => metrics.turnedAway.inc({ reason }),
    rejectionDropped: () => metrics.rejectionsDropped.inc(),
    certificateInUse: (endsAtMs) => metrics.certificateExpiry.set(endsAtMs / 1000),
  };
}
