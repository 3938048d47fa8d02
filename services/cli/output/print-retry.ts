import type { HttpResult } from '#lib/api-client';
import { printable } from './print.ts';

/** Says on the standard error why a request is sent again, and when. */
export function printRetry(result: HttpResult, waitMs: number): void {
  const what = 'status' in result ? `answered ${result.status}` : result.noAnswer;
  process.stderr.write(`${printable(what)}; again in ${(waitMs / 1000).toFixed(1)} s\n`);
}
