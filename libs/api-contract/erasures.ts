import { eventFilterQuery } from './event-filters.ts';
import { component, operationsOf, resource, schemasOf } from './operation.ts';
import * as t from './schema.ts';

const operation = operationsOf('Erasures');

const common = {
  id: t.id('ers'),
  status: t.oneOf(['running', 'completed']),
  as_of: t.saying('events that were received later are kept', t.time),
  events: t.saying('events that were erased', t.count),
  removed: t.saying('rows that were removed or emptied, by table', t.map(t.count)),
  kafka: t.saying(
    'null until it has completed',
    t.nullable(
      t.list(
        t.object({
          topic: t.text,
          kept_until: t.saying('when its retention removes the last bytes; null: never', t.nullable(t.time)),
        }),
      ),
    ),
  ),
  kept_until: t.saying('the last of these times; null while it runs, or for ever', t.nullable(t.time)),
  created_at: t.time,
  completed_at: t.nullable(t.time),
};

export const erasure = component(
  'Erasure',
  t.object({
    ...common,
    event_id: t.saying('the one event that was to be erased', t.nullable(t.id('evt'))),
    filtered_by: t.saying('names of the filters; their values are erased, too', t.list(t.text)),
  }),
);

export type Erasure = t.Static<typeof erasure.schema>;

export const tenantDeletion = component(
  'TenantDeletion',
  t.object({
    ...common,
    tenant: t.text,
    dropped: t.saying('records that came later and were dropped; approximate after a crash', t.count),
  }),
);

export type TenantDeletion = t.Static<typeof tenantDeletion.schema>;

const preview = component(
  'ErasurePreview',
  t.object({
    dry_run: t.flag,
    matched: t.saying('events that would be erased, counted up to 100,000', t.count),
    more: t.saying('more match than were counted', t.flag),
    as_of: t.saying('for the erasure of these', t.text),
  }),
);

export type ErasurePreview = t.Static<typeof preview.schema>;

const { event_id, type, tag, source_id } = eventFilterQuery;

/** The filters of events by which they can be erased: each names what never changes of an event. */
const erasureFilterQuery = { event_id, type, tag, source_id };

export const createErasure = operation('POST', '/v1/erasures', {
  summary: 'Erase all events that match a filter',
  description:
    'Requires the `as_of` of a dry run with the same filter: events that were received later are left. With `dry_run`, it answers how many match, and nothing changes.',
  access: { scope: 'admin', dryRunScope: 'read', audit: 'erasure.create' },
  body: t.closedObject(
    { filter: t.notEmpty(t.optionalFields(schemasOf(erasureFilterQuery))) },
    { as_of: t.textOf({ maxLength: 100 }), dry_run: t.flag },
  ),
  example: { filter: { type: 'order.paid' }, dry_run: true },
  answers: {
    202: {
      is: 'The erasure, or, with `dry_run`, what it would erase',
      body: t.either(erasure.ref, preview.ref),
    },
  },
});

export const getErasure = operation('GET', '/v1/erasures/:id', {
  summary: 'Read the receipt of an erasure, or its progress',
  access: { scope: 'admin' },
  answers: { 200: { is: 'The erasure', body: t.either(erasure.ref, tenantDeletion.ref) } },
});

export const erasures = resource({
  tag: 'Erasures',
  description:
    'Erases events: from the database and Redis at once, from Kafka by the retention of its topics. An event that was erased stays as its id, its status and its times, until its days end.',
  components: [erasure, tenantDeletion, preview],
  operations: { createErasure, getErasure },
});
