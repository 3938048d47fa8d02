/**
 * Answers of pages of the catalog, kept with the API's answers that they were made from. The API is asked for these each time, all at once, and
 * says in one short query that its types are as they were; only if one of them has changed is the page made again.
 */
import type { PageResult } from '../page-result.ts';
import type { Catalog } from './catalog.ts';
import type { UsedAnswers } from './used-answers.ts';

interface KeptResult {
  result: PageResult;
  answers: UsedAnswers;
  bytes: number;
}

export interface KeptResults {
  /** @param key of the page: its address, and what else goes into it */
  of(key: string, catalog: Catalog, make: () => Promise<PageResult>): Promise<PageResult>;
}

/** The limit of all results together; the ones that were not asked for longest are given up. */
const mostResultBytes = 32 * 1024 * 1024;
/** Beside the text of a result and its key. */
const bytesPerResult = 1_024;

export function createKeptResults(maxBytes = mostResultBytes): KeptResults {
  /** The ones that were asked for last are at the end. */
  const kept = new Map<string, KeptResult>();
  let bytes = 0;

  function forget(key: string): void {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  }

  function keep(key: string, one: KeptResult): void {
    forget(key);
    bytes += one.bytes;
    kept.set(key, one);
    for (const oldest of kept.keys()) {
      if (bytes <= maxBytes) break;
      forget(oldest);
    }
  }

  return {
    async of(key, catalog, make) {
      const before = kept.get(key);
      if (before !== undefined && (await catalog.isUnchanged(before.answers))) {
        keep(key, before);
        return before.result;
      }
      const result = await make();
      const length = lengthOf(result);
      const answers = catalog.answers();
      if (length === undefined || answers.size === 0) forget(key);
      else keep(key, { result, answers, bytes: 2 * (key.length + length) + bytesPerResult });
      return result;
    },
  };
}

/** In characters; undefined for what is not kept: there is no end of addresses that lead nowhere. */
function lengthOf(result: PageResult): number | undefined {
  if (result.kind === 'document') return result.text.length;
  return result.kind === 'page' && result.status === 200 ? result.body.toString().length : undefined;
}
