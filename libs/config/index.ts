export {
  type Field,
  type Fields,
  type ConfigOf,
  defaultNumber,
  type Problem,
  readConfig,
  describeConfig,
  decimal,
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
  endpointFailingField,
  fanOutFields,
  payloadRetentionField,
  registryFields,
  serviceFields,
  serviceRelations,
} from './common-fields.ts';
export {
  commitIntervalField,
  consumerFields,
  defaultDecompressedBytes,
  defaultSessionTimeoutMs,
  gatherField,
  type KafkaConfig,
  kafkaFields,
  kafkaRelations,
  producerFields,
} from './kafka-fields.ts';
export { proxyRelations, trustedProxiesField } from './proxy-fields.ts';
export { type DatabaseTls, postgresFields, postgresRelations, readDatabaseUrl } from './postgres-fields.ts';
export { redisFields, redisRelations } from './redis-fields.ts';
export { type TracingConfig, tracingFields } from './tracing-fields.ts';
export { envExample, configTable } from './document.ts';
