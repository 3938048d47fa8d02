export {
  type Field,
  type Fields,
  type ConfigOf,
  type Problem,
  readConfig,
  describeConfig,
  flag,
  integer,
  list,
  oneOf,
  text,
} from './fields.ts';
export {
  allowHttpField,
  allowedNetworksField,
  encryptionFields,
  kafkaFields,
  payloadRetentionField,
  postgresFields,
  redisFields,
  registryFields,
  serviceFields,
  serviceRelations,
} from './common-fields.ts';
export { envExample, configTable } from './document.ts';
