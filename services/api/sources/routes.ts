import { isDeepStrictEqual } from 'node:util';
import {
  changedSource,
  createSource,
  deleteSource,
  getSource,
  listSourceRejections,
  listSources,
  rotateSourceSecret,
  type Static,
  updateSource,
} from '#lib/api-contract';
import { dedupRules } from '#lib/contract';
import { createId } from '#lib/runtime';
import { signatureSchemes } from '#lib/signatures';
import { maskedChanges } from '../audit/index.ts';
import { bodyLimits } from '../http/body-limits.ts';
import { changeOf, sendCreated, sendFound, sendRemoved, sendResource } from '../http/etag.ts';
import { filterConditions, readFilters } from '../http/filters.ts';
import { answerPage, type PageRequest } from '../http/paging.ts';
import { mergePatch, readPatched } from '../http/patch-body.ts';
import { sendInvalid, sendMissing, sendProblem } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import { currentSecret, openSecrets } from '../resources/stored-secrets.ts';
import { isFull, limitOfRoom } from '../resources/tenant-room.ts';
import { type Route, serve } from '../route.ts';
import { rotateSecret } from '../settings/rotate-secret.ts';
import { filters, insertSource, setContent, setSecrets, sourceOf, sourceRoom, sourceTable } from './queries.ts';
import { listRejections, rejectionId, rejectionOf } from './rejections.ts';
import { normalizeSettings, settingsErrors } from './settings.ts';
import { sample, verify } from './webhooks.ts';

type ChangedSource = Static<typeof changedSource>;

/** The only answer that shows the secret. */
const create = serve(
  createSource,
  (deps) => async (request, reply) => {
    const { secretBox, clock, random, ingressUrl, limits } = deps;
    const { tenant, idempotent } = request;
    const { name, scheme, secret = signatureSchemes[scheme].generateSecret(random), ...given } = request.body;
    const settings = normalizeSettings(given);
    const errors = settingsErrors(scheme, { settings, secret });
    if (errors.length > 0) return sendInvalid(reply, errors);
    const id = createId('src', clock.nowMs(), random);
    const source = { tenant, id, name, scheme, settings, secret };
    const row = await idempotent.effects.transaction(async (tx) => {
      const inserted = await insertSource(tx, secretBox, source, limits);
      if (inserted !== undefined) await request.audit(tx, { id, after: sourceOf(inserted, ingressUrl) });
      return inserted;
    });
    if (row === undefined)
      return refuseBeyondLimit(reply, await limitOfRoom(idempotent.effects, sourceRoom(tenant, limits)), deps);
    return sendCreated(reply, `/v1/sources/${id}`, row, { ...sourceOf(row, ingressUrl), secret });
  },
  () => ({ bodyLimit: bodyLimits.source }),
);

const list = serve(listSources, ({ postgres, ingressUrl, apiUrl }) => (request, reply) => {
  const read = async (page: PageRequest) => {
    const given = readFilters(filters, request.query);
    if ('errors' in given) return sendInvalid(reply, given.errors);
    return sourceTable.list(postgres, request.tenant, page, (bind) => filterConditions(filters, given.filter, bind));
  };
  return answerPage({ request, reply, apiUrl }, sourceTable.idPattern, read, (row) => sourceOf(row, ingressUrl));
});

const get = serve(getSource, ({ postgres, ingressUrl }) => async (request, reply) => {
  const found = await sourceTable.find(postgres, request.tenant, request.params.id);
  return sendFound(reply, found, (row) => sourceOf(row, ingressUrl));
});

const notPatched: readonly { field: string; message: string }[] = [
  { field: '/scheme', message: 'cannot be changed: create another source' },
  { field: '/secret', message: 'can only be changed with POST …/rotate-secret' },
];

/** JSON merge patch, `null` resets a setting to its default; the result must be a valid source. */
const update = serve(
  updateSource,
  (deps) => async (request, reply) => {
    const { postgres, secretBox, ingressUrl, limits } = deps;
    const { tenant, body } = request;
    const refused = notPatched.filter(({ field }) => Object.hasOwn(body, field.slice(1)));
    if (refused.length > 0) return sendInvalid(reply, refused);

    const result = await sourceTable.change(postgres, changeOf(request), async (row, tx) => {
      const merged = mergePatch({ name: row.name, ...row.settings }, body);
      const patched = readPatched<ChangedSource>(request, changedSource, merged);
      if ('errors' in patched) return patched;
      const { name, ...given } = patched.read;
      const settings = normalizeSettings(given);
      const secret = currentSecret(openSecrets(secretBox, { table: 'sources', tenant, id: row.id }, row.secrets)) ?? '';
      const errors = settingsErrors(row.scheme, { settings, secret });
      if (errors.length > 0) return { errors };
      // An older source takes today's default with the first `dedup_id` that it is given, `null` included.
      const dedup_rule = Object.hasOwn(body, 'dedup_id') ? dedupRules.ofScheme : row.dedup_rule;
      const masked = maskedChanges(row.settings, settings);
      const before = sourceOf(row, ingressUrl);
      const isSame =
        isDeepStrictEqual(before, sourceOf({ ...row, name, settings, dedup_rule }, ingressUrl)) &&
        dedup_rule === row.dedup_rule &&
        masked.masked_changes === undefined;
      if (isSame) return { row };
      const grows = JSON.stringify(settings).length > JSON.stringify(row.settings).length;
      if (grows && (await isFull(tx, sourceRoom(tenant, limits)))) return { limit: 'source_bytes' as const };
      const updated = await setContent(tx, { tenant, id: row.id }, { name, settings, dedup_rule });
      await request.audit(tx, { id: row.id, before, after: { ...sourceOf(updated, ingressUrl), ...masked } });
      return { row: updated };
    });
    if ('refused' in result) return sendProblem(reply, result.refused);
    const { changed } = result;
    if ('errors' in changed) return sendInvalid(reply, changed.errors);
    const { row, limit } = changed;
    if (limit !== undefined) return refuseBeyondLimit(reply, limit, deps);
    return sendResource(reply, row, sourceOf(row, ingressUrl));
  },
  () => ({ bodyLimit: bodyLimits.source }),
);

/** The id answers 410 from then on, here and to its senders. */
const remove = serve(deleteSource, ({ postgres, ingressUrl }) => async (request, reply) => {
  const result = await sourceTable.remove(postgres, changeOf(request), (row, tx) =>
    request.audit(tx, { id: row.id, before: sourceOf(row, ingressUrl) }),
  );
  return sendRemoved(reply, result);
});

/** The ingress knows of both secrets within seconds. */
const rotate = rotateSecret({
  operation: rotateSourceSecret,
  kind: 'sources',
  table: sourceTable,
  generate: ({ scheme }, random) => signatureSchemes[scheme].generateSecret(random),
  hasKeys: () => false,
  setSecrets,
  secretErrors: ({ scheme, settings }, secret) =>
    settingsErrors(scheme, { settings, secret }).filter(({ field }) => field === '/secret'),
});

/** The webhooks that were refused lately, the newest first. */
const rejected = serve(listSourceRejections, ({ postgres, apiUrl }) => (request, reply) => {
  const { tenant, params } = request;
  const read = async (page: PageRequest) => {
    const source = await sourceTable.find(postgres, tenant, params.id);
    if (source === undefined || source.deleted_at !== null) return sendMissing(reply, source);
    return listRejections(postgres, { tenant, id: source.id }, page);
  };
  return answerPage({ request, reply, apiUrl }, rejectionId, read, rejectionOf);
});

export const sourceRoutes: readonly Route[] = [create, list, get, update, remove, rotate, rejected, verify, sample];
