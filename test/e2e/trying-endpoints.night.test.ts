import { type Receiver, startReceiver } from '../support/receiver.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

interface Answer {
  status: number;
  location: string | null;
  body: Record<string, unknown>;
}

/** `POST /v1/endpoints/{id}/test`, through all that a delivery goes through. */
describe('an endpoint that is tried', () => {
  let pipeline: OwnPipeline;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    pipeline = await startOwnPipeline({ services: ['dispatcher', 'projector', 'api'] });
  });
  afterAll(async () => {
    await pipeline?.close();
    await receiver?.stop();
  });

  async function ask(method: string, path: string, body?: object): Promise<Answer> {
    const { apiUrl, adminKey } = pipeline.stack;
    const response = await fetch(`${apiUrl}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      location: response.headers.get('location'),
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    };
  }

  async function createEndpoint(name: string, settings: object = {}): Promise<string> {
    const { body } = await ask('POST', '/endpoints', { url: receiver.url(name), ...settings });
    const endpoint = { id: String(body['id']), secret: String(body['secret']) };
    receiver.register(name, endpoint);
    return endpoint.id;
  }

  async function tryOut(id: string, given?: object) {
    const answer = await ask('POST', `/endpoints/${id}/test`, given);
    return { ...answer, eventId: String(answer.body['event_id']) };
  }

  /** Until a first attempt ends while the API waits for it, which it does for some seconds. */
  const tryUntilAnswered = (id: string) =>
    waitUntil('a first attempt is the answer', async () => {
      const tried = await tryOut(id);
      return tried.status !== 202 && tried;
    });

  const arrivalsOf = (eventId: string) => receiver.arrivals.filter((arrival) => arrival.eventId === eventId);

  const arrived = (eventId: string, times: number) =>
    waitUntil(`the sample has come ${times} times`, () => arrivalsOf(eventId).length === times);

  it('is sent a signed sample, whatever it subscribes to, and the first attempt is the answer', () =>
    pipeline.explain(async () => {
      const id = await createEndpoint('well', { event_types: ['order.*'] });
      const { status, location, body, eventId } = await tryUntilAnswered(id);

      expect(status).toBe(200);
      expect(body['attempt']).toMatchObject({ attempt: 1, outcome: 'delivered', http_status: 200 });
      expect(location).toBe(`/v1/deliveries/${String(body['delivery_id'])}`);
      expect(arrivalsOf(eventId)).toMatchObject([
        { endpointId: id, signatures: { stripe: true, standardwebhooks: true } },
      ]);
      const event = await ask('GET', `/events/${eventId}`);
      expect(event.body).toMatchObject({
        type: 'hookline.test',
        source_id: 'hookline',
        payload: { type: 'hookline.test', endpoint_id: id },
      });
    }));

  it('is sent the payload that it is to be tried with, exactly', () =>
    pipeline.explain(async () => {
      const id = await createEndpoint('own payload');
      const payload = { id: 'ord_1', lines: [1, 2.5, null], note: 'ünï\u2028' };
      const { eventId } = await tryOut(id, { type: 'order.paid', payload });
      const event = await ask('GET', `/events/${eventId}`);
      expect(event.body).toMatchObject({ type: 'order.paid', payload });
    }));

  it('shows what went wrong, and is tried again as with any event', () =>
    pipeline.explain(async () => {
      receiver.react(({ attempt }) => ({ status: attempt === 1 ? 500 : 200 }));
      const id = await createEndpoint('ill at first', { retry: { base_seconds: 0.1, cap_seconds: 0.1 } });
      const { status, body, eventId } = await tryUntilAnswered(id);

      expect([status, body['attempt']]).toMatchObject([200, { attempt: 1, outcome: 'http_5xx', http_status: 500 }]);
      await arrived(eventId, 2);
    }));

  it('is not sent anything where it is disabled, deleted or unknown', () =>
    pipeline.explain(async () => {
      const id = await createEndpoint('closed');
      await ask('POST', `/endpoints/${id}/disable`);
      expect((await tryOut(id)).status).toBe(409);
      await ask('DELETE', `/endpoints/${id}`);
      expect((await tryOut(id)).status).toBe(410);
      expect((await tryOut('ep_00000000000000000000000000')).status).toBe(404);
      expect(receiver.arrivals.filter(({ endpointId }) => endpointId === id)).toEqual([]);
    }));

  it('is answered with 202 and the event where no dispatcher is there to send', () =>
    pipeline.explain(async () => {
      const id = await createEndpoint('later', { timeout_ms: 100 });
      await pipeline.stopService('dispatcher');
      const { status, location, body, eventId } = await tryOut(id);
      expect([status, location, body['attempt']]).toEqual([202, `/v1/events/${eventId}/deliveries`, null]);
      await pipeline.startService('dispatcher');
      await arrived(eventId, 1);
    }));
});
