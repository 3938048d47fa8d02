export type { Candidate, CompletedKey, KeyMemory, KeyRow, KeyTable } from './ports.ts';
export { type Holder, bodyTagOf, eventIdEndOf, holderOf, isChanged, mayHold } from './holder.ts';
export { type DedupStore, type Verdict, createDedupStore } from './dedup-store.ts';
export { type Identifier, bodyHashOf, compoundKeyOf, compoundKeysOf, dedupKeyOf, eventIdOf } from './dedup-key.ts';
export { createPostgresKeyTable } from './postgres-key-table.ts';
export { createRedisKeyMemory } from './redis-key-memory.ts';
