import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { provideTools } from '#deploy/local/install/install.ts';
import { createKafka } from '#deploy/local/servers/kafka.ts';
import { createProcesses } from '#deploy/local/processes/processes.ts';
import { provideServerJars } from '#deploy/local/servers/servers.ts';
import { java } from '#deploy/local/install/tools.ts';
import { kafkaFields, readConfig } from '#lib/config';
import {
  createConsumer,
  createProducer,
  createTopics,
  type IncomingRecord,
  type KafkaAccess,
  kafkaAccess,
} from '#lib/kafka';
import { silentLogger as log, systemClock as clock } from '#lib/runtime';
import { startOrphanReaper } from '../../support/orphan-reaper.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { authority, broker, client } from './certificates.ts';
import { noneUndecodable } from '../../support/none-undecodable.ts';

const password = 'a "password", with; odd=characters';
const dir = mkdtempSync(join(tmpdir(), 'hookline-secured-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};
const caFile = file('authority.pem', authority);
const certFile = file('client.pem', client.cert);
const keyFile = file('client-key.pem', client.key);
const otherCaFile = file('other.pem', client.cert);

let bootstrap: Record<'secure' | 'mutual', string>;
let stop: () => Promise<void>;

/** One broker, that is spoken to over TLS: by name and password, or by a certificate. */
beforeAll(async () => {
  const say = (line: string): void => console.error(line);
  const programs = await provideTools({ java }, say);
  const jars = await provideServerJars(programs.java, say);
  const [port = 0, controllerPort = 0, secure = 0, mutual = 0] = await freePorts(4);
  const store = { 'ssl.keystore.type': 'PEM', 'ssl.truststore.type': 'PEM', 'ssl.truststore.location': caFile };
  const tls = { ...store, 'ssl.keystore.location': file('broker.pem', `${broker.key}${broker.cert}`) };
  const modules = 'org.apache.kafka.common.security';
  const quoted = password.replaceAll(/["\\]/g, '\\\\$&');
  const kafka = createKafka({
    dir,
    brokers: [
      {
        id: 1,
        port,
        controllerPort,
        listeners: [
          { name: 'SECURE', port: secure, advertisedPort: secure },
          { name: 'MUTUAL', port: mutual, advertisedPort: mutual },
        ],
      },
    ],
    processes: createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') }),
    java: programs.java,
    jars: jars.kafka,
    shortLived: true,
    scramUsers: ['256', '512'].map((bits) => `SCRAM-SHA-${bits}=[name=scrammed,password=secret]`),
    settings: {
      'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL,MUTUAL:SSL',
      ...tls,
      'listener.name.mutual.ssl.client.auth': 'required',
      'listener.name.secure.sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      'listener.name.secure.plain.sasl.jaas.config': `${modules}.plain.PlainLoginModule required user_hookline="${quoted}";`,
      'listener.name.secure.scram-sha-256.sasl.jaas.config': `${modules}.scram.ScramLoginModule required;`,
      'listener.name.secure.scram-sha-512.sasl.jaas.config': `${modules}.scram.ScramLoginModule required;`,
    },
  });
  const reaper = startOrphanReaper();
  await kafka.start();
  reaper.watch(kafka.pid(1) ?? 0);
  stop = async () => {
    await kafka.kill(1);
    reaper.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  bootstrap = { secure: `127.0.0.1:${secure}`, mutual: `127.0.0.1:${mutual}` };
});
afterAll(() => stop?.());

const open = { ...readConfig(kafkaFields, {}), kafkaTls: true, kafkaTlsCaFile: caFile };
type Given = Parameters<typeof kafkaAccess>[0];
const byPassword = (mechanism: Given['kafkaSaslMechanism'], username: string, secret: string): Given => ({
  ...open,
  kafkaSaslMechanism: mechanism,
  kafkaSaslUsername: username,
  kafkaSaslPassword: secret,
});
const byCertificate: Given = { ...open, kafkaTlsCertFile: certFile, kafkaTlsKeyFile: keyFile };
const secure = (given: Given): KafkaAccess => kafkaAccess({ ...given, kafkaBrokers: [bootstrap.secure] });
const mutual = (given: Given): KafkaAccess => kafkaAccess({ ...given, kafkaBrokers: [bootstrap.mutual] });

const ways: [name: string, access: () => KafkaAccess][] = [
  ['plain', () => secure(byPassword('plain', 'hookline', password))],
  ['scram-sha-256', () => secure(byPassword('scram-sha-256', 'scrammed', 'secret'))],
  ['scram-sha-512', () => secure(byPassword('scram-sha-512', 'scrammed', 'secret'))],
  ['certificate', () => mutual(byCertificate)],
];

test.each(ways)('a topic is created, written and read over TLS: %s', async (name, accessOf) => {
  const access = accessOf();
  await createTopics(access, [{ name, partitions: 1, replicationFactor: 1 }], { clock, log });
  const common = { ...access, clientId: 'secured', clock, log };
  const producer = createProducer({ ...common, metrics: new Registry() });
  await producer.start();
  const records: IncomingRecord[] = [];
  const consumer = createConsumer({
    ...common,
    groupId: `group-${name}`,
    topics: [name],
    metrics: new Registry(),
    onUndecodable: noneUndecodable,
    handle: async (given) => {
      records.push(...given);
      for (const record of given) record.done();
    },
    onFailure: (error) => console.error(error),
  });
  await consumer.start();
  try {
    await producer.send({ topic: name, key: 'k', value: Buffer.from('over TLS'), headers: { a: 'b' } });
    await waitUntil('it is read', () => records.length > 0);
    expect(records.map(({ value, headers }) => [value.toString(), headers])).toEqual([['over TLS', { a: 'b' }]]);
  } finally {
    await Promise.all([consumer.stop(), producer.stop()]);
  }
});

const refusedWays: [why: string, access: () => KafkaAccess, says: RegExp][] = [
  ['the password is wrong', () => secure(byPassword('plain', 'hookline', 'wrong')), /authentication failed/i],
  ['the user is unknown', () => secure(byPassword('scram-sha-512', 'nobody', 'secret')), /authentication failed/i],
  [
    'the broker’s certificate is of another authority',
    () => secure({ ...byPassword('plain', 'hookline', password), kafkaTlsCaFile: otherCaFile }),
    /certificate/i,
  ],
  ['the broker asks for a certificate, and there is none', () => mutual(open), /certificate|disconnect|closed/i],
];

test.each(refusedWays)('says so where %s', async (_why, accessOf, says) => {
  const options = { clock, log, timeoutMs: 2_000 };
  const creating = createTopics(accessOf(), [{ name: 'refused', partitions: 1, replicationFactor: 1 }], options);
  await expect(creating).rejects.toMatchObject({
    code: 'kafka_unavailable',
    message: expect.stringMatching(says) as string,
  });
});

test('a producer that is refused says why, and its records are not taken for written', async () => {
  const warnings: unknown[] = [];
  const producer = createProducer({
    ...secure(byPassword('plain', 'hookline', 'wrong')),
    clientId: 'secured',
    clock,
    log: { ...log, warn: (line: object) => void warnings.push(line) },
    metrics: new Registry(),
    deliveryTimeoutMs: 1_000,
  });
  await producer.start();
  const sending = producer.send({ topic: 'plain', key: null, value: Buffer.from('a'), headers: {} });
  await expect(sending).rejects.toMatchObject({ code: 'kafka_unavailable' });
  expect(JSON.stringify(warnings)).toMatch(/authentication failed/i);
  await producer.stop();
});
