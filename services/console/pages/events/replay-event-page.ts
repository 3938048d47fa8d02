import { html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import { page, type PageResult } from '../../page-result.ts';
import type { TenantContext } from '../../page.ts';
import { errorSummary } from '../../parts/error-summary.ts';
import { selectField, textField } from '../../parts/fields.ts';
import { postForm } from '../../parts/form.ts';
import { time } from '../../parts/time.ts';
import type { LiveEvent } from '../../routes/events/event.ts';

export interface Receiver {
  id: string;
  url: string;
}

interface ReplayOfEvent {
  event: LiveEvent;
  /** Undefined: too many to choose from. */
  endpoints: readonly Receiver[] | undefined;
  endpointId: string | null;
  errors: readonly FieldError[];
}

const everyone = 'All that match it today';

export function replayEventPage(
  context: TenantContext,
  { event, endpoints, endpointId, errors }: ReplayOfEvent,
): PageResult {
  const href = `${context.t}/events/${encodeURIComponent(event.id)}`;
  const common = { name: 'endpoint_id', label: 'Send to', value: endpointId ?? '', errors };
  return page({
    status: errors.length > 0 ? 400 : 200,
    title: 'Replay an event',
    crumbs: [
      { label: 'Events', href: `${context.t}/events` },
      { label: event.id, href },
    ],
    body: html`${errorSummary(errors)}
<p class="lead"><bdi>${event.type}</bdi>, received ${time(event.received_at)}, is sent again with the same payload and id. Receivers that have taken it get it once more: they know it by its id.</p>
${postForm(context, {
  action: `${href}/replay`,
  submit: 'Start replay',
  body:
    endpoints === undefined
      ? textField({ ...common, hint: `The id of an endpoint. Empty: all endpoints that match it today.` })
      : selectField({
          ...common,
          options: [
            { value: '', label: everyone },
            ...endpoints.map(({ id, url }) => ({ value: id, label: `${url} alone` })),
          ],
        }),
})}`,
  });
}
