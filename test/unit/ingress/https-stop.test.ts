import type { AddressInfo } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { createHttpServer } from '#lib/net';
import { waitUntil } from '../../support/wait-until.ts';
import { authority, server } from './certificates.ts';
import { closeApps, createHarness, signed } from './harness.ts';
import { connectRaw } from './raw-client.ts';

afterEach(closeApps);
const body = '{"id":"evt_1"}';

/** A stop that waits for a handshake waits ten seconds. */
test('a stop of a server with TLS answers what is in flight, and waits for no handshake', async () => {
  const harness = createHarness({
    deps: { tls: { ...server, ca: authority, minVersion: 'TLSv1.2', requestCert: true, rejectUnauthorized: false } },
  });
  const https = createHttpServer({ app: harness.app, host: '127.0.0.1', port: 0 });
  await https.start();
  const { port } = harness.app.server.address() as AddressInfo;
  const silent = await connectRaw(port);
  const client = await new Promise<TLSSocket>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca: authority, servername: 'ingress.test' });
    socket.once('secureConnect', () => resolve(socket)).once('error', reject);
  });
  let received = '';
  client.on('data', (bytes: Buffer) => (received += bytes.toString()));
  harness.producer.hold();
  const headers = `host: a\r\nhookline-signature: ${signed(body)['hookline-signature']}\r\ncontent-length: ${body.length}`;
  client.write(`POST /v1/webhooks/${harness.source.id} HTTP/1.1\r\n${headers}\r\n\r\n${body}`);
  await waitUntil('it is produced', () => harness.producer.records.length === 1, { everyMs: 5 });

  const beganAtMs = performance.now();
  const stopped = https.stop();
  harness.producer.release();
  await stopped;
  await silent.closed;
  expect(performance.now() - beganAtMs).toBeLessThan(3_000);
  await waitUntil('the answer has come', () => / 202 Accepted[^]*"rcp_/.test(received), { everyMs: 5 });
  client.destroy();
});
