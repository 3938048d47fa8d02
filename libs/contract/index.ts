export {
  type AvroTopic,
  type GroupName,
  type TopicName,
  type Topics,
  avroTopics,
  groupOf,
  topicNames,
  topicsOf,
} from './topics.ts';
export { topicDefinitions } from './topic-definitions.ts';
export { attemptToAvro, type AvroAttempt, parseAttempt, readSchema } from './avro-attempt.ts';
export { header, type HeaderText, headerText, traceHeaders } from './headers.ts';
export {
  answeredHeadersFor,
  detailFor,
  headerKinds,
  type HeaderViewer,
  receivedHeadersFor,
  recordHeaderText,
  sentHeadersFor,
  setHeadersFor,
  setOwn,
} from './shown-headers.ts';
export { credentialsKept, goesWithHost, settingsForHost } from './goes-with-host.ts';
export {
  type AttemptOutcome,
  type DeliveryCount,
  type DeliveryStatus,
  type EventStatus,
  type WaitingStatus,
  attemptOutcomes,
  deliveryCounts,
  deliveryStatuses,
  eventStatuses,
  finalEventStatuses,
  finalStatuses,
  isFinal,
  isWaiting,
  openStatuses,
  statusesOfCount,
  waitingStatuses,
} from './states.ts';
export {
  type DeadLetterStatus,
  deadLetterStatuses,
  maxReplayDeadLetters,
  type ReplayItemStatus,
  replayItemStatuses,
  type ReplayOperation,
  replayOperations,
  type ReplayOutcome,
  replayOutcomes,
  type ReplayStatus,
  type ShownReplayStatus,
  shownReplayStatuses,
} from './replay-states.ts';
export { type ReceivedWebhook, parseReceivedWebhook, receivedWebhookHeaders } from './received-webhook.ts';
export {
  type CountedWith,
  type IdentifierPlace,
  type Locator,
  type WebhookIdentity,
  identityHeaders,
} from './webhook-identity.ts';
export { type EventRecord, problemOfEvent } from './event-record.ts';
export { type EventSet, eventSetHeader, maxEventSetEndpoints, parseEventSet } from './event-set.ts';
export { isInstant, isName } from './record-text.ts';
export {
  type PassHeaders,
  compilePassHeaders,
  passedHeaders,
  passRulePattern,
  problemOfPassRule,
} from './pass-headers.ts';
export { isTagName, isTagValue, maxTagBytes, maxTags, tagNamePattern, type Tags } from './tags.ts';
export { openHeader, sealHeader, type SealedHeaders } from './sealed-headers.ts';
export { type EventRequest, eventRequestText, type ReceivedRequest, type RequestHeader } from './webhook-request.ts';
export { type Delivery, deliveryHeaders, parseDelivery } from './delivery-record.ts';
export {
  type Attempted,
  type AttemptRecord,
  type AttemptTiming,
  type FannedOut,
  type FannedOutDelivery,
  sendColumns,
  type SendFields,
  type SentRequest,
  type SetChunk,
  type StepFields,
  type StepRecord,
  timingColumns,
} from './attempt-record.ts';
export { type DuplicateRecord, duplicateToJson, parseDuplicate } from './duplicate-record.ts';
export {
  type DeadLetterReason,
  type DeadLetterStage,
  deadLetterReasons,
  deadLetterStages,
  reasonsOfStages,
} from './dead-letter-reasons.ts';
export {
  type DeadLetterFacts,
  deadLetterHeaders,
  isForAnother,
  isShortened,
  noTenant,
  packHeaders,
  parseDeadLetter,
  type ReadDeadLetter,
  unpackHeaders,
} from './dead-letter.ts';
export {
  originOfBatch,
  parseUndecodableBatch,
  type UndecodableBatchFacts,
  undecodableBatchHeaders,
} from './undecodable-batch.ts';
export { isReservedHeader, isSensitiveHeader } from './endpoint-headers.ts';
export { type OperationalEventType, isOperationalEvent, operationalEventTypes } from './operational-events.ts';
export { maxPayloadBytes, maxPayloadText } from './payload-limit.ts';
export {
  type PrivateSettings,
  type StoredEndpointSettings,
  isMaskedProxy,
  joinSettings,
  maskHeaders,
  maskProxy,
  privateContext,
  proxyText,
  secretMask,
  splitSettings,
} from './private-settings.ts';
export {
  type BackoffSettings,
  dedupRules,
  type EndpointCertificate,
  endpointCommitMs,
  endpointDefaults,
  type EndpointMethod,
  endpointMethods,
  type EndpointSettings,
  endpointSettlingMs,
  type HmacSettings,
  longestLifeSeconds,
  longestWindowSeconds,
  scheduleDefaults,
  type ScheduleSettings,
  secretsContext,
  shortestPayloadRetentionDays,
  sourceDefaults,
  type SourceScheme,
  sourceSchemes,
  type SourceSettings,
  type StoredPublicKey,
  type StoredSecret,
  usualEndpointLimits,
} from './settings.ts';
export {
  type PastSubscription,
  type Subscription,
  type Unsubscribed,
  eventKeys,
  everyEventKey,
  isSubscribed,
  matchedWithinDays,
  operationalSourceId,
  publishedSourceId,
  countsFrom,
  subscriptionAt,
  subscriptionKeys,
  whyUnsubscribed,
} from './subscription.ts';
export {
  createdByDeadline,
  deadlineOf,
  type Pause,
  type PausedLife,
  pausedBetween,
  pauseLimits,
  type StoredPause,
} from './pauses.ts';
export {
  maxTypesPerDay,
  otherTypes,
  type StatDimension,
  statDimensions,
  type StatSeries,
  statSeries,
  type StatStep,
  statSteps,
} from './stats.ts';
export { type Trail, isLooped, maxTrailLength, parseTrail, trailMark, trailOf, trailText } from './trail.ts';
export {
  type AliasKind,
  type EventTypeEnforcement,
  type EventTypeVisibility,
  type VersionCompatibility,
  addressOfName,
  aliasKinds,
  eventTypeChanges,
  eventTypeEnforcements,
  eventTypeNamePattern,
  eventTypeStatuses,
  eventTypeVisibilities,
  isEventTypeName,
  isWrittenLikeTypeName,
  maxSchemaBytes,
  nameInQuery,
  placeOfName,
  reservedTypeNames,
  typeLinkPattern,
  versionCompatibilities,
} from './event-types.ts';
