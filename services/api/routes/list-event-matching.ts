import { maxEventSteps } from '#lib/event-filter';
import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { matchEvent } from '../matching/match-event.ts';
import { endpointsAfter } from '../matching/subscribers.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { findEvent } from '../resources/event.ts';
import { isErased } from '../resources/event-row.ts';
import { isSampleEvent } from '../resources/sample-event.ts';
import { type Route, route } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: pageParameters } as const;

const operation: Operation = {
  tag: 'Events',
  id: 'listEventMatching',
  summary: 'List the endpoints of the tenant, and why each got an event or did not',
  description:
    'Evaluated as fan-out did it, by the settings at the time of receipt: a change of an endpoint counts for events received at its `effective_at`, two seconds after it, or later. Endpoints that are deleted are listed for 30 days.',
  answers: { 200: page('EventMatch', 'Endpoints in the order of their ids') },
  errors: ['gone'],
};

/** `GET /v1/events/{id}/matching`. */
export const listEventMatching: Route = ({ postgres, judgingTurns, clock, log, apiUrl }) =>
  route<{ Params: { id: string }; Querystring: PageQuery }>({
    method: 'GET',
    url: '/v1/events/:id/matching',
    config: { operation },
    schema: { querystring },
    async handler(request, reply) {
      const { tenant } = request;
      const page = readPage(request.query, position);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const { after, stepsLeft } = readPosition(page.after);
      const event = await findEvent(postgres, tenant, request.params.id);
      if (event === undefined) return sendProblem(reply, 'not_found');
      if (isErased(event)) return sendProblem(reply, 'gone', 'The event was erased');
      const found = await endpointsAfter(postgres, tenant, { after, limit: page.limit + 1 });
      const judged = await matchEvent(
        { postgres, turns: judgingTurns, clock, log },
        {
          ...{ tenant, event, stepsLeft, endpoints: found.slice(0, page.limit) },
          isTest: await isSampleEvent(postgres, tenant, event),
        },
      );
      takePage(found, page.limit, ({ id }) => ({ cursor: `${id}.${judged.stepsLeft}` }), { request, reply, apiUrl });
      return judged.matches;
    },
  });

/** The last endpoint of the page before, and what the event's filters may still cost: filters share that in the order of ids. */
const position = /^(ep_[0-9a-hjkmnp-tv-z]{26})\.(\d{1,7})$/;

function readPosition(cursor: string | null): { after: string; stepsLeft: number } {
  const [, after = '', steps = String(maxEventSteps)] = position.exec(cursor ?? '') ?? [];
  return { after, stepsLeft: Math.min(Number(steps), maxEventSteps) };
}
