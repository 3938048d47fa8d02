import type { ApiFailure } from '#client';
import { html } from '#lib/html';
import type { FieldError } from '../api-calls/console-api.ts';
import { afterChange, formAgain } from '../http/after-change.ts';
import { page, type PageResult, seeOther } from '../page-result.ts';
import { type TenantContext, tenantPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { wholeId } from '../ui/text.ts';
import { erasedEventPage, eraseEventPage, erasurePage, publishPage, replayEventPage } from './action-views.ts';
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
  const choices = endpoints.ok && endpoints.next === undefined ? endpoints.items : undefined;
  return replayEventPage(context, { event, endpoints: choices, endpointId, errors });
}

/** `T/events/{id}/erase`: asks before it erases, and leads to the receipt. */
export const eraseEvent = tenantPage({
  path: '/events/:id/erase',
  title: 'Erase an event',
  section: 'events',
  get: {
    scope: 'admin',
    async answer(context) {
      const { api, params, t } = context;
      const event = await api.call('GET /v1/events/:id', { params });
      return isErased(event) ? erasedEventPage(event, t) : eraseEventPage(context, event);
    },
  },
  post: {
    scope: 'admin',
    answer: ({ api, params, t }) =>
      afterChange(api.change('DELETE /v1/events/:id', { params }), ({ id }) => `${t}/erasures/${id}`),
  },
});

/** `T/erasures/{id}`: the receipt of an erasure. */
export const showErasure = tenantPage({
  path: '/erasures/:id',
  title: 'Erasure',
  section: 'events',
  get: {
    scope: 'admin',
    answer: async ({ api, params, t }) => erasurePage(await api.call('GET /v1/erasures/:id', { params }), t),
  },
});
