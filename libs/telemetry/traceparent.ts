import { randomBytes } from 'node:crypto';
import type { RandomBytes } from '#lib/ids';

/** W3C Trace Context, version 00: `00-<trace id>-<span id>-<flags>`; ids of zeros are invalid. */
const pattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The sender's own traceparent where it is valid, else the start of a new trace. */
export function newTraceparent(given: string | undefined, random: RandomBytes = randomBytes): string {
  if (given !== undefined && pattern.test(given)) return given;
  return `00-${random(16).toString('hex')}-${random(8).toString('hex')}-00`;
}

/** The same trace with a span of its own, for one attempt. */
export function childTraceparent(parent: string, random: RandomBytes = randomBytes): string {
  if (!pattern.test(parent)) return newTraceparent(undefined, random);
  return `${parent.slice(0, 36)}${random(8).toString('hex')}${parent.slice(52)}`;
}
