/**
 * The event types that everybody may see, as pages ask for them. Whatever the API says, only what is public comes out of here: another type is
 * one that does not exist.
 */
import { ApiError, type ApiFailure, failureOf, type HttpAnswer, type Transport } from '#client';
import type { EventTypeAlias, EventTypeChange, EventTypeSummary, EventTypeVersion, EventType } from '#lib/api-contract';
import { addressOfName, type AliasKind } from '#lib/contract';
import type { Clock, Logger } from '#lib/runtime';
import { withQuery } from '../api-calls/calls.ts';
import { rawMember } from '../ui/payload.ts';
import { createKnownAnswers, type UsedAnswers } from './kept-answers.ts';

/** Whose types they are, and what may read them. */
export interface CatalogSettings {
  tenant: string;
  key: string;
  staleSeconds: number;
  /** Pages with fewer words of their own are not indexed. */
  thinWords: number;
}

/** A version with its JSON as it was written. */
export type Version = EventTypeVersion & { schemaText: string; exampleText: string };

export interface TypeWithNewest extends EventTypeSummary {
  newest: Version | null;
}

export type FoundType =
  | { kind: 'found'; value: TypeWithNewest }
  /** @param to the name that its type has today */
  | { kind: 'moved'; to: string; by: AliasKind }
  | { kind: 'gone' }
  | { kind: 'missing' };

/** Every call throws ApiError where it can't be told. */
export interface Catalog {
  /** All of them, in the order of their names, without retired ones. */
  types(): Promise<readonly EventTypeSummary[]>;
  /** Whether a type had a name that begins with the prefix and a dot: it was retired, or has another name today. */
  hadGroup(prefix: string): Promise<boolean>;
  type(name: string): Promise<FoundType>;
  /** @param type whose version it is, as `type` gave it */
  version(type: EventTypeSummary, version: number): Promise<Version | undefined>;
  /** Undefined for a cursor that is none. @returns `next`: the cursor of the page after this one */
  changes(
    cursor: string | undefined,
  ): Promise<{ changes: readonly EventTypeChange[]; next: string | undefined } | undefined>;
  thinWords: number;
  /** The API's answers that it has used. */
  answers(): UsedAnswers;
  /** Whether the API answers today as it did then. Asks it for all of them at once. */
  isUnchanged(answers: UsedAnswers): Promise<boolean>;
}

/** @param onAge called for each answer that is not of now */
export type OpenCatalog = (asking: { traceparent: string; onAge(ageSeconds: number): void }) => Catalog;

interface Deps {
  transport: Transport;
  clock: Clock;
  log: Logger;
  catalog: CatalogSettings | undefined;
}

/** A known page is not kept waiting for an API that hangs. */
const timeoutMs = 2_000;
/** As text, a type may have forty kilobytes: so many are read in one turn of the event loop. */
const pageSize = 100;
/** The API names no other type than public ones then. */
const asPublic = { visibility: 'public' };
/** A sitemap has room for fifty thousand addresses. */
const mostPages = 200;
const changesPerPage = '50';

/** Opens the catalog for a request for a page; the answers are kept for all requests. */
export function createCatalogs({ transport, clock, log, catalog: settings }: Deps): OpenCatalog {
  if (settings === undefined)
    return () => {
      throw new Error('there is no catalog');
    };
  const { tenant, key, staleSeconds, thinWords } = settings;
  const askKnown = createKnownAnswers({ transport, clock, staleSeconds, isWord });

  return ({ traceparent, onAge }) => {
    const used = new Map<string, HttpAnswer>();
    const asked = new Map<string, ReturnType<typeof askKnown>>();

    function askOnce(pathname: string): ReturnType<typeof askKnown> {
      const before = asked.get(pathname);
      if (before !== undefined) return before;
      const answered = askKnown({
        method: 'GET',
        path: `/v1${pathname}`,
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${key}`,
          'hookline-tenant': tenant,
          ...(traceparent !== '' && { traceparent }),
        },
        timeoutMs,
      });
      asked.set(pathname, answered);
      return answered;
    }

    async function ask<T>(pathname: string): Promise<Told<T>> {
      const known = await askOnce(pathname);
      if ('noAnswer' in known) throw new ApiError({ kind: 'no_answer', reason: known.noAnswer });
      const { answer, ageSeconds } = known;
      if (answer.status === 401 || answer.status === 403)
        log.warn({ event: 'catalog.refused', status: answer.status, path: pathname });
      const told = toldBy<T>(answer);
      used.set(pathname, answer);
      if (ageSeconds !== undefined) onAge(ageSeconds);
      return told;
    }

    async function all(filter: Readonly<Record<string, string>>): Promise<EventTypeSummary[]> {
      const found: EventTypeSummary[] = [];
      const query = new URLSearchParams({ ...filter, visibility: 'public', limit: String(pageSize) });
      for (let page = 0; page < mostPages; page += 1) {
        const answer = await ask<EventTypeSummary[]>(withQuery('/event-types', query));
        if (!('value' in answer)) break;
        found.push(...answer.value);
        const cursor = nextCursor(answer.link);
        if (cursor === undefined) break;
        query.set('cursor', cursor);
      }
      return found.filter(isPublic);
    }

    /** A retired type that nobody has seen is not told of now. */
    const wasPublic = async (name: string): Promise<boolean> =>
      (await all({ status: 'retired' })).some((type) => namesOf(type).includes(name));

    async function readType(name: string): Promise<FoundType> {
      const answer = await ask<EventType | EventTypeAlias>(withQuery(addressOfName('/event-types', name), asPublic));
      if (answer.status === 410) return { kind: (await wasPublic(name)) ? 'gone' : 'missing' };
      if (!('value' in answer)) return { kind: 'missing' };
      const { value: type, text } = answer;
      if ('target' in type) return { kind: 'moved', to: type.target, by: type.kind };
      if (!isPublic(type)) return { kind: 'missing' };
      const newest = rawMember(text, 'newest');
      return {
        kind: 'found',
        value: { ...type, newest: type.newest && newest !== undefined ? withTexts(type.newest, newest) : null },
      };
    }

    return {
      thinWords,
      answers: () => used,

      async isUnchanged(answers) {
        const now = await Promise.all(
          [...answers].map(async ([pathname, before]) => ({ before, known: await askOnce(pathname) })),
        );
        if (!now.every(({ before, known }) => 'answer' in known && known.answer === before)) return false;
        for (const { known } of now) if ('answer' in known && known.ageSeconds !== undefined) onAge(known.ageSeconds);
        return true;
      },

      async types() {
        const found = await all({});
        return found.filter(({ status }) => status !== 'retired').sort((a, b) => (a.name < b.name ? -1 : 1));
      },

      async hadGroup(prefix) {
        const [current, retired] = await Promise.all([all({}), all({ status: 'retired' })]);
        return [...current, ...retired].flatMap(namesOf).some((name) => name.startsWith(`${prefix}.`));
      },

      async type(name) {
        const found = await readType(name);
        if (found.kind !== 'moved') return found;
        // A redirect leads to a page, or is none.
        const target = await readType(found.to);
        return target.kind === 'found' ? { ...found, to: target.value.name } : target;
      },

      async version(type, version) {
        if (version === type.version && 'newest' in type) return (type as TypeWithNewest).newest ?? undefined;
        const address = addressOfName('/event-types', type.name, `/versions/${version}`);
        const answer = await ask<EventTypeVersion>(withQuery(address, asPublic));
        return 'value' in answer ? withTexts(answer.value, answer.text) : undefined;
      },

      async changes(cursor) {
        const query = { visibility: 'public', limit: changesPerPage, cursor };
        const answer = await ask<EventTypeChange[]>(withQuery('/event-types/changes', query));
        if (!('value' in answer)) return undefined;
        return { changes: answer.value.filter(isPublic), next: nextCursor(answer.link) };
      },
    };
  };
}

const isPublic = ({ visibility }: Pick<EventTypeSummary, 'visibility'>): boolean => visibility === 'public';

const namesOf = ({ name, aliases }: EventTypeSummary): readonly string[] => [name, ...aliases.map((one) => one.name)];

/** An answer that counts as the API's own. */
type Told<T> = { status: 200 | 301; value: T; text: string; link: string } | { status: 400 | 404 | 410 };

/**
 * Only the API's own word counts: whoever answers otherwise than it would, or refuses our key, is no reason for a 404.
 *
 * @throws ApiError
 */
function toldBy<T>(answer: HttpAnswer): Told<T> {
  const told = toldBefore.get(answer) ?? readAnswer(answer);
  toldBefore.set(answer, told);
  return told as Told<T>;
}

/** A kept answer is read once. */
const toldBefore = new WeakMap<HttpAnswer, Told<unknown>>();

function readAnswer({ status, header, bytes }: HttpAnswer): Told<unknown> {
  const text = bytes.toString();
  if (status === 200 || status === 301) {
    try {
      return { status, value: JSON.parse(text) as unknown, text, link: header('link') ?? '' };
    } catch {
      throw new ApiError({ kind: 'unexpected_answer', status, body: text });
    }
  }
  const failure = failureOf({ status, header, bytes });
  if (failure.kind === 'problem' && (status === 400 || status === 404 || status === 410)) return { status };
  throw new ApiError(asAway(failure));
}

function isWord(answer: HttpAnswer): boolean {
  try {
    toldBy(answer);
    return true;
  } catch {
    return false;
  }
}

/** That our key is refused, or is asked too much with, is not the reader's business. */
const asAway = (failure: Exclude<ApiFailure, { kind: 'no_answer' }>): ApiFailure =>
  failure.kind === 'problem' ? { ...failure, status: 503 } : failure;

/** @param json of the version, as the API wrote it */
export const withTexts = (version: EventTypeVersion, json: string): Version => ({
  ...version,
  schemaText: rawMember(json, 'schema') ?? '',
  exampleText: rawMember(json, 'example') ?? '',
});

function nextCursor(link: string): string | undefined {
  const [, target] = /<([^>]+)>; rel="next"/.exec(link) ?? [];
  return target === undefined
    ? undefined
    : (new URL(target, 'http://api.invalid').searchParams.get('cursor') ?? undefined);
}
