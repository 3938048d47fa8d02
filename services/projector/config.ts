import {
  type ConfigOf,
  kafkaFields,
  postgresFields,
  readConfig,
  registryFields,
  serviceFields,
  serviceRelations,
} from '#lib/config';

export const fields = { ...serviceFields(9084), ...kafkaFields, ...postgresFields, ...registryFields };

export type ProjectorConfig = ConfigOf<typeof fields>;

export const loadConfig = (): ProjectorConfig => readConfig(fields, process.env, [serviceRelations]);
