import { contentOf, endpointFields, type GivenEndpoint, givenOf, refusalOf } from '../endpoint-settings.ts';
import { changeOf, sendResource } from '../etag.ts';
import { mergePatch } from '../merge-patch.ts';
import { patchOf, readPatched } from '../patch-body.ts';
import { endpointJson, endpoints, setContent } from '../resources/endpoint.ts';
import { type Route, route } from '../route.ts';
import { sendInvalid, sendProblem } from '../send-problem.ts';

/** `PATCH /v1/endpoints/{id}`: JSON merge patch, `null` resets a field to its default; what comes of it must be a valid endpoint. */
export const updateEndpoint: Route = (deps) => {
  const properties = endpointFields(deps.payloadRetentionDays);
  const endpoint = { type: 'object', additionalProperties: false, required: ['url'], properties };
  return route<{ Params: { id: string }; Body: Record<string, unknown> }>({
    method: 'PATCH',
    url: '/v1/endpoints/:id',
    schema: { body: patchOf([...Object.keys(properties), 'secret']) },
    async handler(request, reply) {
      const { tenant, body } = request;
      if (Object.hasOwn(body, 'secret'))
        return sendInvalid(reply, [{ field: '/secret', message: 'is changed by POST …/rotate-secret' }]);

      const result = await endpoints.change(deps.postgres, changeOf(request), async (row, tx) => {
        const patched = readPatched<GivenEndpoint>(request, endpoint, mergeEndpoint(givenOf(row), body));
        if ('errors' in patched) return { code: 'validation_failed', ...patched } as const;
        const content = contentOf(patched.read);
        const refusal = await refusalOf(content, row, { ...deps, postgres: tx, tenant });
        return refusal ?? { row: await setContent(tx, { tenant, id: row.id }, content) };
      });
      if ('refused' in result) return sendProblem(reply, result.refused);
      if ('errors' in result.changed) return sendInvalid(reply, result.changed.errors, result.changed.code);
      return sendResource(reply, result.changed.row, endpointJson(result.changed.row));
    },
  });
};

/** A filter is one value: of two that were merged would come a third that nobody wrote, and `null` means something in it. */
function mergeEndpoint({ filter: before = null, ...given }: GivenEndpoint, patched: Record<string, unknown>): unknown {
  const { filter = before, ...patch } = patched;
  return { ...(mergePatch(given, patch) as object), ...(filter !== null && { filter }) };
}
