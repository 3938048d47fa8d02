import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaFields, readConfig } from '#lib/config';
import { kafkaAccess } from '#lib/kafka';
import { authority, client } from '../../integration/kafka/certificates.ts';

const dir = mkdtempSync(join(tmpdir(), 'hookline-access-'));
afterAll(() => rmSync(dir, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};

const none = { ...readConfig(kafkaFields, {}), kafkaBrokers: ['a:9092', 'b:9092'] };
const over = { ...none, kafkaTls: true };

test('by default brokers are spoken to as they are: no TLS, nobody in particular', () => {
  expect(kafkaAccess(none)).toMatchObject({ brokers: ['a:9092', 'b:9092'], tls: undefined, sasl: undefined });
});

test('TLS without files trusts the public authorities, and nothing older than 1.2', () => {
  expect(kafkaAccess(over).tls?.options()).toEqual({ minVersion: 'TLSv1.2' });
});

test('files that are missing or no PEM are named, without what is in them', () => {
  const wrong = file('wrong.pem', 'secret text');
  const key = file('key.pem', client.key);
  for (const [given, says] of [
    [{ kafkaTlsCaFile: join(dir, 'none.pem') }, /none\.pem can’t be read/],
    [{ kafkaTlsCaFile: wrong }, /wrong\.pem has no certificate/],
    [{ kafkaTlsCertFile: wrong, kafkaTlsKeyFile: key }, /wrong\.pem.* cannot be used for TLS/],
  ] as const) {
    expect(() => kafkaAccess({ ...over, ...given })).toThrow(says);
    expect(() => kafkaAccess({ ...over, ...given })).not.toThrow(/secret text/);
  }
});

test('renewed files are in use from the next connection on; in the middle of a renewal those before are', () => {
  const caFile = file('ca.pem', authority);
  const { tls } = kafkaAccess({ ...over, kafkaTlsCaFile: caFile });
  expect(tls?.options().ca).toBe(authority);
  file('ca.pem', '');
  expect(tls?.options().ca).toBe(authority);
  file('ca.pem', client.cert);
  expect(tls?.options().ca).toBe(client.cert);
});

test('only equal settings are the same access, and their secrets can’t be read in it', () => {
  const scram = {
    ...none,
    kafkaSaslMechanism: 'scram-sha-256',
    kafkaSaslUsername: 'one',
    kafkaSaslPassword: 'secret text',
  } as const;
  const all = [none, scram, { ...scram, kafkaSaslUsername: 'two' }, { ...scram, kafkaSaslPassword: 'another' }];
  const identities = [...all, { ...none, kafkaBrokers: ['a:9092'] }].map((each) => kafkaAccess(each).identity);
  expect(new Set(identities).size).toBe(identities.length);
  expect(kafkaAccess({ ...scram }).identity).toBe(identities[1]);
  // Services differ in this, and it is no part of the access.
  expect(kafkaAccess({ ...scram, topicPrefix: 'other.' } as typeof scram).identity).toBe(identities[1]);
  expect(JSON.stringify(kafkaAccess(scram).identity)).not.toContain('secret text');
});
