export type { Candidate, CompletedKey, Holder, KeyMemory, KeyRow, KeyTable } from './ports.ts';
export { type DedupStore, type Verdict, createDedupStore } from './dedup-store.ts';
export { type Identifier, bodyHashOf, dedupKeyOf, eventIdOf, identifierDigest } from './dedup-key.ts';
export { createPostgresKeyTable } from './postgres-key-table.ts';
export { createRedisKeyMemory } from './redis-key-memory.ts';
