import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createManualClock } from '#lib/runtime';
import { createTokenSource } from '../../../libs/kafka/oauth-token.ts';

const none = {
  kafkaOauthTokenFile: '',
  kafkaOauthTokenUrl: '',
  kafkaOauthClientId: 'hook:line',
  kafkaOauthClientSecret: 's/cret',
  kafkaOauthScope: '',
};

describe('from a file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'hookline-token-'));
  const file = join(dir, 'token');
  afterAll(() => rmSync(dir, { recursive: true }));

  test('a token is read anew each time, without what stands around it', async () => {
    writeFileSync(file, 'one\n');
    const token = createTokenSource({ ...none, kafkaOauthTokenFile: file });
    expect(await token()).toEqual({ value: 'one' });
    writeFileSync(file, 'two');
    expect(await token()).toEqual({ value: 'two' });
    writeFileSync(file, '');
    await expect(token()).rejects.toThrow(`${file} is empty`);
  });

  test('a file that is not there is reported at the start', () => {
    expect(() => createTokenSource({ ...none, kafkaOauthTokenFile: join(dir, 'none') })).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringMatching(/none/) as string }) as Error,
    );
  });
});

describe('from a URL', () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const asked: { authorization: string | undefined; body: string }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push({ authorization: request.headers.authorization, body });
      answer(request, response);
    });
  });
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => void asked.splice(0));
  const says = (status: number, body: unknown): void => {
    answer = (_request, response) => void response.writeHead(status).end(JSON.stringify(body));
  };
  const settings = () => ({ ...none, kafkaOauthTokenUrl: url });

  test('a token is asked for with the credentials of the client, and used for most of its life', async () => {
    const clock = createManualClock();
    const token = createTokenSource({ ...settings(), kafkaOauthScope: 'kafka' }, clock);
    says(200, { access_token: 'one', expires_in: 100 });
    expect(await Promise.all([token(), token()])).toEqual([{ value: 'one' }, { value: 'one' }]);
    expect(asked).toEqual([
      {
        authorization: `Basic ${Buffer.from('hook%3Aline:s%2Fcret').toString('base64')}`,
        body: 'grant_type=client_credentials&scope=kafka',
      },
    ]);
    says(200, { access_token: 'two', expires_in: 100 });
    await clock.advance(79_000);
    expect(await token()).toEqual({ value: 'one' });
    await clock.advance(2_000);
    expect(await token()).toEqual({ value: 'two' });
  });

  test.each([
    [401, { error: 'invalid_client', error_description: 's/cret' }, /answered 401 invalid_client$/],
    [500, 'secret text', /answered 500$/],
    [200, { access_token: 7 }, /answered 200$/],
  ])('%d is no token: it says so without what was sent or answered', async (status, body, message) => {
    says(status, body);
    const failure = await createTokenSource(settings())().catch((error: unknown) => error as Error);
    expect((failure as Error).message).toMatch(message);
    expect((failure as Error).message).not.toMatch(/cret/);
  });

  test('a token that lives no longer than a session should last is used once', async () => {
    const clock = createManualClock();
    const token = createTokenSource(settings(), clock);
    says(200, { access_token: 'one', expires_in: 15 });
    await token();
    says(200, { access_token: 'two', expires_in: 15 });
    expect(await token()).toEqual({ value: 'two' });
  });

  test('after a failure it asks again', async () => {
    const token = createTokenSource(settings());
    says(503, {});
    await expect(token()).rejects.toThrow(/answered 503/);
    says(200, { access_token: 'one' });
    expect(await token()).toEqual({ value: 'one' });
  });
});
