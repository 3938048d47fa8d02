import type { Attempt, Delivery } from '#lib/api-contract';
import { parseExact } from '#lib/exact-json';
import { html, type Html } from '#lib/html';
import { withQuery } from '../api-calls/calls.ts';
import type { ReadApi } from '../api-calls/console-api.ts';
import { attemptPage, readAttempt } from '../deliveries/index.ts';
import { afterChange } from '../after-change.ts';
import { type PageResult, problem } from '../page-result.ts';
import { type TenantContext, tenantPage } from '../page.ts';
import { textArea, textField } from '../ui/form.ts';
import { shortId } from '../ui/text.ts';
import { actionPage, answerRefusal, type Refusal } from './action-page.ts';

/** The API answers with the first attempt, for which it waits up to 25 seconds. */
const waitMs = 28_000;

/** `T/endpoints/:id/test`: sends a sample and waits for the answer. The result has an address, so that a reload sends nothing. */
export const testEndpoint = tenantPage({
  path: '/endpoints/:id/test',
  title: 'Test endpoint',
  section: 'endpoints',
  takesPayload: true,
  get: {
    scope: 'write',
    capability: 'endpoints',
    query: ['event'],
    async answer(context) {
      const { api, params, query } = context;
      const eventId = query.get('event');
      if (eventId === null) return showForm(context, {});
      const [result] = await Promise.all([
        readResult(api, params.id, eventId),
        api.call('GET /v1/endpoints/:id', { params }),
      ]);
      return result === undefined ? problem(404) : showForm(context, { result: resultView(result, context) });
    },
  },
  post: {
    capability: 'endpoints',
    async answer(context) {
      const { api, params, t, form } = context;
      const [type, payload] = [(form.get('type') ?? '').trim(), (form.get('payload') ?? '').trim()];
      const again = (refusal: Refusal) => showForm(context, { type, payload, ...refusal });
      const read = readPayload(payload);
      if ('message' in read) return again({ errors: [{ field: '/payload', message: read.message }] });
      const body = { ...(type !== '' && { type }), ...read };
      return afterChange(
        api.change('POST /v1/endpoints/:id/test', { params, body, timeoutMs: waitMs }),
        ({ event_id: event }) => withQuery(`${t}/endpoints/${params.id}/test`, { event }),
        (failure) => answerRefusal(context, failure, again),
      );
    },
  },
});

function readPayload(text: string): { payload?: unknown } | { message: string } {
  if (text === '') return {};
  try {
    return { payload: parseExact(text, 'all') };
  } catch (error) {
    return { message: `is not JSON: ${(error as Error).message}` };
  }
}

interface Result {
  eventId: string;
  /** Undefined: it was not begun yet. */
  delivery: Delivery | undefined;
  /** Undefined: it has not ended yet. */
  attempt: Attempt | undefined;
}

/** Undefined: no such test was sent to this endpoint. @throws ApiError */
async function readResult(api: ReadApi, endpointId: string, eventId: string): Promise<Result | undefined> {
  const deliveries = await api.call('GET /v1/events/:id/deliveries', { params: { id: eventId } });
  const delivery = deliveries.find(({ endpoint_id: id }) => id === endpointId);
  if (delivery === undefined) return deliveries.length > 0 ? undefined : { eventId, delivery, attempt: undefined };
  const attempt = delivery.attempts === 0 ? undefined : await readAttempt(api, delivery.id, 1);
  return { eventId, delivery, attempt };
}

function resultView(
  { eventId, delivery, attempt }: Result,
  { t, isCustomer }: Pick<TenantContext, 't' | 'isCustomer'>,
): Html {
  const event = html`<a href="${t}/events/${encodeURIComponent(eventId)}">event ${shortId(eventId)}</a>`;
  if (delivery === undefined)
    return html`<section class="part"><h2>Result</h2><p class="note note-warn">The test, ${event}, has not been sent yet. Reload this page to see its result.</p></section>`;
  const link = html`<a href="${t}/deliveries/${delivery.id}">delivery ${shortId(delivery.id)}</a>`;
  if (attempt === undefined)
    return html`<section class="part"><h2>Result</h2><p class="note note-warn">The receiver has not answered yet. Reload this page, or follow the ${link}.</p></section>`;
  const isDelivered = attempt.outcome === 'delivered';
  return html`<section class="part"><h2>Result</h2><p class="note ${isDelivered ? 'note-good' : 'note-bad'}">${isDelivered ? 'The receiver accepted it.' : 'The receiver did not accept it. It is retried like any other delivery.'} See the ${event} and the ${link}.</p>
${attemptPage(attempt, { event_id: eventId }, { t, isCustomer })}</section>`;
}

interface Shown extends Refusal {
  type?: string;
  payload?: string;
  result?: Html;
}

const showForm = (
  context: TenantContext<'/:id'>,
  { type = '', payload = '', errors = [], refused, result }: Shown,
): Promise<PageResult> =>
  actionPage(context, {
    about: html`Sends an event to this endpoint alone, whatever it subscribes to, signed like any other, and waits for the answer.`,
    action: 'test',
    submit: result === undefined ? 'Send a test' : 'Send another test',
    errors,
    refused,
    fields: html`${textField({ name: 'type', label: 'Event type', hint: 'Empty: hookline.test.', value: type, errors })}
${textArea({ name: 'payload', label: 'Payload', hint: 'JSON. Empty: a small sample.', value: payload, errors })}`,
    above: result,
  });
