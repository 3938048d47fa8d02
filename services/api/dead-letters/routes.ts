import { getDeadLetter, listDeadLetters } from '#lib/api-contract';
import { readPage, takePage } from '../http/paging.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { type Route, serve } from '../route.ts';
import { readDeadLetterFilter } from './filters.ts';
import { deadLetterId, deadLetterText, findDeadLetter, listDeadLetters as queryDeadLetters } from './queries.ts';

const list = serve(listDeadLetters, ({ postgres, apiUrl }) => async (request, reply) => {
  const { query } = request;
  const page = readPage(query, deadLetterId);
  if ('errors' in page) return sendInvalid(reply, page.errors);
  const read = readDeadLetterFilter(query, (name) => name);
  if ('errors' in read) return sendInvalid(reply, read.errors);
  const rows = await queryDeadLetters(postgres, request.tenant, { ...read.filter, status: query.status }, page);
  return takePage(rows, page.limit, ({ id }) => ({ cursor: id }), { request, reply, apiUrl });
});

/** With the key, headers and payload of its record. */
const get = serve(getDeadLetter, ({ postgres }) => async (request, reply) => {
  const letter = await findDeadLetter(postgres, request.tenant, request.params.id);
  if (letter === undefined) return sendProblem(reply, 'not_found');
  return reply.header('content-type', 'application/json; charset=utf-8').send(deadLetterText(letter));
});

export const deadLetterRoutes: readonly Route[] = [list, get];
