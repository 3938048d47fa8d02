import {
  commitIntervalField,
  type ConfigOf,
  consumerFields,
  integer,
  kafkaFields,
  kafkaRelations,
  payloadRetentionField,
  postgresFields,
  type Problem,
  readConfig,
  registryFields,
  serviceFields,
  serviceRelations,
} from '#lib/config';

export const fields = {
  ...serviceFields(9084),
  ...kafkaFields,
  ...consumerFields,
  ...postgresFields,
  ...registryFields,
  gatherMs: integer('HOOKLINE_PROJECTOR_GATHER_MS', {
    default: '100',
    min: 0,
    max: 5_000,
    help: 'the longest that what the API is to read waits at the broker for more, to be written together, while it keeps coming; alone it is written at once',
  }),
  commitIntervalMs: commitIntervalField,
  payloadRetentionDays: payloadRetentionField,
  eventRetentionDays: integer('HOOKLINE_EVENT_RETENTION_DAYS', {
    default: '90',
    // A source may remember its keys for 30 days: a duplicate must find its event.
    min: 31,
    max: 3_650,
    help: 'days after its last change for which an ended event stays readable, without its payload; more than payloads are kept',
  }),
  databaseMaxBytes: integer('HOOKLINE_DATABASE_MAX_BYTES', {
    default: '0',
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    help: 'what the database may grow to on its disk, for the alert that tells of it before; 0: not known',
  }),
};

export type ProjectorConfig = ConfigOf<typeof fields>;

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ProjectorConfig =>
  readConfig(fields, env, [serviceRelations, kafkaRelations, retentionRelations]);

/** An event's payload is past its time before the event is. */
export const retentionRelations = ({ payloadRetentionDays, eventRetentionDays }: ProjectorConfig): Problem[] =>
  eventRetentionDays > payloadRetentionDays
    ? []
    : [
        `HOOKLINE_EVENT_RETENTION_DAYS=${eventRetentionDays} must be more than HOOKLINE_PAYLOAD_RETENTION_DAYS=${payloadRetentionDays}`,
      ];
