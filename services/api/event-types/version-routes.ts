import { getEventTypeVersion, listEventTypeVersions, publishEventTypeVersion } from '#lib/api-contract';
import { bodyLimits } from '../http/body-limits.ts';
import { readPage, takePage } from '../http/paging.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { describeType } from './describe-type.ts';
import { serveNamed } from './named-route.ts';
import { inTurn, type Prepared, prepareVersion } from './prepare-version.ts';
import { findEventType } from './queries.ts';
import { sendPrepared, takeNamed } from './send-type.ts';
import { audienceOf, ifShown, versionsOf } from './shown-types.ts';
import { changePrepared, type Refused, type TypeChanged } from './type-transaction.ts';
import { findVersion, listVersions } from './versions.ts';

/** Versions are whole schemas. */
const maxVersions = 50;

export const versions = serveNamed(listEventTypeVersions, ({ postgres, apiUrl }) => async (request, reply) => {
  const { tenant, params, query } = request;
  const page = readPage(query, /^\d{1,9}$/);
  if ('errors' in page) return sendInvalid(reply, page.errors);
  const audience = audienceOf(request.caller, query.visibility);
  const shownType = ifShown(audience, await findEventType(postgres, tenant, params.name));
  const found = takeNamed(reply, shownType, { name: params.name, below: '/versions' });
  if ('sent' in found) return found.sent;
  const limit = Math.min(page.limit, maxVersions);
  const rows = await listVersions(postgres, tenant, found.id, { ...page, limit });
  const next = ({ version }: { version: number }) => ({ cursor: String(version) });
  const shown = takePage(rows, limit, next, { request, reply, apiUrl });
  return versionsOf(postgres, tenant, shown, audience);
});

export const getVersion = serveNamed(getEventTypeVersion, ({ postgres }) => async (request, reply) => {
  const { tenant, params, query } = request;
  const audience = audienceOf(request.caller, query.visibility);
  const { name } = params;
  const number = /^[1-9]\d{0,8}$/.test(params.version) ? Number(params.version) : 0;
  const shownType = ifShown(audience, await findEventType(postgres, tenant, name));
  const found = takeNamed(reply, shownType, { name, below: `/versions/${encodeURIComponent(params.version)}` });
  if ('sent' in found) return found.sent;
  const version = await findVersion(postgres, tenant, found.id, number);
  const [shown] = await versionsOf(postgres, tenant, version === undefined ? [] : [version], audience);
  return shown ?? sendProblem(reply, 'not_found');
});

export const publishVersion = serveNamed(
  publishEventTypeVersion,
  (deps) => async (request, reply) => {
    const { params, headers } = request;
    const { notes, breaking } = request.body;
    const { name } = params;
    const prepare = () =>
      prepareVersion(
        deps,
        {
          ...request.documents.members,
          ...(notes !== undefined && { version_notes: notes }),
          ...(breaking !== undefined && { breaking }),
        },
        { tenant: request.tenant, signal: request.left, name },
      );
    const first = await prepare();
    if (first.errors.length > 0) return sendInvalid(reply, first.errors);
    const changed = await changePrepared<Prepared, TypeChanged | Refused>(request, deps, {
      prepare: inTurn(first, prepare),
      work: async (changing, { version, errors }) =>
        errors.length > 0
          ? { errors }
          : describeType(changing, { name, content: (stored) => stored, version, ifMatch: headers['if-match'] }),
    });
    return sendPrepared(reply, changed, deps);
  },
  () => ({ bodyLimit: bodyLimits.eventType, documents: { members: ['schema', 'example'] }, inGroups: true }),
);
