import { type EventTypeVisibility, eventTypeVisibilities } from '#lib/contract';
import { AppError } from '#lib/errors';
import { limitTable } from '#lib/tenancy';
import { type GivenType, typeFields } from '../event-types/given-type.ts';
import { type ImportReport, importTypes, prepareImport, type PreparedType } from '../event-types/import-types.ts';
import { readDocument } from '../event-types/read-document.ts';
import { changeTypes } from '../event-types/type-transaction.ts';
import { readPatched } from '../http/patch-body.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { type Route, route } from '../route.ts';

interface Body {
  document: Record<string, unknown>;
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
    'Types that do not exist are created, others are changed to match the document; types that the document does not name stay. What can’t be imported is left out and named: a type in `refused`, an example or another part of a type in `left_out`. With `strict`, or if no type can be imported, the answer is 409 and nothing is changed. Schemas of OpenAPI 3.0 and of older drafts of JSON Schema (by `$schema`) become 2020-12; a slash at the beginning of a webhook’s key is no part of the name. Repeated parts of a schema above 64 kB are put into `$defs`; if that is not enough, it loses its descriptions. At most 16 MB.',
  answers: { 200: { is: 'What was, or would be, imported', body: 'EventTypeImport' } },
  errors: ['conflict'],
};

/** Undoes a dry run. */
class Undone extends Error {
  readonly report: ImportReport;

  constructor(report: ImportReport) {
    super('a dry run is undone');
    this.report = report;
  }
}

/** `POST /v1/event-types/import` */
export const importEventTypes: Route = (deps) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/event-types/import',
    config: { operation, audit: 'event_type.import', dryRunScope: 'read' },
    bodyLimit: maxBytes,
    schema: { body },
    async handler(request, reply) {
      const { schemaChecks: checks } = deps;
      const { document, dry_run: isDryRun = false, strict: isStrict = false, ...given } = request.body;
      const { tenant } = request;
      const read = readDocument(document);
      if ('mistake' in read) return sendInvalid(reply, [{ field: '/document', message: read.mistake }]);
      const { types } = read;
      const readContent = (value: unknown) => readPatched<GivenType>(request, content, value);
      const { prepared, refused, left_out } = await prepareImport(
        request.idempotent.effects,
        { tenant, checks, types },
        { ...given, readContent },
      );

      // Tried first, so that a refusal leaves nothing, whatever has the effects of the request.
      const tried = await tryImport(prepared, (some) =>
        changeTypes(request, deps, async (changing): Promise<ImportReport> => {
          throw new Undone(await importTypes(changing, some));
        }).catch((error: unknown) => {
          if (error instanceof Undone) return error.report;
          throw error;
        }),
      );
      const all = [...refused, ...tried.report.refused];
      const leftOut = left_out.filter(({ name }) => tried.possible.some((one) => one.name === name));
      if (isDryRun) return { dry_run: true, ...tried.report, refused: all, left_out: leftOut };
      const isRefused = isStrict ? all.length + leftOut.length > 0 : types.length > 0 && tried.possible.length === 0;
      if (isRefused) return sendProblem(reply, 'conflict', whyRefused(all, leftOut));
      const report = await changeTypes(request, deps, async (changing) => {
        const done = await importTypes(changing, tried.possible);
        // Types were changed since it was tried: none of it is done, and the client tries again.
        if (done.refused.length > 0) throw new AppError('store_unavailable', whyRefused(done.refused, []));
        return done;
      });
      return { dry_run: false, ...report, refused: all, left_out: leftOut };
    },
  });

/** Each leaves out at least one type; more happen only to types that link to each other in a row. */
const mostTries = 10;

/** Tries without the types that are refused, and without those that link to them. @returns the types that can be written together */
async function tryImport(
  prepared: readonly PreparedType[],
  importSome: (some: readonly PreparedType[]) => Promise<ImportReport>,
): Promise<{ possible: readonly PreparedType[]; report: ImportReport }> {
  const refused: ImportReport['refused'] = [];
  let possible = prepared;
  for (let tries = 1; ; tries += 1) {
    const report = await importSome(possible);
    if (report.refused.length === 0) return { possible, report: { ...report, refused } };
    refused.push(...report.refused);
    const without = new Set(report.refused.map(({ name }) => name));
    const rest = possible.filter(({ name }) => !without.has(name));
    possible = tries < mostTries ? rest : [];
    if (tries === mostTries)
      refused.push(...rest.map(({ name }) => ({ name, reason: 'types that it may link to are left out' })));
  }
}

const shown = 5;

function whyRefused(refused: ImportReport['refused'], leftOut: ImportReport['left_out']): string {
  const all = [...refused, ...leftOut].map(({ name, reason }) => `${name}: ${reason}`);
  const what = refused.length > 0 ? `${refused.length} of the types` : `${leftOut.length} parts of the types`;
  return `${what} can’t be imported, so nothing was. ${all.slice(0, shown).join('. ')}`;
}
