/** Messages between a service and its thread that checks payloads against schemas. */
export type CheckRequest =
  | { id: number; kind: 'compile'; key: string; schema: string }
  | { id: number; kind: 'check'; key: string; payload: string };

/** `processorMs`: the thread's processor time so far, in all. */
export type CheckAnswer = { id: number; processorMs: number } & (
  | { kind: 'compiled' }
  /** Its schema is not compiled here. */
  | { kind: 'unknown' }
  | { kind: 'invalid_schema'; message: string }
  | { kind: 'match' }
  | { kind: 'mismatch'; field: string; message: string }
);

/** The thread's word that it can begin. */
export type Ready = { kind: 'ready'; processorMs: number };
