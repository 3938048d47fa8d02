import type { HttpResult } from '#lib/api-client';
import type { Context } from '../context.ts';
import { printable } from './print.ts';

/** Says on the standard error why a request is sent again, and when. */
export const printRetry =
  ({ process }: Context) =>
  (result: HttpResult, waitMs: number): void => {
    const what = 'status' in result ? `answered ${result.status}` : result.noAnswer;
    process.stderr.write(`${printable(what)}; again in ${(waitMs / 1000).toFixed(1)} s\n`);
  };
