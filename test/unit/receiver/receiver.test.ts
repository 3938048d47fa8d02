import { generateSecret } from '#lib/signatures';
import {
  createReceiver,
  type OnceStore,
  type ReceiverOptions,
  type WebhookHandler,
} from '../../../packages/receiver/src/index.ts';
import { signAsStandardWebhooks } from '../../support/sign-webhook.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createFakeStore, type Entries } from './fake-once-store.ts';

const secret = generateSecret();
const body = Buffer.from('{}');
const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
const requestOf = (id: string) => ({ headers: signAsStandardWebhooks(secret, body, id, nowSeconds()), body });

function setUp(options: Partial<ReceiverOptions> = {}) {
  const errors: unknown[] = [];
  const receiver = createReceiver({ secrets: [secret], onError: (error) => errors.push(error), ...options });
  return { errors, receive: (id: string, handler: WebhookHandler) => receiver.receive(requestOf(id), handler) };
}

const unavailable = async (): Promise<never> => Promise.reject(new Error('no connection'));

/** A handler that ends when it is told to. */
function heldHandler() {
  let ended: (error?: Error) => void = () => undefined;
  const began = Promise.withResolvers<void>();
  const handler = jest.fn<Promise<void>, Parameters<WebhookHandler>>(
    () =>
      new Promise((resolve, reject) => {
        ended = (error) => (error === undefined ? resolve() : reject(error));
        began.resolve();
      }),
  );
  return { handler, began: began.promise, end: (error?: Error) => ended(error) };
}

describe('a receiver', () => {
  test('answers 204 after the handler, and 500 where it throws', async () => {
    const { receive, errors } = setUp();
    const handler = jest.fn();
    expect(await receive('a', handler)).toEqual({ status: 204, headers: {}, body: '' });
    expect(handler).toHaveBeenCalledTimes(1);
    const failure = new Error('disk full');
    const reply = await receive('a', () => Promise.reject(failure));
    expect(reply.status).toBe(500);
    expect(reply.body).not.toContain('disk full');
    expect(errors).toEqual([failure]);
  });

  test.each([
    ['signature_missing', 401, {}],
    ['signature_malformed', 400, { ...requestOf('a').headers, 'webhook-timestamp': 'x' }],
    ['signature_invalid', 401, signAsStandardWebhooks(generateSecret(), body, 'a', nowSeconds())],
    ['timestamp_out_of_tolerance', 401, signAsStandardWebhooks(secret, body, 'a', nowSeconds() - 1_000)],
  ])('answers a problem with the code %s, and calls no handler', async (code, status, headers) => {
    const handler = jest.fn();
    const receiver = createReceiver({ secrets: [secret], once: createFakeStore() });
    const reply = await receiver.receive({ headers, body }, handler);
    expect([reply.status, reply.headers['content-type']]).toEqual([status, 'application/problem+json']);
    expect(JSON.parse(reply.body)).toMatchObject({ status, code });
    expect(handler).not.toHaveBeenCalled();
  });

  test('answers 413 to a body above its limit', async () => {
    const receiver = createReceiver({ secrets: [secret], maxBodyBytes: 1 });
    expect((await receiver.receive(requestOf('a'), jest.fn())).status).toBe(413);
  });

  test('has a signed id where it accepts once', () => {
    expect(() => createReceiver({ secrets: [secret], scheme: 'hookline', once: createFakeStore() })).toThrow(
      'signed id',
    );
  });
});

describe('accept-once', () => {
  test('has one webhook handled once, however often it comes', async () => {
    const { receive } = setUp({ once: createFakeStore() });
    const handler = jest.fn();
    for (let time = 0; time < 3; time++) expect((await receive('a', handler)).status).toBe(204);
    await receive('b', handler);
    expect(handler.mock.calls.map(([webhook]) => (webhook as { id: string }).id)).toEqual(['a', 'b']);
  });

  test('answers 503 with Retry-After while it is being handled: the first handler may still fail', async () => {
    const { receive } = setUp({ once: createFakeStore({ leaseSeconds: 30 }) });
    const { handler, began, end } = heldHandler();
    const first = receive('a', handler);
    await began;
    const second = await receive('a', handler);
    expect([second.status, second.headers['retry-after']]).toEqual([503, '30']);
    end();
    expect((await first).status).toBe(204);
    expect((await receive('a', handler)).status).toBe(204);
    expect(handler).toHaveBeenCalledTimes(1);
  });

  test('(mutant) a receiver that answers 2xx while it is being handled loses what the first handler fails', async () => {
    // The store of a mutant: leased counts as done.
    const store = createFakeStore();
    const mutant: OnceStore = {
      ...store,
      claim: async (id, token) => {
        const claim = await store.claim(id, token);
        return claim.state === 'leased' ? { state: 'done' } : claim;
      },
    };
    const isLost = async (once: OnceStore): Promise<boolean> => {
      const { receive } = setUp({ once });
      const { handler, began, end } = heldHandler();
      const first = receive('a', handler);
      await began;
      const isAnswered = (await receive('a', handler)).status < 300;
      end(new Error('failed'));
      await first;
      return isAnswered;
    };
    expect([await isLost(mutant), await isLost(createFakeStore())]).toEqual([true, false]);
  });

  test('can be handled again at once after a handler that failed', async () => {
    const { receive, errors } = setUp({ once: createFakeStore() });
    expect((await receive('a', () => Promise.reject(new Error('first')))).status).toBe(500);
    const handler = jest.fn();
    expect((await receive('a', handler)).status).toBe(204);
    expect([handler.mock.calls.length, errors.length]).toEqual([1, 1]);
  });

  test('can be handled again after the lease of a process that died', async () => {
    const entries: Entries = new Map();
    const dead = setUp({ once: createFakeStore({ leaseSeconds: 0.05 }, entries) });
    const { handler, began } = heldHandler();
    void dead.receive('a', handler);
    await began;
    const [, signal] = handler.mock.calls[0] ?? [];
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    const next = jest.fn();
    const { receive } = setUp({ once: createFakeStore({}, entries) });
    // It is told of a moment before, so that nobody else has begun by then.
    await waitUntil('the lease has ended', async () => (await receive('a', next)).status === 204, { everyMs: 5 });
    expect(next).toHaveBeenCalledTimes(1);
  });

  test('calls no handler while the store is away, and has the sender come again', async () => {
    const once: OnceStore = { leaseMs: 60_000, claim: unavailable, complete: unavailable, release: unavailable };
    const { receive, errors } = setUp({ once });
    const handler = jest.fn();
    const reply = await receive('a', handler);
    expect([reply.status, reply.headers['retry-after']]).toEqual([503, '5']);
    expect([handler.mock.calls.length, errors.length]).toEqual([0, 1]);
  });

  test('answers 204 where only the store fails after the handler: any other answer would repeat it', async () => {
    const { receive, errors } = setUp({ once: { ...createFakeStore(), complete: unavailable } });
    expect((await receive('a', jest.fn())).status).toBe(204);
    expect(errors).toHaveLength(1);
  });
});
