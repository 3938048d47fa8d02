import type { OperationalEventType } from '#lib/contract';

/** A row of `announcements`. */
export interface Announcement {
  tenant: string;
  type: OperationalEventType;
  subject: string;
  episode: string;
  facts: Record<string, unknown>;
  due_at: string;
}

type Described = Pick<Announcement, 'tenant' | 'subject' | 'facts'>;

/** The payload of each event: docs/operational-events.md. Members may be added; none is removed or gets another meaning. */
const payloads: Record<OperationalEventType, (announcement: Described) => Record<string, unknown>> = {
  'hookline.endpoint.failing': ofEndpoint,
  'hookline.endpoint.recovered': ofEndpoint,
  'hookline.endpoint.disabling_soon': ofEndpoint,
  'hookline.endpoint.disabled': ofEndpoint,
  'hookline.endpoint.paused': ofEndpoint,
  'hookline.delivery.dead_lettered': ({ subject, facts }) => ({
    endpoint_id: subject,
    ...withShownUrl(facts),
    resource: `/v1/dead-letters?${new URLSearchParams({
      endpoint_id: subject,
      since: String(facts['since']),
      until: String(facts['until']),
    }).toString()}`,
  }),
  'hookline.source.rejecting': ({ subject, facts }) => ({
    source_id: subject,
    ...facts,
    resource: `/v1/sources/${subject}/rejections`,
  }),
  'hookline.tenant.limit_reached': ({ tenant, subject, facts }) => ({ tenant, limit: subject, ...facts }),
};

export const announcedPayload = (announcement: Announcement): Record<string, unknown> => ({
  type: announcement.type,
  ...payloads[announcement.type](announcement),
});

function ofEndpoint({ subject, facts }: Described): Record<string, unknown> {
  return { endpoint_id: subject, ...withShownUrl(facts), resource: `/v1/endpoints/${subject}` };
}

/** Without query: it may hold what keeps others from sending there. */
const withShownUrl = (facts: Record<string, unknown>): Record<string, unknown> => ({
  ...facts,
  ...(typeof facts['url'] === 'string' && { url: facts['url'].replace(/[?#].*$/s, '') }),
});
