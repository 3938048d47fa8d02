import { type DeadLetterStatus, deadLetterStatuses } from '#lib/replay-store';
import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import {
  type GivenDeadLetterFilter,
  deadLetterFilterFields,
  readDeadLetterFilter,
} from '../replays/dead-letter-filter-fields.ts';
import { deadLetterId, listDeadLetters as queryDeadLetters } from '../resources/dead-letter.ts';
import { type Route, route } from '../route.ts';

interface DeadLetterQuery extends GivenDeadLetterFilter, PageQuery {
  status?: DeadLetterStatus;
}

const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...deadLetterFilterFields,
    status: { type: 'string', enum: deadLetterStatuses },
    ...pageParameters,
  },
} as const;

const operation: Operation = {
  tag: 'Dead letters and replays',
  id: 'listDeadLetters',
  summary: 'List dead letters, newest first',
  description:
    'With `Hookline-Tenant: *`, those that belong to no tenant: batches that could not be decoded, and records that name none.',
  parameters: {
    since: 'RFC 3339: dead-lettered at or after this time',
    until: 'RFC 3339: dead-lettered before this time',
  },
  answers: { 200: page('DeadLetter', 'Dead letters that match') },
};

/** `GET /v1/dead-letters`: the newest first. */
export const listDeadLetters: Route = ({ postgres, apiUrl }) =>
  route<{ Querystring: DeadLetterQuery }>({
    method: 'GET',
    url: '/v1/dead-letters',
    config: { operation, ofAllTenants: true },
    schema: { querystring },
    async handler(request, reply) {
      const { query } = request;
      const page = readPage(query, deadLetterId);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const read = readDeadLetterFilter(query, (name) => name);
      if ('errors' in read) return sendInvalid(reply, read.errors);
      const filter = query.status === undefined ? read.filter : { ...read.filter, status: query.status };
      const rows = await queryDeadLetters(postgres, request.tenant, filter, page);
      return takePage(rows, page.limit, ({ id }) => ({ cursor: id }), { request, reply, apiUrl });
    },
  });
