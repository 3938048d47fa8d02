import type { AttemptRow } from '../../../services/api/deliveries/attempts.ts';
import type { ReceivedRequest } from '../../support/receiver.ts';
import { createWorld, sha256, type World } from './world.ts';
import { waitUntil } from '../../support/wait-until.ts';

const soon = { base_seconds: 0.05, cap_seconds: 0.2 };

describe('the dispatcher', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld('delivering');
    await world.startProjector();
  });
  afterEach(async () => {
    await world?.stop();
    expect(world?.failures).toEqual([]);
  });

  it('delivers each event once to each endpoint, byte for byte, with signatures that others accept', async () => {
    const endpoints = [await world.addEndpoint('one'), await world.addEndpoint('two')];
    const json = await world.publish(10);
    // Not text, not JSON, with what a parser would change. Both verifiers read a body as text, and so refuse it.
    const binary = await world.publish(10, (index) => Buffer.from([0xef, 0xbb, 0xbf, 0, 13, 10, 0xff, index]));
    await world.startDispatcher();
    const ended = await world.ended(40);
    expect(ended.every(({ status, attempts }) => status === 'delivered' && attempts === 1)).toBe(true);
    const jsonIds = new Set(json.map(({ id }) => id));
    for (const endpoint of endpoints) {
      const arrivals = world.arrivalsOf(endpoint);
      expect(arrivals).toHaveLength(20);
      expect(new Map(arrivals.map(({ eventId, bodySha256 }) => [eventId, bodySha256]))).toEqual(
        new Map([...json, ...binary].map(({ id, payload }) => [id, sha256(payload)])),
      );
      for (const { eventId, signatures } of arrivals)
        expect(signatures).toEqual({ stripe: jsonIds.has(eventId), standardwebhooks: jsonIds.has(eventId) });
    }
    const completed = await world.postgres.query<{ status: string }>(`SELECT DISTINCT status FROM events`);
    expect(completed).toEqual([{ status: 'completed' }]);
  });

  it('writes down what it sent and what came back, where the endpoint has its own method and headers', async () => {
    const endpoint = await world.addEndpoint('own', {
      method: 'PUT',
      headers: { authorization: 'Bearer very-secret', 'x-team': 'seven', 'user-agent': 'Acme/1.0' },
    });
    const received: ReceivedRequest[] = [];
    world.receiver.react((request) => {
      received.push(request);
      return { status: 200, headers: { 'x-request-id': 'r-1', 'set-cookie': 'a=very-secret' } };
    });
    await world.startDispatcher();
    const [event] = await world.publish(1);
    await world.ended(1);
    const [arrived] = received;
    const { authorization, 'x-team': team, 'user-agent': agent } = arrived!.headers;
    expect([arrived!.method, authorization, team, agent]).toEqual(['PUT', 'Bearer very-secret', 'seven', 'Acme/1.0']);

    const [attempt] = await world.postgres.query<AttemptRow>('SELECT * FROM attempts');
    const ofTheConnection = ['host', 'connection', 'content-length'];
    const sent = Object.fromEntries(
      Object.entries(arrived!.headers).filter(([name]) => !ofTheConnection.includes(name)),
    );
    expect(attempt).toMatchObject({
      request: { method: 'PUT', url: world.receiver.url(endpoint.name) },
      response_headers: { 'x-request-id': 'r-1', 'set-cookie': '***' },
      first_byte_ms: expect.any(Number) as number,
      tls_ms: null,
    });
    expect(attempt!.request!.headers).toEqual({ ...sent, authorization: '***' });
    expect(sent['webhook-id']).toBe(event!.id);
    const whole = await world.postgres.query<{ row: string }>('SELECT attempts::text AS row FROM attempts');
    expect(whole[0]?.row).not.toMatch(/very-secret|whsec_/);
  });

  it('completes an event that no endpoint wants', async () => {
    await world.startDispatcher();
    await world.addEndpoint('too new', {}, { createdAgoMs: 0 });
    const [event] = await world.publish(1);
    await waitUntil('the event is completed', async () => {
      const rows = await world.postgres.query<{ status: string }>('SELECT status FROM events WHERE id = $1', [
        event?.id,
      ]);
      return rows[0]?.status === 'completed';
    });
    expect(await world.deliveries()).toEqual([]);
  });

  it('sends again what failed, through the table, until it is taken', async () => {
    const endpoint = await world.addEndpoint('flaky', { retry: soon });
    world.receiver.react(({ attempt }) => ({ status: attempt < 4 ? 500 : 200 }));
    await world.startDispatcher();
    await world.publish(10);
    const ended = await world.ended(10);
    expect(ended.every(({ status, attempts, step }) => status === 'delivered' && attempts === 4 && step === 4)).toBe(
      true,
    );
    expect(world.arrivalsOf(endpoint)).toHaveLength(40);
    expect(await world.postgres.query('SELECT FROM waiting')).toEqual([]);
  });

  it('waits as long as Retry-After asks', async () => {
    const endpoint = await world.addEndpoint('busy', { retry: soon });
    const retrySlowly = { base_seconds: 0.05, cap_seconds: 5 };
    const patient = await world.addEndpoint('patient', { retry: retrySlowly });
    world.receiver.react(({ attempt }) =>
      attempt === 1 ? { status: 429, headers: { 'retry-after': '4' } } : { status: 200 },
    );
    await world.startDispatcher();
    await world.publish(1);
    await world.ended(2);
    const gapMs = (of: typeof endpoint): number => {
      const [first, second] = world.arrivalsOf(of);
      return (second?.atMs ?? 0) - (first?.atMs ?? 0);
    };
    // Capped by the endpoint's own policy.
    expect(gapMs(endpoint)).toBeLessThan(3_900);
    expect(gapMs(patient)).toBeGreaterThanOrEqual(4_000);
  });

  it('gives up at the end of the window, with a dead letter', async () => {
    await world.addEndpoint('down', { retry: { ...soon, window_seconds: 1 } });
    world.receiver.react(() => ({ status: 503 }));
    await world.startDispatcher();
    await world.publish(3);
    const ended = await world.ended(3);
    expect(ended.every(({ status, attempts }) => status === 'dead_lettered' && attempts > 1)).toBe(true);
    const deadLetters = await waitUntil('three dead letters are known', async () => {
      const rows = await world.postgres.query<{ stage: string; reason: string }>(
        'SELECT stage, reason FROM dead_letters',
      );
      return rows.length >= 3 && rows;
    });
    expect(deadLetters).toEqual(
      Array.from({ length: 3 }, () => ({ stage: 'dispatcher', reason: 'retries_exhausted' })),
    );
  });

  it('disables an endpoint that answers 410, and ends what waits for it', async () => {
    const endpoint = await world.addEndpoint('leaving', {
      max_in_flight: 1,
      retry: { base_seconds: 3_600, cap_seconds: 3_600 },
    });
    let gone = false;
    world.receiver.react(() => ({ status: gone ? 410 : 500 }));
    await world.startDispatcher();
    await world.publish(3);
    await world.standing('retrying', 3);
    gone = true;
    await world.publish(1);
    const ended = await world.ended(4);
    expect(ended.map(({ status, detail }) => [status, detail?.split(':')[0]]).sort()).toEqual([
      ['dead_lettered', 'endpoint_disabled'],
      ['dead_lettered', 'endpoint_disabled'],
      ['dead_lettered', 'endpoint_disabled'],
      ['dead_lettered', 'endpoint_gone'],
    ]);
    expect(world.arrivalsOf(endpoint)).toHaveLength(4);
    const rows = await world.postgres.query<{ disabled_reason: string }>('SELECT disabled_reason FROM endpoints');
    expect(rows).toEqual([{ disabled_reason: 'gone' }]);
  });

  it('cancels what waits for an endpoint that is deleted', async () => {
    const endpoint = await world.addEndpoint('deleted', { retry: { base_seconds: 3_600, cap_seconds: 3_600 } });
    world.receiver.react(() => ({ status: 500 }));
    await world.startDispatcher();
    await world.publish(2);
    await world.standing('retrying', 2);
    await world.postgres.query('UPDATE endpoints SET deleted_at = clock_timestamp(), changed_at = clock_timestamp()');
    const ended = await world.ended(2);
    expect(ended.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(world.arrivalsOf(endpoint)).toHaveLength(2);
  });

  it('buries a delivery of an endpoint that never was', async () => {
    await world.startDispatcher();
    const [event] = await world.publish(1);
    const headers = {
      'hookline-tenant': 'acme',
      'hookline-delivery-id': 'dlv_1',
      'hookline-event-id': event?.id ?? '',
      'hookline-endpoint-id': 'ep_never',
      'hookline-generation': '0',
      'hookline-created-at': '1',
      'hookline-received-at': '1',
    };
    await world.producer.send({ topic: world.topics.deliveries, key: 'ep_never', value: Buffer.from('x'), headers });
    const [ended] = await world.ended(1);
    expect(ended).toMatchObject({ status: 'dead_lettered', detail: 'endpoint_unknown', attempts: 0 });
  });
});
