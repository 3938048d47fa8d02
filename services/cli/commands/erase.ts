import { apiVerbs } from '../api-calls/api-verb.ts';
import { connect } from '../api-calls/api.ts';
import { usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { omitAbsent } from '../options/values.ts';
import { confirm, refuseUnasked } from '../output/confirm.ts';
import { describe, print } from '../output/print.ts';
import { flag, text, type Values, verb } from '../verb.ts';

const options = {
  event: text('ID', 'erase this event (evt_…)'),
  'event-id': text('ID', 'erase events with this identifier of the sender or publisher'),
  type: text('NAME', 'erase events of this type'),
  source: text('ID', 'erase events of this source'),
  tag: text('NAME:VALUE', 'erase events with this tag'),
  receipt: text('ID', 'show the receipt of an erasure (ers_…), or its progress'),
  'dry-run': flag('show how many events would be erased; change nothing'),
  yes: flag('do not ask'),
  ...apiVerbs('events').tenantOption,
} as const;

type EraseValues = Values<typeof options>;

const notDone = 'nothing was erased';

async function erase(values: EraseValues, context: Context): Promise<number> {
  const { event, receipt, json, tenant } = values;
  const filter = omitAbsent({
    event_id: values['event-id'],
    type: values.type,
    source_id: values.source,
    tag: values.tag,
  });
  const isFiltered = Object.keys(filter).length > 0;
  if ([event, receipt, isFiltered ? 'filter' : undefined].filter((given) => given !== undefined).length !== 1)
    throw usageFailure('give --event, a filter, or --receipt');
  if (event !== undefined && values['dry-run']) throw usageFailure('--dry-run needs a filter');
  const api = connect(context, tenant);
  const show = (shown: Record<string, unknown>): number => {
    print(context, shown, json, describe);
    return 0;
  };
  if (receipt !== undefined) return show(await api.call('GET /v1/erasures/:id', { params: { id: receipt } }));

  refuseUnasked(values, context);
  if (event !== undefined) {
    if (!values.yes) await confirm(context, `Erase ${event} for good?`, notDone);
    return show(await api.call('DELETE /v1/events/:id', { params: { id: event } }));
  }
  const preview = await api.call('POST /v1/erasures', { body: { filter, dry_run: true } });
  if (!('dry_run' in preview)) throw new Error('a dry run has started an erasure');
  if (values['dry-run']) return show(preview);
  if (!values.yes && preview.matched === 0) {
    print(context, preview, json, () => `no event matches: ${notDone}`);
    return 0;
  }
  if (!values.yes)
    await confirm(context, `Erase ${preview.matched}${preview.more ? ' or more' : ''} events for good?`, notDone);
  return show(await api.call('POST /v1/erasures', { body: { filter, as_of: preview.as_of } }));
}

export const eraseVerb = verb({
  summary: 'Erase events, or show the receipt of an erasure',
  description:
    'Erases an event, or all events that match every given filter, and prints the receipt: what is gone at once, and until when Kafka keeps bytes. --receipt shows how far it has come.\nAn erased event keeps only its id, status and times. Erasure can’t be undone.',
  options,
  run: (values, _given, context) => erase(values, context),
});
