/** The payloads of operational events: docs/operational-events.md, whose examples a test holds against these schemas. */
import { count, id, object, oneOf, saying, type Schema, text, time } from '#lib/api-contract';
import type { OperationalEventType } from '#lib/contract';

interface Described {
  when: string;
  members: Readonly<Record<string, Schema>>;
  optional?: Readonly<Record<string, Schema>>;
}

const resource = saying('the path of the API where it can be read', text);
const failingSince = saying('the first failure after the last 2xx', time);
const ofEndpoint = { endpoint_id: id('ep'), url: saying('without its query', text) };

const described: Record<OperationalEventType, Described> = {
  'hookline.endpoint.failing': {
    when: 'Three attempts or more have failed, and none has succeeded for ten minutes',
    members: { ...ofEndpoint, failing_since: failingSince, failed_attempts: count, resource },
  },
  'hookline.endpoint.recovered': {
    when: 'The endpoint has accepted a delivery after it was failing',
    members: { ...ofEndpoint, failing_since: failingSince, recovered_at: time, resource },
  },
  'hookline.endpoint.disabling_soon': {
    when: 'The endpoint will be disabled within 24 hours if it keeps failing',
    members: { ...ofEndpoint, failing_since: failingSince, disabling_at: time, resource },
  },
  'hookline.endpoint.disabled': {
    when: 'Hookline has disabled the endpoint',
    members: { ...ofEndpoint, reason: oneOf(['failing', 'gone']), disabled_at: time, resource },
    optional: { failing_since: failingSince },
  },
  'hookline.endpoint.paused': {
    when: 'The endpoint is paused',
    members: { ...ofEndpoint, paused_at: time, until: time, resource },
  },
  'hookline.delivery.dead_lettered': {
    when: 'Deliveries to the endpoint have become dead letters within a quarter of an hour',
    members: { ...ofEndpoint, count, since: time, until: time, resource },
  },
  'hookline.source.rejecting': {
    when: 'The source rejects webhooks, and accepts none',
    members: { source_id: id('src'), name: text, code: text, rejections: count, since: time, resource },
  },
  'hookline.tenant.limit_reached': {
    when: 'A request was refused because of a limit of the tenant',
    members: { tenant: text, limit: text, maximum: count, counts: text, reached_at: time },
  },
};

export const whenPublished = (type: OperationalEventType): string => described[type].when;

export function payloadSchema(type: OperationalEventType): Schema {
  const { members, optional } = described[type];
  return object({ type: oneOf([type]), ...members }, optional);
}
