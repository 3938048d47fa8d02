import { createHmac, hash } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { httpPost } from '../../support/http-post.ts';
import { failing, type Receiver, startReceiver } from '../../support/receiver.ts';
import { createSender, type Sender } from '../../support/sender.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { signAsHookline } from '../../support/sign-webhook.ts';
import { waitUntil } from '../../support/wait-until.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = Buffer.from('{"id":"1"}');
const webhook = { identity: 'webhook-1', body, headers: {} };
/** For requests that are never answered. All others have the time that a busy machine may take. */
const hangTimeoutMs = 500;
const timeoutMs = 10_000;

describe('the receiver', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
    receiver.register('first', { id: 'ep_1', secret });
  });
  afterEach(() => receiver.stop());

  const deliver = (headers: Record<string, string>, withinMs = timeoutMs) =>
    httpPost({ url: receiver.url('first'), headers, body, timeoutMs: withinMs });

  it('writes down an arrival, and that both outside verifiers accept its signatures', async () => {
    const answer = await deliver(deliveryHeaders(secret));

    expect(answer.status).toBe(200);
    expect(receiver.arrivals).toEqual([
      {
        endpointId: 'ep_1',
        eventId: 'evt_1',
        attempt: 2,
        signedAtMs: expect.any(Number) as number,
        atMs: expect.any(Number) as number,
        bodySha256: hash('sha256', body),
        answered: 200,
        answeredAtMs: expect.any(Number) as number,
        signatures: { stripe: true, standardwebhooks: true },
      },
    ]);
  });

  it.each([
    ['another secret', deliveryHeaders('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')],
    ['an old timestamp', deliveryHeaders(secret, Math.floor(Date.now() / 1000) - 400)],
    ['no signature at all', { 'webhook-id': 'evt_1' }],
  ])('writes down that both refuse %s', async (_what, headers) => {
    await deliver(headers);

    expect(receiver.arrivals[0]?.signatures).toEqual({ stripe: false, standardwebhooks: false });
  });

  it('writes down how it answered, or that it did not', async () => {
    const reactions = [{ status: 503 }, 'reset', 'hang'] as const;
    const ends: unknown[] = [];
    for (const reaction of reactions) {
      receiver.react(() => reaction);
      ends.push(
        await deliver({}, reaction === 'hang' ? hangTimeoutMs : timeoutMs).then(
          ({ status }) => status,
          (error: NodeJS.ErrnoException) => error.code,
        ),
      );
    }

    expect(ends).toEqual([503, 'ECONNRESET', 'ETIMEDOUT']);
    // The last may have been given up before it was read.
    await waitUntil('all have arrived', () => receiver.arrivals.length === reactions.length);
    expect(receiver.arrivals.map(({ answered }) => answered)).toEqual([503, null, null]);
  });

  it('fails the same requests again where it has the same seed', () => {
    const statuses = (seed: number): number[] => {
      const react = failing(0.3, 500, seededRandom(seed));
      return Array.from({ length: 50 }, () => react()).map((reaction) => (reaction as { status: number }).status);
    };

    expect(statuses(7)).toEqual(statuses(7));
    expect(statuses(7)).not.toEqual(statuses(8));
    expect(new Set(statuses(7))).toEqual(new Set([200, 500]));
  });
});

describe('the sender', () => {
  let server: Server;
  let answer: RequestListener;
  let ingestUrl: string;
  let sender: Sender;
  const startSender = (withinMs: number): Sender =>
    createSender({ ingestUrl, sourceId: 'src_1', random: seededRandom(1), timeoutMs: withinMs });
  beforeEach(async () => {
    server = createServer((request, response) => answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    ingestUrl = `http://127.0.0.1:${port}/`;
    sender = startSender(timeoutMs);
  });
  afterEach(async () => {
    sender.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it.each<[string, RequestListener, object]>([
    ['a 2xx as done', json(202, { id: 'rcp_1' }), { outcome: 'ok', status: 202, receiptId: 'rcp_1' }],
    ['a 4xx as refused', json(401, { code: 'signature_invalid' }), { outcome: 'fail', detail: 'signature_invalid' }],
    ['a 5xx as unknown', json(503, { code: 'unavailable' }), { outcome: 'info', status: 503, receiptId: null }],
    ['a lost connection as unknown', (request) => request.socket.destroy(), { outcome: 'info', detail: 'ECONNRESET' }],
  ])('takes %s', async (_what, respond, expected) => {
    answer = respond;

    expect(await sender.send(webhook)).toMatchObject({ identity: 'webhook-1', ...expected });
  });

  it('takes no answer in time as unknown', async () => {
    answer = () => undefined;
    sender = startSender(hangTimeoutMs);
    expect(await sender.send(webhook)).toMatchObject({ identity: 'webhook-1', outcome: 'info', detail: 'ETIMEDOUT' });
  });

  it('sends again until it is told, and logs every attempt with a trace of its own', async () => {
    const answers = [json(503, {}), json(202, { id: 'rcp_1' })];
    const traces: unknown[] = [];
    answer = (request, response) => {
      traces.push(request.headers.traceparent);
      answers.shift()?.(request, response);
    };
    const result = await sender.sendUntilAnswered(webhook, timeoutMs);

    expect(result.outcome).toBe('ok');
    expect(sender.log.map(({ number, outcome }) => [number, outcome])).toEqual([
      [0, 'info'],
      [1, 'ok'],
    ]);
    expect(new Set(traces).size).toBe(2);
    expect(traces[1]).toMatch(new RegExp(`^00-${sender.log[1]?.traceId}-[0-9a-f]{16}-01$`));
  });
});

/** The headers of a delivery that are verified, as the contract has them. */
function deliveryHeaders(key: string, unixSeconds = Math.floor(Date.now() / 1000)): Record<string, string> {
  const standardKey = Buffer.from(key.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', standardKey).update(`evt_1.${unixSeconds}.`).update(body).digest('base64');
  return {
    ...signAsHookline(key, body, unixSeconds),
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(unixSeconds),
    'webhook-signature': `v1,${signature}`,
    'hookline-attempt': '2',
  };
}

function json(status: number, content: object): RequestListener {
  return (_request, response) => response.writeHead(status).end(JSON.stringify(content));
}
