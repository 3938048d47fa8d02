import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAvroCodec } from '#lib/kafka';
import { silentLogger as log, systemClock as clock } from '#lib/runtime';

const schema = { type: 'record', name: 'Named', fields: [{ name: 'name', type: 'string' }] };
const password = 'p@ss/wörd';
const expected = `Basic ${Buffer.from(`user:${password}`).toString('base64')}`;

async function withRegistry(run: (host: string) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    if (request.headers.authorization !== expected) return response.writeHead(401).end('{"message":"who are you?"}');
    const isLookUp = request.method === 'POST' && request.url === '/api/subjects/named-value';
    const found = isLookUp ? { id: 7 } : { schema: JSON.stringify(schema), schemaType: 'AVRO' };
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(found));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await run(`127.0.0.1:${(server.address() as AddressInfo).port}/api/`);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
const codecAt = (registryUrl: string) =>
  createAvroCodec<{ name: string }>({ registryUrl, topic: 'named', schema, clock, log, startTimeoutMs: 0 });

test('a registry that asks for user and password gets those of its URL, with every request', async () => {
  await withRegistry(async (host) => {
    const codec = codecAt(`http://user:${encodeURIComponent(password)}@${host}`);
    await codec.start();
    expect(await codec.decode(codec.encode({ name: 'a' }))).toEqual({ name: 'a' });
  });
});

test('a registry that does not know us is named as that, and the password nowhere', async () => {
  await withRegistry(async (host) => {
    for (const registryUrl of [`http://${host}`, `http://user:wrong-one@${host}`]) {
      const refusal: unknown = await codecAt(registryUrl)
        .start()
        .catch((error: unknown) => error);
      expect(refusal).toMatchObject({
        code: 'registry_unavailable',
        message: expect.stringContaining('answers 401') as string,
      });
      expect(String(refusal)).not.toContain('wrong-one');
    }
  });
  await expect(codecAt('http://user:wrong-one@127.0.0.1:1').start()).rejects.toThrow(
    /^(?!.*wrong-one).*does not answer/,
  );
});
