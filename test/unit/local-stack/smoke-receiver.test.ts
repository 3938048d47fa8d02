import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { startSmokeReceiver, type SmokeReceiver } from '#deploy/local/smoke/smoke-receiver.ts';
import { signHookline } from '#lib/signatures';

const secret = 'whsec_c21va2U=';
const body = '{"id":"1"}';

describe("the smoke's receiver", () => {
  let receiver: SmokeReceiver;

  beforeEach(async () => {
    const [port = 0] = await freePorts(1);
    receiver = await startSmokeReceiver({ port: port, path: '/here', host: '127.0.0.1', listenOn: ['127.0.0.1'] });
    receiver.expect(secret);
  });
  afterEach(() => receiver.stop());

  const deliver = (signature: string, url = receiver.url) =>
    fetch(url, {
      method: 'POST',
      body,
      headers: { 'hookline-signature': signature, 'webhook-id': 'evt_1', 'hookline-attempt': '1' },
    });

  it('takes what is signed with the secret of its endpoint', async () => {
    const answer = await deliver(signHookline({ secret, timestampSeconds: 1_700_000_000, body }));
    expect(answer.status).toBe(204);
    expect(receiver.arrivalOf(body)).toMatchObject({ eventId: 'evt_1', attempt: '1', verified: true });
    expect(receiver.arrivalOf('{"id":"2"}')).toBeUndefined();
  });

  it.each([
    ['with another secret', signHookline({ secret: 'whsec_b3RoZXI=', timestampSeconds: 1_700_000_000, body })],
    ['over another body', signHookline({ secret, timestampSeconds: 1_700_000_000, body: '{}' })],
    ['not at all', ''],
  ])('refuses, and says so, what is signed %s', async (_how, signature) => {
    const answer = await deliver(signature);
    expect(answer.status).toBe(400);
    expect(receiver.arrivalOf(body)).toMatchObject({ verified: false });
  });

  it('has endpoints disabled that nobody remembers', async () => {
    const answer = await deliver('', receiver.url.replace('/here', '/an-earlier-one'));
    expect(answer.status).toBe(410);
  });
});
