import {
  allowedNetworksField,
  allowHttpField,
  type ConfigOf,
  consumerFields,
  encryptionFields,
  endpointFailingField,
  gatherField,
  integer,
  kafkaFields,
  kafkaRelations,
  payloadRetentionField,
  postgresFields,
  postgresRelations,
  type Problem,
  producerFields,
  readConfig,
  redisFields,
  redisRelations,
  registryFields,
  serviceFields,
  serviceRelations,
} from '#lib/config';
import { maxPayloadBytes } from '#lib/contract';
import { tenantLimitsField } from '#lib/tenancy';

const mebibyte = 1024 * 1024;

export const fields = {
  ...serviceFields(9083),
  ...kafkaFields,
  ...producerFields,
  ...consumerFields,
  ...postgresFields,
  ...redisFields,
  ...registryFields,
  ...encryptionFields,
  gatherMs: gatherField,
  allowHttp: allowHttpField,
  allowedNetworks: allowedNetworksField,
  payloadRetentionDays: payloadRetentionField,
  tenantLimits: tenantLimitsField,
  failingSeconds: endpointFailingField,
  maxInFlight: integer('HOOKLINE_DISPATCHER_MAX_IN_FLIGHT', {
    default: '500',
    min: 1,
    max: 10_000,
    help: 'concurrent requests to endpoints, all tenants together; one tenant can use four fifths of them: docs/tenancy.md',
  }),
  laneRecords: integer('HOOKLINE_DISPATCHER_LANE_RECORDS', {
    default: '2000',
    min: 1,
    max: 100_000,
    help: 'deliveries queued in memory per endpoint; a twentieth of it when the tenant uses more than half of its share of the queue. Further deliveries are parked',
  }),
  laneBytes: integer('HOOKLINE_DISPATCHER_LANE_BYTES', {
    default: String(16 * mebibyte),
    min: 1,
    max: 1024 * mebibyte,
    help: 'payload bytes queued in memory per endpoint; a single payload may be larger',
  }),
  queueRecords: integer('HOOKLINE_DISPATCHER_QUEUE_RECORDS', {
    default: '10000',
    min: 1,
    max: 1_000_000,
    help: 'deliveries in memory, all endpoints together, in-flight ones included',
  }),
  queueBytes: integer('HOOKLINE_DISPATCHER_QUEUE_BYTES', {
    default: String(64 * mebibyte),
    min: maxPayloadBytes,
    max: 16 * 1024 * mebibyte,
    help: 'payload bytes in memory, all endpoints together; deliveries read back from the table of waiting ones may take the same amount again',
  }),
  setChunk: integer('HOOKLINE_DISPATCHER_SET_CHUNK', {
    default: '1000',
    min: 1,
    max: 2_000,
    help: 'deliveries per fan-out record on delivery.attempts; an event with more endpoints gets several records',
  }),
};

export type DispatcherConfig = ConfigOf<typeof fields>;

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): DispatcherConfig =>
  readConfig(fields, env, [serviceRelations, kafkaRelations, postgresRelations, redisRelations, queueRelations]);

function queueRelations(config: DispatcherConfig): Problem[] {
  const problems: Problem[] = [];
  if (config.laneRecords > config.queueRecords)
    problems.push('HOOKLINE_DISPATCHER_LANE_RECORDS must not be above HOOKLINE_DISPATCHER_QUEUE_RECORDS');
  if (config.laneBytes > config.queueBytes)
    problems.push('HOOKLINE_DISPATCHER_LANE_BYTES must not be above HOOKLINE_DISPATCHER_QUEUE_BYTES');
  return problems;
}
