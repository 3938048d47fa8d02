import { getEventTypeVersion, listEventTypeVersions, publishEventTypeVersion } from '#lib/api-contract';
import { readPage, takePage } from '../http/paging.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { describeType } from './describe-type.ts';
import { namedBy, serveNamed, servingVersion } from './named-route.ts';
import { prepareVersion } from './prepare-version.ts';
import { sendPrepared, takeNamed } from './send-type.ts';
import { audienceOf, versionsOf } from './shown-types.ts';
import { findVersion, listVersions } from './versions.ts';

/** Versions are whole schemas. */
const maxVersions = 50;

export const versions = serveNamed(listEventTypeVersions, (deps) => async (request, reply) => {
  const { postgres, apiUrl } = deps;
  const { tenant, params, query } = request;
  const page = readPage(query, /^\d{1,9}$/);
  if ('errors' in page) return sendInvalid(reply, page.errors);
  const audience = audienceOf(request.caller, query.visibility);
  const found = await takeNamed(reply, deps, { name: params.name, audience, below: '/versions' });
  if ('sent' in found) return found.sent;
  const limit = Math.min(page.limit, maxVersions);
  const rows = await listVersions(postgres, tenant, found.id, { ...page, limit });
  const shown = takePage(rows, limit, ({ version }) => ({ cursor: String(version) }), { request, reply, apiUrl });
  return versionsOf(postgres, tenant, shown, audience);
});

export const getVersion = serveNamed(getEventTypeVersion, (deps) => async (request, reply) => {
  const { postgres } = deps;
  const { tenant, params, query } = request;
  const audience = audienceOf(request.caller, query.visibility);
  const below = `/versions/${encodeURIComponent(params.version)}`;
  const found = await takeNamed(reply, deps, { name: params.name, audience, below });
  if ('sent' in found) return found.sent;
  const number = /^[1-9]\d{0,8}$/.test(params.version) ? Number(params.version) : 0;
  const version = await findVersion(postgres, tenant, found.id, number);
  const [shown] = await versionsOf(postgres, tenant, version === undefined ? [] : [version], audience);
  return shown ?? sendProblem(reply, 'not_found');
});

export const publishVersion = serveNamed(
  publishEventTypeVersion,
  (deps) => async (request, reply) => {
    const { notes, breaking } = request.body;
    const named = namedBy(request);
    const prepareAgain = () => prepareVersion(deps, request, { version_notes: notes, breaking }, named.name);
    const prepared = await prepareAgain();
    if (prepared.errors.length > 0) return sendInvalid(reply, prepared.errors);
    return sendPrepared(reply, deps, {
      prepared,
      prepareAgain,
      work: async (changing, { version, errors }) =>
        errors.length > 0 ? { errors } : describeType(changing, { ...named, content: (stored) => stored, version }),
    });
  },
  servingVersion,
);
