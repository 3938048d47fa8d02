import { createId, derivedId } from '#lib/runtime';
import type { Fact } from '../../../services/projector/facts.ts';
import { deliveryDeadLetter } from '../replay-store/dead-deliveries.ts';
import { project } from '../projector/projection.ts';
import { eventFact, fanOutFact, outcomeFact, startAt } from '../../unit/projector/facts.ts';
import { withParameters } from '../../unit/api/certificates.ts';
import type { Answer } from '../../unit/api/ask.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { OpenApi } from './api-over-database.ts';

/** Something of every kind, in one tenant. */
export async function createThings(api: OpenApi, tenant: string) {
  const created = async (path: string, body: object): Promise<string> => {
    const answer = await api.ask({ method: 'POST', path, body, tenant });
    expect([path, answer.status, answer.text]).toEqual([path, answer.status < 300 ? answer.status : 201, answer.text]);
    return answer.json<{ id: string }>().id;
  };
  const source = await created('/v1/sources', {
    name: 'all set',
    scheme: 'hmac',
    hmac: { algorithm: 'sha256', encoding: 'hex', header: 'X-Signature', signed: 'body' },
    dedup_id: '/id',
    event_type_from: ['header:X-Type', '/type'],
    ordering_key: '/customer',
    tags_from: { customer: '/customer', repo: 'header:X-Repo' },
    allowed_ips: ['192.0.2.0/24'],
    rate_limit: { per_second: 1, burst: 1 },
    keep_rejected_bodies: true,
    verify_token: 'token',
  });
  await api.postgres.query(
    `INSERT INTO rejections (tenant, source_id, id, at, code, client_address, headers, body_bytes, body)
     VALUES ($1, $2, $3, now(), 'signature_invalid', '192.0.2.7', '{"a":"b"}', 3, 'abc'),
            ($1, $2, $4, now(), 'signature_missing', '192.0.2.7', '{}', NULL, NULL)`,
    [tenant, source, createId('rej', Date.now()), createId('rej', Date.now())],
  );
  const endpoint = await created('/v1/endpoints', {
    url: 'https://receiver.example/hook',
    event_types: ['order.*'],
    source_ids: [source, 'api'],
    filter: { n: { $gt: 1 } },
    headers: { 'X-Api-Key': 'secret', 'X-Plain': 'a' },
    pass_headers: ['X-GitHub-*'],
    ed25519: true,
    proxy: 'http://user:password@proxy.example:3128',
    client_certificate: withParameters,
    rate_limit: { per_second: 1, burst: 1 },
    retry: { schedule: [1, 2], jitter: 0.5 },
  });

  const request = {
    method: 'POST',
    path: '/v1/webhooks/src_1',
    client_address: '192.0.2.7',
    truncated: false,
    headers: [
      { name: 'X-A', value: 'a' },
      { name: 'Cookie', value: null },
    ],
  };
  const newId = (prefix: 'evt' | 'rcp') => createId(prefix, startAt / 1000);
  const [live, dying] = [newId('evt'), newId('evt')].map((eventId) => ({ tenant, eventId })) as [Named, Named];
  const dyingAt = [endpoint, 'ep_b', 'ep_c', 'ep_d'];
  await project(
    api.postgres,
    [
      eventFact(live, { receipt_id: newId('rcp'), request, tags: { customer: 'cus_1' } }),
      fanOutFact(live, [endpoint, 'ep_waits', 'ep_pending', 'ep_cancelled']),
      outcomeFact(live, endpoint, 1, 'retrying'),
      outcomeFact(live, endpoint, 2, 'delivered'),
      outcomeFact(live, 'ep_waits', 1, 'retrying'),
      outcomeFact(live, 'ep_cancelled', 1, 'cancelled'),
      eventFact(dying, { receipt_id: newId('rcp') }),
      fanOutFact(dying, dyingAt),
      ...dyingAt.flatMap((endpointId, index) => [
        outcomeFact(dying, endpointId, 1, 'dead_lettered'),
        deliveryDeadLetter(tenant, dying.eventId, endpointId, { at: startAt + index * 1_000_000 }),
      ]),
    ].map(withRealIds),
  );
  const [deadLetter] = (await api.ask({ path: '/v1/dead-letters', tenant })).json<{ id: string }[]>();
  const key = await created('/v1/api-keys', { name: 'k', scopes: ['read', 'publish'] });
  return {
    source,
    endpoint,
    event: live.eventId,
    delivered: deliveryOf(live.eventId, endpoint),
    waiting: deliveryOf(live.eventId, 'ep_waits'),
    pending: deliveryOf(live.eventId, 'ep_pending'),
    cancelled: deliveryOf(live.eventId, 'ep_cancelled'),
    dead: deliveryOf(dying.eventId, 'ep_c'),
    deadLetter: deadLetter?.id ?? '',
    key,
  };
}

/** Asks for a sample to be sent, and does what the dispatcher does with it: delivers it. */
export async function testEndpoint(api: OpenApi, tenant: string): Promise<Answer> {
  const create = { method: 'POST', path: '/v1/endpoints', body: { url: 'https://receiver.example/' }, tenant };
  const endpoint = (await api.ask(create)).json<{ id: string }>().id;
  const answer = api.ask({ method: 'POST', path: `/v1/endpoints/${endpoint}/test`, tenant });
  const sample = await waitUntil(
    'the sample is there',
    async () =>
      (
        await api.postgres.query<{ id: string }>("SELECT id FROM events WHERE tenant = $1 AND type = 'hookline.test'", [
          tenant,
        ])
      )[0],
  );
  const event = { tenant, eventId: sample.id };
  const facts = [fanOutFact(event, [endpoint]), outcomeFact(event, endpoint, 1, 'delivered')];
  await project(api.postgres, facts.map(withRealIds));
  return answer;
}

export type Things = Awaited<ReturnType<typeof createThings>>;

interface Named {
  tenant: string;
  eventId: string;
}

const deliveryOf = (eventId: string, endpointId: string): string =>
  derivedId('dlv', startAt / 1000, [eventId, endpointId]);

/** The API takes ids for what they are by their form, which those of tests elsewhere don't have. */
function withRealIds(fact: Fact): Fact {
  switch (fact.kind) {
    case 'fan-out': {
      const { fanOut } = fact;
      const deliveries = fanOut.deliveries.map(({ endpoint_id }) => ({
        endpoint_id,
        delivery_id: deliveryOf(fanOut.event_id, endpoint_id),
      }));
      return { ...fact, fanOut: { ...fanOut, deliveries } };
    }
    case 'outcome': {
      const { outcome } = fact;
      return { ...fact, outcome: { ...outcome, delivery_id: deliveryOf(outcome.event_id, outcome.endpoint_id) } };
    }
    case 'dead_letter': {
      const { deadLetter } = fact;
      const id = deliveryOf(deadLetter.event_id ?? '', deadLetter.endpoint_id ?? '');
      return { ...fact, deadLetter: { ...deadLetter, origin: id, delivery_id: id } };
    }
    default:
      return fact;
  }
}
