import { type EventType, exportEventTypes, givenEventType, importEventTypes } from '#lib/api-contract';
import { isEventTypeName } from '#lib/contract';
import { sendResponse } from '#lib/idempotency';
import type { Query } from '#lib/postgres';
import { rateLimitFields, waitSeconds } from '#lib/rate-limit';
import { AppError } from '#lib/runtime';
import { exportBucket, exportRate } from '../http/api-limits.ts';
import { readFilters } from '../http/filters.ts';
import { readPage, takePage } from '../http/paging.ts';
import { readPatched } from '../http/patch-body.ts';
import { sendParts } from '../http/send-parts.ts';
import { sendInvalid, sendProblem, sendRateLimited } from '../http/send-problem.ts';
import { serve } from '../route.ts';
import type { GivenType } from './given-type.ts';
import { planPossible, readStored } from './plan-import.ts';
import { type ImportReport, prepareImport } from './prepare-import.ts';
import { eventTypeFilters, listTypeNames, queryEventTypes } from './queries.ts';
import { audienceOf, eventTypeOf } from './shown-types.ts';
import { changeTypes } from './type-transaction.ts';
import { documentText } from './write-document.ts';
import { limited, writeImport, WritesTooLong } from './write-import.ts';

/** GitHub's document has 5 MB. */
const maxBytes = 16 * 1024 * 1024;

export const importDocument = serve(
  importEventTypes,
  (deps) => async (request, reply) => {
    const { dry_run: isDryRun = false, strict: isStrict = false, visibility, category, breaking } = request.body;
    const { tenant, left: signal } = request;
    const { types } = request.documents;
    const readContent = (value: unknown) => readPatched<GivenType>(request, givenEventType, value);
    const read = await prepareImport(deps, { tenant, types, signal }, { visibility, category, breaking, readContent });
    if ('errors' in read) return sendInvalid(reply, read.errors);
    const { prepared, refused, left_out } = read;
    const plan = async (postgres: Query) => {
      const stored = await readStored(postgres, tenant, prepared);
      const planned = planPossible(prepared, stored, { ...deps, tenant });
      // Prepared against versions that are not the newest any more: none of it is done, and the client tries again.
      if (planned === undefined) throw new AppError('store_unavailable', 'types were changed meanwhile');
      const { report, possible } = planned;
      const names = new Set(possible.map(({ name }) => name));
      const leftOut = left_out.filter(({ name }) => names.has(name));
      return { ...planned, report: { ...report, refused: [...refused, ...report.refused], left_out: leftOut } };
    };
    if (isDryRun) return { dry_run: true, ...(await plan(deps.postgres)).report };

    const joined = await request.idempotent.join(async () => ({ kind: 'alone' }));
    if ('answer' in joined) return sendResponse(reply, joined.answer);
    try {
      const { done, isRefused } = await changeTypes(
        request,
        deps,
        async (changing) => {
          const tx = await limited(changing.tx, deps.clock, signal);
          const { report, types: planned, possible } = await plan(tx);
          const isRefused = isStrict
            ? report.refused.length + report.left_out.length > 0
            : types.length > 0 && possible.length === 0;
          if (!isRefused) await writeImport({ ...changing, tx }, planned);
          return { done: report, isRefused };
        },
        joined.alone.effects,
      );
      if (isRefused) return sendProblem(reply, 'conflict', whyRefused(done));
      return { dry_run: false, ...done };
    } catch (error) {
      if (error instanceof WritesTooLong) return sendInvalid(reply, [{ field: '/document', message: error.message }]);
      throw error;
    }
  },
  () => ({ bodyLimit: maxBytes, documents: { imported: 'document' }, inGroups: true }),
);

const shown = 5;

function whyRefused({ refused, left_out: leftOut }: ImportReport): string {
  const all = [...refused, ...leftOut].map(({ name, reason }) => `${name}: ${reason}`);
  const what = refused.length > 0 ? `${refused.length} of the types` : `${leftOut.length} parts of the types`;
  return `${what} can’t be imported, so nothing was. ${all.slice(0, shown).join('. ')}`;
}

const { visibility, category, group } = eventTypeFilters;
const filters = { visibility, category, group };

/** Types that are read at a time: two megabytes of texts at the most, without their schemas, which are read one by one. */
const typesAtOnce = 50;

export const exportDocument = serve(exportEventTypes, ({ postgres, limiter, apiUrl }) => async (request, reply) => {
  const { tenant, query } = request;
  const read = readFilters(filters, query);
  const page = readPage(query, { test: isEventTypeName });
  const errors = [read, page].flatMap((one) => ('errors' in one ? one.errors : []));
  if ('errors' in read || 'errors' in page) return sendInvalid(reply, errors);
  const permit = await limiter.take(exportBucket(tenant), exportRate);
  void reply.headers(rateLimitFields([{ name: 'exports', rate: exportRate, permit }]));
  if (!permit.granted)
    return sendRateLimited(
      reply.header('retry-after', waitSeconds(permit)),
      'exports',
      `The tenant has reached ${exportRate.perSecond} exports per second`,
    );
  const [{ filter }, { after: from }] = [read, page];
  const audience = audienceOf(request.caller, filter.visibility);
  let to: string | undefined;
  if (query.limit !== undefined) {
    const names = await listTypeNames(postgres, tenant, filter, page);
    to = takePage(names, page.limit, (name) => ({ cursor: name }), { request, reply, apiUrl }).at(-1) ?? '';
  }

  /** One by one, in the order of their names. */
  async function* readTypes(): AsyncGenerator<EventType> {
    for (let after: string | null | undefined = from; after !== undefined;) {
      const rows = await queryEventTypes(postgres, tenant, filter, { after, to, limit: typesAtOnce });
      const some = rows.slice(0, typesAtOnce);
      for (const row of some) yield eventTypeOf(postgres, tenant, row, audience);
      after = rows.length > typesAtOnce ? some.at(-1)?.name : undefined;
    }
  }
  return sendParts(reply, documentText(readTypes()));
});
