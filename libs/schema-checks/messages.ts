/** Messages between a service and its thread that checks payloads against schemas. */
import type { JobAnswer } from './ended-thread.ts';

export type CheckRequest =
  | { kind: 'compile'; key: string; schema: string }
  | { kind: 'check'; key: string; payload: string };

export type CheckResult =
  | { kind: 'compiled' }
  /** Its schema is not compiled here. */
  | { kind: 'unknown' }
  | { kind: 'invalid_schema'; message: string }
  | { kind: 'match' }
  | { kind: 'mismatch'; field: string; message: string }
  /** The schema refers to itself, and the payload goes on for more levels than the stack has. */
  | { kind: 'endless' };

export type CheckAnswer = JobAnswer & CheckResult;
