import { type EventTypeVisibility, eventTypeVisibilities } from '#lib/contract';
import { AppError } from '#lib/errors';
import { sendResponse } from '#lib/idempotency';
import type { Query } from '#lib/postgres';
import { limitTable } from '#lib/tenancy';
import { type GivenType, typeFields } from '../event-types/given-type.ts';
import { limitsOf, planPossible, readStored } from '../event-types/plan-import.ts';
import { type ImportReport, prepareImport } from '../event-types/prepare-import.ts';
import { changeTypes } from '../event-types/type-transaction.ts';
import { limited, WritesTooLong, writeImport } from '../event-types/write-import.ts';
import { readPatched } from '../http/patch-body.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { type Route, route } from '../route.ts';

interface Body {
  /** Empty: what it holds is in `request.documents`. */
  document: object;
  visibility?: EventTypeVisibility;
  category?: string;
  breaking?: boolean;
  strict?: boolean;
  dry_run?: boolean;
}

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['document'],
  properties: {
    document: {
      type: 'object',
      maxProperties: limitTable.event_types.max,
      description: 'an OpenAPI document, or JSON Schemas by the names of their types',
    },
    visibility: { type: 'string', enum: eventTypeVisibilities, description: 'of all types' },
    category: { ...typeFields.category, description: 'of all types' },
    breaking: { type: 'boolean', description: 'whether versions may break receivers' },
    strict: { type: 'boolean', description: 'whether anything that would be left out refuses the whole document' },
    dry_run: { type: 'boolean', description: 'say what would change, change nothing' },
  },
} as const;

/** The members that a document may give a type. */
const content = { type: 'object', additionalProperties: false, properties: typeFields } as const;

/** GitHub's document has 5 MB. */
const maxBytes = 16 * 1024 * 1024;

const operation: Operation = {
  tag: 'Event types',
  id: 'importEventTypes',
  summary: 'Import the webhooks of an OpenAPI document, or JSON Schemas',
  description:
    'Types that do not exist are created, others are changed to match the document; types that the document does not name stay. What can’t be imported is left out and named: a type in `refused`, an example or another part of a type in `left_out`. With `strict`, or if no type can be imported, the answer is 409 and nothing is changed. Schemas of OpenAPI 3.0 and of older drafts of JSON Schema (by `$schema`) become 2020-12; a slash at the beginning of a webhook’s key is no part of the name. Repeated parts of a schema above 64 kB are put into `$defs`; if that is not enough, it loses its descriptions. At most 16 MB and 1000 types; its schemas may take a minute of a processor, and writing them two seconds (else 400: divide it).',
  answers: { 200: { is: 'What was, or would be, imported', body: 'EventTypeImport' } },
  errors: ['conflict'],
};

/** `POST /v1/event-types/import` */
export const importEventTypes: Route = (deps) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/event-types/import',
    config: {
      operation,
      audit: 'event_type.import',
      dryRunScope: 'read',
      documents: { imported: 'document' },
      inGroups: true,
    },
    bodyLimit: maxBytes,
    schema: { body },
    async handler(request, reply) {
      const { dry_run: isDryRun = false, strict: isStrict = false, visibility, category, breaking } = request.body;
      const { tenant, left: signal } = request;
      const { types } = request.documents;
      const readContent = (value: unknown) => readPatched<GivenType>(request, content, value);
      const read = await prepareImport(
        deps,
        { tenant, types, signal },
        { visibility, category, breaking, readContent },
      );
      if ('errors' in read) return sendInvalid(reply, read.errors);
      const { prepared, refused, left_out } = read;
      const plan = async (postgres: Query) => {
        const stored = await readStored(postgres, tenant, prepared);
        const planned = planPossible(prepared, stored, { ...deps, limitOf: limitsOf(deps.limits, tenant) });
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
            const planned = await plan(tx);
            const { report } = planned;
            const isRefused = isStrict
              ? report.refused.length + report.left_out.length > 0
              : types.length > 0 && planned.possible.length === 0;
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
  });

const shown = 5;

function whyRefused({ refused, left_out: leftOut }: ImportReport): string {
  const all = [...refused, ...leftOut].map(({ name, reason }) => `${name}: ${reason}`);
  const what = refused.length > 0 ? `${refused.length} of the types` : `${leftOut.length} parts of the types`;
  return `${what} can’t be imported, so nothing was. ${all.slice(0, shown).join('. ')}`;
}
