export { idempotency, type IdempotencyOptions } from './idempotency.ts';
export { type IdempotentRequest, type Joined, type Outcome } from './keyed-run.ts';
export { sendResponse } from './kept-response.ts';
export { keyHeaders, parseIdempotencyKey, readIdempotencyKey } from './idempotency-key.ts';
export { hashRequest } from './request-hash.ts';
export type {
  Begun,
  Ending,
  Found,
  GroupEnding,
  IdempotencyStore,
  KeptResponse,
  KeyedRequest,
  Known,
  Run,
  WriteGroup,
} from './ports.ts';
export type { Store } from './nested-transactions.ts';
export { createPostgresStore, type PostgresStoreOptions } from './postgres-store.ts';
export { rememberingStore, type ResponseMemory } from './remembering-store.ts';
export { createRedisResponses } from './redis-responses.ts';
export { createMemoryStore, type MemoryEffects } from './memory-store.ts';
export { type AnswerRefusal, problemAnswers, type Refusal } from './refusals.ts';
export { sweepExpiredKeys } from './sweep-expired.ts';
export { resealResponses, type ResealedResponses } from './reseal-responses.ts';
