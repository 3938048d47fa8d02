import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { X509Certificate } from 'node:crypto';
import { createTlsRenewal, readTlsFiles } from '#lib/net';
import { createManualClock, silentLogger } from '#lib/runtime';
import { authority, client, otherAuthority, type KeyPair, renewed, server } from '../ingress/certificates.ts';

const minute = 60_000;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hookline-tls-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

const writeAll = ({ cert, key }: KeyPair, ca: string) => ({
  certFile: write('cert.pem', cert),
  keyFile: write('key.pem', key),
  clientCaFile: write('ca.pem', ca),
});

describe('the TLS files', () => {
  test('are read, for TLS 1.2 and later', () => {
    expect(readTlsFiles(writeAll(server, authority))).toEqual({ ...server, ca: authority, minVersion: 'TLSv1.2' });
  });

  test('that are missing are named, all at once', () => {
    const files = {
      certFile: join(folder, 'a.pem'),
      keyFile: join(folder, 'b.pem'),
      clientCaFile: join(folder, 'c.pem'),
    };
    expect(() => readTlsFiles(files)).toThrow(/a\.pem can’t be read[^]*b\.pem can’t be read[^]*c\.pem can’t be read/);
  });

  test('that don’t fit together are refused', () => {
    const files = writeAll({ cert: server.cert, key: renewed.key }, authority);
    expect(() => readTlsFiles(files)).toThrow(/cert\.pem and .*key\.pem cannot be used for TLS/);
  });

  test.each(['', 'no certificate', authority.replace(/[A-Za-z]{20}/, 'x'), server.key])(
    'of authorities without an authority are refused: %#',
    (ca) => {
      expect(() => readTlsFiles(writeAll(server, ca))).toThrow(/ca\.pem has no certificates that can be read/);
    },
  );

  test('no error quotes a key', () => {
    const files = writeAll({ cert: 'x', key: server.key.slice(0, -40) }, authority);
    const read = (): unknown => readTlsFiles(files);
    expect(read).toThrow(/cannot be used for TLS/);
    expect(read).not.toThrow(/MIG/);
  });
});

describe('a renewal', () => {
  async function serveRenewed() {
    const files = writeAll(server, authority);
    const initial = readTlsFiles(files);
    const https = createServer({ ...initial, requestCert: true, rejectUnauthorized: false });
    https.on('secureConnection', (socket) => socket.end(socket.authorized ? 'authorized' : 'unknown'));
    await new Promise<void>((resolve) => https.listen(0, '127.0.0.1', resolve));
    const clock = createManualClock();
    const errors: unknown[] = [];
    const log = { ...silentLogger, error: (line: object) => void errors.push(line) };
    const ends: number[] = [];
    const onInUse = (endsAtMs: number): void => void ends.push(endsAtMs);
    const renewal = createTlsRenewal({ server: https, files, initial, onInUse, clock, log });
    await renewal.start();

    /** The certificate that a new connection is shown, and the server's view of the client's own. */
    const meet = (): Promise<{ shown: string; told: string }> =>
      new Promise((resolve, reject) => {
        const { port } = https.address() as AddressInfo;
        const options = { host: '127.0.0.1', port, ca: [authority, otherAuthority], servername: 'ingress.test' };
        const socket = connect({ ...options, ...client }, () => {
          const shown = socket.getPeerX509Certificate()?.fingerprint256 ?? '';
          socket.on('data', (told: Buffer) => resolve({ shown, told: told.toString() }));
        });
        socket.on('error', reject);
      });
    const stop = async (): Promise<void> => {
      await renewal.stop();
      await new Promise((resolve) => https.close(resolve));
    };
    return { meet, clock, errors, ends, stop };
  }
  const endOf = ({ cert }: KeyPair): number => Date.parse(new X509Certificate(cert).validTo);
  const fingerprintOf = ({ cert }: KeyPair): string => new X509Certificate(cert).fingerprint256;

  test('is in use within a minute, the authorities of clients too, and so is the one after it', async () => {
    const { meet, clock, errors, stop } = await serveRenewed();
    expect(await meet()).toEqual({ shown: fingerprintOf(server), told: 'authorized' });
    writeAll(renewed, otherAuthority);
    await clock.advance(minute);
    expect(await meet()).toEqual({ shown: fingerprintOf(renewed), told: 'unknown' });
    expect(errors).toEqual([]);
    writeAll(server, authority);
    await clock.advance(minute);
    expect(await meet()).toEqual({ shown: fingerprintOf(server), told: 'authorized' });
    await stop();
  });

  test('that is half done leaves the files before in use, and is taken when it is whole', async () => {
    const { meet, clock, errors, ends, stop } = await serveRenewed();
    expect(ends).toEqual([endOf(server)]);
    write('cert.pem', renewed.cert);
    await clock.advance(minute);
    expect(await meet()).toMatchObject({ shown: fingerprintOf(server) });
    expect(errors).toMatchObject([{ event: 'tls.not_renewed' }]);
    write('key.pem', renewed.key);
    await clock.advance(minute);
    expect(await meet()).toMatchObject({ shown: fingerprintOf(renewed) });
    expect(errors).toHaveLength(1);
    expect(ends).toEqual([endOf(server), endOf(renewed)]);
    await stop();
  });
});
