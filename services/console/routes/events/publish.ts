import type { ApiFailure } from '#client';
import { html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import { page, seeOther } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { publishPage } from '../../pages/events/publish-page.ts';
import { wholeId } from '../../parts/short-id.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';

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
      const published = await api.send<{ id: string }>('POST', '/events', { body: read.body });
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
