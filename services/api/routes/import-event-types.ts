import { type EventTypeVisibility, eventTypeVisibilities } from '#lib/contract';
import { AppError } from '#lib/errors';
import { type GivenType, typeFields } from '../event-types/given-type.ts';
import { type ImportReport, importTypes, prepareImport } from '../event-types/import-types.ts';
import { readDocument } from '../event-types/read-document.ts';
import { changeTypes } from '../event-types/type-transaction.ts';
import { readPatched } from '../http/patch-body.ts';
import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { type Route, route } from '../route.ts';

interface Body {
  document: Record<string, unknown>;
  visibility?: EventTypeVisibility;
  category?: string;
  breaking?: boolean;
  dry_run?: boolean;
}

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['document'],
  properties: {
    document: { type: 'object', description: 'an OpenAPI document, or JSON Schemas by the names of their types' },
    visibility: { type: 'string', enum: eventTypeVisibilities, description: 'of all types' },
    category: { ...typeFields.category, description: 'of all types' },
    breaking: { type: 'boolean', description: 'whether versions may break receivers' },
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
    'Types that do not exist are created, others are changed to match the document; types that the document does not name stay. All or nothing: if one type is refused, the answer is 409, and a dry run says which and why. Repeated parts of a schema above 64 kB are put into `$defs`; if that is not enough, it loses its descriptions. At most 16 MB.',
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
      const { document, dry_run: isDryRun = false, ...given } = request.body;
      const { tenant } = request;
      const types = readDocument(document);
      const readContent = (value: unknown) => readPatched<GivenType>(request, content, value);
      const { prepared, refused } = await prepareImport(
        request.idempotent.effects,
        { tenant, checks, types },
        { ...given, readContent },
      );

      // Tried first, so that a refusal leaves nothing, whatever has the effects of the request.
      const tried = await changeTypes(request, deps, async (changing): Promise<ImportReport> => {
        throw new Undone(await importTypes(changing, prepared));
      }).catch((error: unknown) => {
        if (error instanceof Undone) return error.report;
        throw error;
      });
      const all = { ...tried, refused: [...refused, ...tried.refused] };
      if (isDryRun) return { dry_run: true, ...all };
      if (all.refused.length > 0) return sendProblem(reply, 'conflict', whyRefused(all.refused));
      const report = await changeTypes(request, deps, async (changing) => {
        const done = await importTypes(changing, prepared);
        // Types were changed since it was tried: none of it is done, and the client tries again.
        if (done.refused.length > 0) throw new AppError('store_unavailable', whyRefused(done.refused));
        return done;
      });
      return { dry_run: false, ...report };
    },
  });

const shown = 5;

const whyRefused = (refused: ImportReport['refused']): string => {
  const some = refused.slice(0, shown).map(({ name, reason }) => `${name}: ${reason}`);
  return `${refused.length} of the types can’t be imported, so none was. ${some.join('. ')}`;
};
