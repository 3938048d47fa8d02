import { changeOf, sendResource } from '../http/etag.ts';
import { emptyBody, optionalBody } from '../http/optional-body.ts';
import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { endpoints, shownEndpoint } from '../resources/endpoint.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Endpoints',
  id: 'probeEndpoint',
  summary: 'Probe an endpoint whose circuit breaker is open now, with the delivery that has waited longest',
  description:
    'The dispatcher sends one delivery within seconds, whenever the next probe would be due; if it goes well, the others follow slowly. Nothing changes for an endpoint whose breaker is closed.',
  answers: { 200: { is: 'The endpoint; the probe is under way', body: 'Endpoint', headers: ['ETag'] } },
  errors: ['conflict'],
  conditional: true,
};

/** `POST /v1/endpoints/{id}/probe`. The revision stays: a probe is no change of a setting. */
export const probeEndpoint: Route = () =>
  route<{ Params: { id: string } }>({
    method: 'POST',
    url: '/v1/endpoints/:id/probe',
    config: { operation, capability: 'endpoints', audit: 'endpoint.probe' },
    schema: { body: emptyBody },
    preValidation: optionalBody,
    async handler(request, reply) {
      const { tenant, idempotent } = request;
      let held: string | undefined;
      const result = await endpoints.change(idempotent.effects, changeOf(request), async (row, tx) => {
        if (row.disabled_at !== null) held = 'The endpoint is disabled: enable it first';
        else if (row.paused_until !== null) held = `The endpoint is paused until ${row.paused_until}: resume it first`;
        if (held !== undefined) return row;
        const asked = await endpoints.note(tx, { tenant, id: row.id }, 'probe_asked_at = clock_timestamp()', []);
        await request.audit(tx, { id: row.id, after: { probe: 'now' } });
        return asked;
      });
      if ('refused' in result) return sendProblem(reply, result.refused);
      if (held !== undefined) return sendProblem(reply, 'conflict', held);
      return sendResource(reply, result.changed, shownEndpoint(result.changed, request.caller));
    },
  });
