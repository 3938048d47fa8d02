import { isDeepStrictEqual } from 'node:util';
import { displayName as name } from '#lib/api-contract';
import { dedupRules } from '#lib/contract';
import { maskedChanges } from '../audit/index.ts';
import { bodyLimits } from '../http/body-limits.ts';
import { changeOf, sendResource } from '../http/etag.ts';
import { mergePatch } from '../http/merge-patch.ts';
import { patchOf, readPatched } from '../http/patch-body.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import type { Operation } from '../openapi/operation.ts';
import { setContent, sourceJson, sourceRoom, sources } from '../resources/source.ts';
import { currentSecret, openSecrets } from '../resources/stored-secrets.ts';
import { isFull } from '../resources/tenant-room.ts';
import { type Route, route } from '../route.ts';
import { type GivenSettings, normalizeSettings, settingsErrors, settingsFields } from '../settings/source-settings.ts';

type Source = GivenSettings & { name: string };

const source = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name, ...settingsFields },
} as const;

const patch = patchOf(Object.keys({ ...source.properties, scheme: {}, secret: {} }));

const notPatched: readonly { field: string; message: string }[] = [
  { field: '/scheme', message: 'cannot be changed: create another source' },
  { field: '/secret', message: 'can only be changed with POST …/rotate-secret' },
];

const operation: Operation = {
  tag: 'Sources',
  id: 'updateSource',
  summary: 'Change a source',
  description:
    'JSON merge patch: `null` resets a setting to its default. The scheme and the secret cannot be changed here. Where nothing changes, ETag and audit stay as they are.',
  answers: { 200: { is: 'The source after the change', body: 'Source', headers: ['ETag'] } },
  errors: ['limit_reached'],
  conditional: true,
  patchOf: 'POST /v1/sources',
};

/** `PATCH /v1/sources/{id}`: JSON merge patch, `null` resets a setting to its default; the result must be a valid source. */
export const updateSource: Route = (deps) =>
  route<{ Params: { id: string }; Body: Record<string, unknown> }>({
    method: 'PATCH',
    url: '/v1/sources/:id',
    config: { operation, audit: 'source.update' },
    bodyLimit: bodyLimits.source,
    schema: { body: patch },
    async handler(request, reply) {
      const { postgres, secretBox, ingressUrl, limits } = deps;
      const { tenant, body } = request;
      const refused = notPatched.filter(({ field }) => Object.hasOwn(body, field.slice(1)));
      if (refused.length > 0) return sendInvalid(reply, refused);

      const result = await sources.change(postgres, changeOf(request), async (row, tx) => {
        const merged = mergePatch({ name: row.name, ...row.settings }, body);
        const patched = readPatched<Source>(request, source, merged);
        if ('errors' in patched) return patched;
        const { name, ...given } = patched.read;
        const settings = normalizeSettings(given);
        const secret =
          currentSecret(openSecrets(secretBox, { table: 'sources', tenant, id: row.id }, row.secrets)) ?? '';
        const errors = settingsErrors(row.scheme, { settings, secret });
        if (errors.length > 0) return { errors };
        // An older source takes today's default with the first `dedup_id` that it is given, `null` included.
        const dedup_rule = Object.hasOwn(body, 'dedup_id') ? dedupRules.ofScheme : row.dedup_rule;
        const masked = maskedChanges(row.settings, settings);
        const before = sourceJson(row, ingressUrl);
        const isSame =
          isDeepStrictEqual(before, sourceJson({ ...row, name, settings, dedup_rule }, ingressUrl)) &&
          dedup_rule === row.dedup_rule &&
          masked.masked_changes === undefined;
        if (isSame) return { row };
        const grows = JSON.stringify(settings).length > JSON.stringify(row.settings).length;
        if (grows && (await isFull(tx, sourceRoom(tenant, limits)))) return { limit: 'source_bytes' as const };
        const updated = await setContent(tx, { tenant, id: row.id }, { name, settings, dedup_rule });
        await request.audit(tx, {
          id: row.id,
          before,
          after: { ...sourceJson(updated, ingressUrl), ...masked },
        });
        return { row: updated };
      });
      if ('refused' in result) return sendProblem(reply, result.refused);
      const { changed } = result;
      if ('errors' in changed) return sendInvalid(reply, changed.errors);
      const { row, limit } = changed;
      if (limit !== undefined) return refuseBeyondLimit(reply, limit, deps);
      return sendResource(reply, row, sourceJson(row, ingressUrl));
    },
  });
