import type { ReadApi } from '../../api-calls/console-api.ts';
import { undefinedIfGone } from '../../api-calls/undefined-if-gone.ts';
import { readAttempt } from '../deliveries/read-attempt.ts';
import type { Delivery } from './event.ts';

/** Each costs a request. The pages of other deliveries have their answers. */
const mostRead = 10;
/** A line or two: where a receiver says why it failed. */
const shownCharacters = 120;

/** Answers of receivers that refused, by the ids of their deliveries: the beginning of the last answer's body, on one line. */
export async function lastAnswers(api: ReadApi, deliveries: readonly Delivery[]): Promise<ReadonlyMap<string, string>> {
  const refused = deliveries.filter(
    ({ last_outcome: outcome, last_http_status: status }) => status !== null && outcome !== 'delivered',
  );
  const read = await Promise.all(
    refused.slice(0, mostRead).map(async ({ id, attempts }) => {
      const attempt = await undefinedIfGone(readAttempt(api, id, attempts));
      const isText = attempt?.response_excerpt_encoding === 'text';
      return [id, isText ? beginning(attempt.response_excerpt ?? '') : ''] as const;
    }),
  );
  return new Map(read.filter(([, said]) => said !== ''));
}

function beginning(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= shownCharacters ? line : `${line.slice(0, shownCharacters).toWellFormed()} …`;
}
