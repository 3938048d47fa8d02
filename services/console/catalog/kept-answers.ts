import type { HttpAnswer, HttpRequest, Transport } from '#client';
import type { Clock } from '#lib/runtime';
import type { PageResult } from '../page-result.ts';
import type { Catalog } from './catalog.ts';

/** The API's answers that a page was made from, by their paths. One that is the same is the same object. */
export type UsedAnswers = ReadonlyMap<string, HttpAnswer>;

/**
 * Answers of pages of the catalog, kept with the API's answers that they were made from. The API is asked for these each time, all at once, and
 * says in one short query that its types are as they were; only if one of them has changed is the page made again.
 */

interface KeptResult {
  result: PageResult;
  answers: UsedAnswers;
  bytes: number;
}

/** The limit of all results together. */
const mostResultBytes = 32 * 1024 * 1024;
/** Beside the text of a result and its key. */
const bytesPerResult = 1_024;

export function createKeptResults(maxBytes = mostResultBytes) {
  const kept = createByteLimit<KeptResult>(maxBytes, (one) => one.bytes);

  return {
    /** @param key of the page: its address, and what else goes into it */
    async of(key: string, catalog: Catalog, make: () => Promise<PageResult>): Promise<PageResult> {
      const before = kept.get(key);
      if (before !== undefined && (await catalog.isUnchanged(before.answers))) {
        kept.keep(key, before);
        return before.result;
      }
      const result = await make();
      const length = lengthOf(result);
      const answers = catalog.answers();
      if (length === undefined || answers.size === 0) kept.forget(key);
      else kept.keep(key, { result, answers, bytes: 2 * (key.length + length) + bytesPerResult });
      return result;
    },
  };
}

/** In characters; undefined for what is not kept: there is no end of addresses that lead nowhere. */
function lengthOf(result: PageResult): number | undefined {
  if (result.kind === 'document') return result.text.length;
  return result.kind === 'page' && result.status === 200 ? result.body.toString().length : undefined;
}

/**
 * The API's answers, kept for when it can't be asked: a page that was shown goes on to be shown, with its age. It is asked each time all
 * the same, so that what it shows is never older than it has to be; requests for the same thing that come at once are one. An answer that is as
 * it was before, by its ETag or by its bytes, is the same object.
 *
 * | the API                         | is known                  | is not                      |
 * |---------------------------------|---------------------------|-----------------------------|
 * | answers 2xx, 3xx, 410           | its answer, kept          | its answer, kept            |
 * | answers 304                     | the one before            | –                           |
 * | answers 404                     | its answer, forgotten     | its answer                  |
 * | is away, or its stores are      | the one before, with age  | that it is away: never 404  |
 */

interface KeptAnswer {
  answer: HttpAnswer;
  atMs: number;
}

type KnownAnswer = { answer: HttpAnswer; ageSeconds: number | undefined } | { noAnswer: string };

interface Options {
  transport: Transport;
  clock: Clock;
  staleSeconds: number;
  /** Whether an answer is the API's word on what was asked for. */
  isWord(answer: HttpAnswer): boolean;
  maxBytes?: number;
}

/** The limit of all answers together. */
const mostAnswerBytes = 32 * 1024 * 1024;
/** Beside the bytes of an answer. */
const bytesPerAnswer = 1_024;

export function createKnownAnswers({ transport, clock, staleSeconds, isWord, maxBytes = mostAnswerBytes }: Options) {
  const kept = createByteLimit<KeptAnswer>(maxBytes, ({ answer }) => answer.bytes.length + bytesPerAnswer);
  const asking = new Map<string, Promise<KnownAnswer>>();

  /** @returns the answer that is kept: the one before, if they are the same */
  function keep(path: string, given: HttpAnswer): HttpAnswer {
    const before = kept.get(path)?.answer;
    const answer = before !== undefined && isSame(before, given) ? before : given;
    kept.keep(path, { answer, atMs: clock.monotonicMs() });
    return answer;
  }

  async function ask(call: HttpRequest): Promise<KnownAnswer> {
    const { path } = call;
    const known = kept.get(path)?.answer;
    const etag = known?.header('etag');
    const answer = await transport(
      etag === undefined ? call : { ...call, headers: { ...call.headers, 'if-none-match': etag } },
    );
    if (!('noAnswer' in answer) && answer.status === 304 && known !== undefined) return current(keep(path, known));
    if (!('noAnswer' in answer) && isWord(answer)) {
      if (isKept(answer.status)) return current(keep(path, answer));
      kept.forget(path);
      return current(answer);
    }
    const before = kept.get(path);
    const ageMs = clock.monotonicMs() - (before?.atMs ?? 0);
    if (before !== undefined && ageMs <= staleSeconds * 1_000)
      return { answer: before.answer, ageSeconds: Math.floor(ageMs / 1_000) };
    return 'noAnswer' in answer ? answer : current(answer);
  }

  return (call: HttpRequest): Promise<KnownAnswer> => {
    const running = asking.get(call.path);
    if (running !== undefined) return running;
    const answering = ask(call).finally(() => asking.delete(call.path));
    asking.set(call.path, answering);
    return answering;
  };
}

const current = (answer: HttpAnswer): KnownAnswer => ({ answer, ageSeconds: undefined });

const isSame = (one: HttpAnswer, other: HttpAnswer): boolean =>
  one === other ||
  (one.status === other.status &&
    ['etag', 'link'].every((name) => one.header(name) === other.header(name)) &&
    one.bytes.equals(other.bytes));

const isKept = (status: number): boolean => status < 400 || status === 410;

/** Values by their keys, up to so many bytes: the ones that were kept longest ago are given up. */
function createByteLimit<Value>(maxBytes: number, bytesOf: (value: Value) => number) {
  /** The ones that were kept last are at the end. */
  const values = new Map<string, Value>();
  let bytes = 0;

  function forget(key: string): void {
    const value = values.get(key);
    if (value !== undefined) bytes -= bytesOf(value);
    values.delete(key);
  }

  function keep(key: string, value: Value): void {
    forget(key);
    bytes += bytesOf(value);
    values.set(key, value);
    for (const oldest of values.keys()) {
      if (bytes <= maxBytes) break;
      forget(oldest);
    }
  }

  return { get: (key: string): Value | undefined => values.get(key), keep, forget };
}
