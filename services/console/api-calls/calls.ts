import { ApiError, type ApiFailure } from '#client';
import type { Replay } from '#lib/api-contract';
import type { Asked, Listed, ReadApi } from './console-api.ts';

/** A path below `/v1`. Its values are encoded, so that no id can lead elsewhere: path`/endpoints/${id}/health` */
export const path = (strings: TemplateStringsArray, ...values: readonly string[]): string =>
  strings.reduce((whole, part, index) => whole + encodeURIComponent(values[index - 1] ?? '') + part);

/** The path with these parameters, beside those that it has; empty and absent ones are left out. */
export function withQuery(
  pathname: string,
  parameters: URLSearchParams | Readonly<Record<string, string | number | undefined>>,
): string {
  const query = new URLSearchParams();
  const entries = parameters instanceof URLSearchParams ? [...parameters] : Object.entries(parameters);
  for (const [name, value] of entries) if (value !== undefined && value !== '') query.append(name, String(value));
  return query.size === 0 ? pathname : `${pathname}${pathname.includes('?') ? '&' : '?'}${query.toString()}`;
}

/**
 * How long the API holds a request that waits for changes; a script says only that it may be held. A console that stops waits for those that
 * run, and has less than twenty seconds for it.
 */
export const holdSeconds = 10;

/** Whether the thing that a form asked to remove has gone already: by the first click of two, or by somebody else. */
export const isGone = (failure: ApiFailure): boolean => failure.kind === 'problem' && failure.status === 410;

/** The API's answer, or undefined where it is kept no longer: a page shows the rest, and says so. */
export async function undefinedIfGone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && isGone(error.failure)) return undefined;
    throw error;
  }
}

/** Each looks at up to 5,000 rows. */
const mostPages = 5;

/**
 * A page of a list by filters, of which the API looks at a bounded number of rows: one without a match that links on is not the end. What is
 * empty and has a next page all the same is a list in which nothing was found so far.
 */
export async function listOnwards<T>(
  list: (query: URLSearchParams) => Promise<Listed<T>>,
  query: URLSearchParams,
): Promise<Listed<T>> {
  let listed = await list(query);
  for (let pages = 1; pages < mostPages; pages += 1) {
    if (!listed.ok || listed.items.length > 0 || listed.next === undefined) break;
    listed = await list(listed.next);
  }
  return listed;
}

/** Takes the counts of a dry run: the same request starts a replay without it. */
export const countsOf = <Counts extends { dry_run: boolean }>(
  asked: Promise<Asked<Replay | Counts>>,
): Promise<Asked<Counts>> => only(asked, (value) => 'dry_run' in value, 'a dry run has started a replay');

/** Takes the replay that was started: the same request counts, as a dry run. */
export const startedReplay = (asked: Promise<Asked<Replay | { dry_run: boolean }>>): Promise<Asked<Replay>> =>
  only(asked, (value) => 'id' in value, 'a replay that is not a dry run has an id');

async function only<T, Wanted extends T>(
  asked: Promise<Asked<T>>,
  isWanted: (value: T) => value is Wanted,
  otherwise: string,
): Promise<Asked<Wanted>> {
  const answer = await asked;
  if (!answer.ok) return answer;
  if (isWanted(answer.value)) return { ...answer, value: answer.value };
  throw new Error(otherwise);
}

export interface Payload {
  /** As they came. */
  bytes: Buffer;
  contentType: string;
  contentEncoding: string | undefined;
}

/** The exact bytes of an event's payload. @throws ApiError 410 where it is kept no longer */
export async function readPayload(api: ReadApi, eventId: string): Promise<Payload> {
  const { bytes, header } = await api.bytes('GET /v1/events/:id/payload', { params: { id: eventId } });
  return {
    bytes,
    contentType: header('content-type') ?? 'application/octet-stream',
    contentEncoding: header('content-encoding'),
  };
}
