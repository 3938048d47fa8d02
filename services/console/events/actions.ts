import type { ApiFailure } from '#client';
import { maxPayloadText } from '#lib/contract';
import { html } from '#lib/html';
import type { FieldError } from '../api-calls/console-api.ts';
import { afterChange, formAgain } from '../after-change.ts';
import { page, type PageResult, seeOther } from '../page-result.ts';
import { type TenantContext, tenantPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { crumbsTo } from '../sections.ts';
import { enteredIn, errorSummary, postForm, selectField, textArea, textField } from '../ui/form.ts';
import { wholeId } from '../ui/text.ts';
import { time } from '../ui/times.ts';
import { erasedEventPage } from './erasures.ts';
import { eventCrumbs, eventHref } from './names.ts';
import { isErased } from './read.ts';

/** `T/events/new`: publishes an event. */
export const publishEvent = tenantPage({
  path: '/events/new',
  title: 'Publish an event',
  section: 'events',
  takesPayload: true,
  get: { scope: 'publish', answer: (context) => publishPage(context) },
  post: {
    scope: 'publish',
    async answer(context) {
      const { api, form, t, can } = context;
      const read = readForm(form);
      if ('errors' in read) return publishPage(context, form, read.errors);
      const published = await api.change('POST /v1/events', { body: read.body });
      if (published.ok) {
        const { id } = published.value;
        // A reader who may publish need not be allowed to read.
        return can('read')
          ? seeOther(`${t}/events/${id}`)
          : page({ title: 'The event is published', body: html`<p>${wholeId(id)}</p>` });
      }
      const errors = errorsOf(published.failure);
      return errors === undefined ? problemOfFailure(published.failure) : publishPage(context, form, errors);
    },
  },
});

/** The form of an event of one's own. After a refusal: as it was sent, with what is wrong. */
function publishPage(
  context: TenantContext,
  values = new URLSearchParams(),
  errors: readonly FieldError[] = [],
): PageResult {
  const { t } = context;
  const entered = enteredIn(values, errors);
  return page({
    status: errors.length > 0 ? 400 : 200,
    crumbs: crumbsTo(t, 'events'),
    body: html`${errorSummary(errors)}
<p class="lead">An event of your own goes to every endpoint that subscribes to its type, like one that a provider sent.</p>
${postForm(context, {
  action: `${t}/events/new`,
  submit: 'Publish',
  body: html`${textField({ ...entered('type'), label: 'Type', hint: 'Such as order.paid.', isRequired: true })}
${textArea({ ...entered('payload', '{}'), label: 'Payload', hint: `Any JSON, up to ${maxPayloadText}. It is sent as it is written here.`, rows: 10, isRequired: true })}
${textField({ ...entered('event_id'), label: 'Your id', hint: 'Optional. Published again within 72 hours, it is the same event.' })}
${textField({ ...entered('ordering_key'), label: 'Ordering key', hint: 'Optional. Events with the same key stay in order.' })}
${textArea({ ...entered('tags'), label: 'Tags', hint: 'Optional. Up to five tags to find the event by, one a line: customer:cus_9', rows: 3 })}`,
})}`,
  });
}

/** The request as text: the payload must stay as it was written. */
function readForm(form: URLSearchParams): { body: string } | { errors: FieldError[] } {
  // Browsers send lines of a form with CRLF.
  const payload = (form.get('payload') ?? '').replaceAll('\r\n', '\n').trim();
  const tags = tagsIn(form.get('tags') ?? '');
  const errors = [
    ...(form.get('type')?.trim() ? [] : [{ field: 'type', message: 'is missing' }]),
    ...wrongJson(payload),
    ...('errors' in tags ? tags.errors : []),
  ];
  if (errors.length > 0 || 'errors' in tags) return { errors };
  const members = [
    ['type', JSON.stringify(form.get('type')?.trim())],
    ['payload', payload],
    ...['event_id', 'ordering_key'].map((name) => [name, textMember(form.get(name))]),
    ['tags', tags.size > 0 && JSON.stringify(Object.fromEntries(tags))],
  ];
  return {
    body: `{${members.flatMap(([name, text]) => (text === false ? [] : [`"${String(name)}":${String(text)}`])).join(',')}}`,
  };
}

const textMember = (value: string | null): string | false =>
  value !== null && value.trim() !== '' && JSON.stringify(value.trim());

function wrongJson(text: string): FieldError[] {
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    return [{ field: 'payload', message: text === '' ? 'is missing' : `must be JSON: ${(error as Error).message}` }];
  }
}

function tagsIn(text: string): Map<string, string> | { errors: FieldError[] } {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const named = lines.filter((line) => line !== '').map((line) => [line, line.indexOf(':')] as const);
  const wrong = named.find(([line, at]) => at < 1 || at === line.length - 1);
  if (wrong !== undefined) return { errors: [{ field: 'tags', message: `“${wrong[0]}” must be name:value` }] };
  return new Map(named.map(([line, at]) => [line.slice(0, at).trim(), line.slice(at + 1).trim()]));
}

function errorsOf(failure: ApiFailure): readonly FieldError[] | undefined {
  if (failure.kind !== 'problem') return undefined;
  if (failure.status === 413) return [{ field: 'payload', message: 'is larger than 1 MiB' }];
  return failure.status === 400 ? failure.problem.errors : undefined;
}

/** As many can be chosen from. */
const mostEndpoints = 200;

/** `T/events/{id}/replay`: sends an event again, to all endpoints that match it today, or to one. */
export const replayEvent = tenantPage({
  path: '/events/:id/replay',
  title: 'Replay an event',
  section: 'events',
  get: {
    scope: 'write',
    capability: 'replay',
    query: ['endpoint_id'],
    answer: (context) => showForm(context, context.query.get('endpoint_id')),
  },
  post: {
    capability: 'replay',
    answer(context) {
      const { api, form, params, t } = context;
      const endpointId = form.get('endpoint_id') || null;
      const body = endpointId === null ? {} : { endpoint_id: endpointId };
      return afterChange(
        api.change('POST /v1/events/:id/replay', { params, body }),
        ({ id }) => `${t}/replays/${id}`,
        (failure) => formAgain(failure, (errors) => showForm(context, endpointId, errors)),
      );
    },
  },
});

async function showForm(
  context: TenantContext<'/events/:id/replay'>,
  endpointId: string | null,
  errors: readonly FieldError[] = [],
): Promise<PageResult> {
  const { api, params } = context;
  const [event, endpoints] = await Promise.all([
    api.call('GET /v1/events/:id', { params }),
    api.list('GET /v1/endpoints', { query: { status: 'enabled', limit: mostEndpoints } }),
  ]);
  if (isErased(event)) return erasedEventPage(event, context.t);
  // Undefined: too many to choose from.
  const choices = endpoints.ok && endpoints.next === undefined ? endpoints.items : undefined;
  const common = { name: 'endpoint_id', label: 'Send to', value: endpointId ?? '', errors };
  return page({
    status: errors.length > 0 ? 400 : 200,
    crumbs: eventCrumbs(context.t, event),
    body: html`${errorSummary(errors)}
<p class="lead"><bdi>${event.type}</bdi>, received ${time(event.received_at)}, is sent again with the same payload and id. Receivers that have taken it get it once more: they know it by its id.</p>
${postForm(context, {
  action: `${eventHref(context.t)(event)}/replay`,
  submit: 'Start replay',
  body:
    choices === undefined
      ? textField({ ...common, hint: `The id of an endpoint. Empty: all endpoints that match it today.` })
      : selectField({
          ...common,
          options: [
            { value: '', label: 'All that match it today' },
            ...choices.map(({ id, url }) => ({ value: id, label: `${url} alone` })),
          ],
        }),
})}`,
  });
}
