import { eventFilterQuery } from './event-filters.ts';
import { component, operation, resource, schemasOf } from './operation.ts';
import {
  closedObject,
  count,
  either,
  flag,
  id,
  list,
  map,
  notEmpty,
  nullable,
  object,
  oneOf,
  saying,
  type Static,
  text,
  textOf,
  time,
} from './schema.ts';

const common = {
  id: id('ers'),
  status: oneOf(['running', 'completed']),
  as_of: saying('events that were received later are kept', time),
  events: saying('events that were erased', count),
  removed: saying('rows that were removed or emptied, by table', map(count)),
  kafka: saying(
    'null until it has completed',
    nullable(
      list(
        object({
          topic: text,
          kept_until: saying('when its retention removes the last bytes; null: never', nullable(time)),
        }),
      ),
    ),
  ),
  kept_until: saying('the last of these times; null while it runs, or for ever', nullable(time)),
  created_at: time,
  completed_at: nullable(time),
};

export const erasure = component(
  'Erasure',
  object({
    ...common,
    event_id: saying('the one event that was to be erased', nullable(id('evt'))),
    filtered_by: saying('names of the filters; their values are erased, too', list(text)),
  }),
);

export type Erasure = Static<typeof erasure.schema>;

export const tenantDeletion = component(
  'TenantDeletion',
  object({
    ...common,
    tenant: text,
    dropped: saying('records that came later and were dropped; approximate after a crash', count),
  }),
);

export type TenantDeletion = Static<typeof tenantDeletion.schema>;

const preview = component(
  'ErasurePreview',
  object({
    dry_run: flag,
    matched: saying('events that would be erased, counted up to 100,000', count),
    more: saying('more match than were counted', flag),
    as_of: saying('for the erasure of these', text),
  }),
);

export type ErasurePreview = Static<typeof preview.schema>;

const { event_id, type, tag, source_id } = eventFilterQuery;

/** The filters of events by which they can be erased: each names what never changes of an event. */
const erasureFilterQuery = { event_id, type, tag, source_id };

export const createErasure = operation({
  method: 'POST',
  path: '/v1/erasures',
  tag: 'Erasures',
  id: 'createErasure',
  summary: 'Erase all events that match a filter',
  description:
    'Requires the `as_of` of a dry run with the same filter: events that were received later are left. With `dry_run`, it answers how many match, and nothing changes.',
  access: { scope: 'admin', dryRunScope: 'read', audit: 'erasure.create' },
  body: closedObject(
    { filter: notEmpty(closedObject({}, schemasOf(erasureFilterQuery))) },
    { as_of: textOf({ maxLength: 100 }), dry_run: flag },
  ),
  example: { filter: { type: 'order.paid' }, dry_run: true },
  answers: {
    202: {
      is: 'The erasure, or, with `dry_run`, what it would erase',
      body: either(erasure.ref, preview.ref),
    },
  },
});

export const getErasure = operation({
  method: 'GET',
  path: '/v1/erasures/:id',
  tag: 'Erasures',
  id: 'getErasure',
  summary: 'Read the receipt of an erasure, or its progress',
  access: { scope: 'admin' },
  answers: { 200: { is: 'The erasure', body: either(erasure.ref, tenantDeletion.ref) } },
});

export const erasures = resource({
  tag: 'Erasures',
  description:
    'Erases events: from the database and Redis at once, from Kafka by the retention of its topics. An event that was erased stays as its id, its status and its times, until its days end.',
  components: [erasure, tenantDeletion, preview],
  operations: [createErasure, getErasure],
});
