import {
  commitIntervalField,
  type ConfigOf,
  consumerFields,
  integer,
  kafkaFields,
  kafkaRelations,
  payloadRetentionField,
  postgresFields,
  postgresRelations,
  type Problem,
  producerFields,
  readConfig,
  registryFields,
  serviceFields,
  serviceRelations,
} from '#lib/config';

export const fields = {
  ...serviceFields(9084),
  ...kafkaFields,
  ...producerFields,
  ...consumerFields,
  ...postgresFields,
  ...registryFields,
  gatherMs: integer('HOOKLINE_PROJECTOR_GATHER_MS', {
    default: '400',
    min: 0,
    max: 5_000,
    help: 'maximum time for which records are collected before they are written together, where nobody waits for them; up to a quarter of it, and 100 ms, at the broker under load. 0: none are collected',
  }),
  commitIntervalMs: commitIntervalField,
  payloadRetentionDays: payloadRetentionField,
  eventRetentionDays: integer('HOOKLINE_EVENT_RETENTION_DAYS', {
    default: '90',
    // A source may remember its keys for 30 days: a duplicate must find its event.
    min: 31,
    max: 3_650,
    help: 'days for which an ended event stays readable (without its payload) after its last change; must be more than HOOKLINE_PAYLOAD_RETENTION_DAYS',
  }),
  databaseMaxBytes: integer('HOOKLINE_DATABASE_MAX_BYTES', {
    default: '0',
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    help: 'disk space for the database, in bytes, for alerts about its size; 0: unknown',
  }),
};

export type ProjectorConfig = ConfigOf<typeof fields>;

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ProjectorConfig =>
  readConfig(fields, env, [serviceRelations, kafkaRelations, postgresRelations, retentionRelations]);

/** Payloads expire before their events. */
export const retentionRelations = ({ payloadRetentionDays, eventRetentionDays }: ProjectorConfig): Problem[] =>
  eventRetentionDays > payloadRetentionDays
    ? []
    : [
        `HOOKLINE_EVENT_RETENTION_DAYS=${eventRetentionDays} must be more than HOOKLINE_PAYLOAD_RETENTION_DAYS=${payloadRetentionDays}`,
      ];
