import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { provideTools } from '#deploy/local/install/install.ts';
import { createKafka } from '#deploy/local/servers/kafka.ts';
import { createProcesses } from '#deploy/local/processes/processes.ts';
import { provideServerJars } from '#deploy/local/servers/servers.ts';
import { java } from '#deploy/local/install/tools.ts';
import { kafkaFields, kafkaRelations, readConfig } from '#lib/config';
import { createConsumer, createProducer, createTopics, type KafkaAccess, kafkaAccess } from '#lib/kafka';
import { silentLogger as log, systemClock as clock } from '#lib/runtime';
import { startOrphanReaper } from '../../support/orphan-reaper.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { noneUndecodable } from '../../support/none-undecodable.ts';

const dir = mkdtempSync(join(tmpdir(), 'hookline-oauth-'));
const tokenFile = join(dir, 'token');
let bootstrap: string;
let stop: () => Promise<void>;
let issuer: Server;
let granted = 0;

/** Unsigned, as the broker's own validator for trials takes it. */
function tokenFor(seconds: number, subject = 'hookline'): string {
  const now = Math.floor(Date.now() / 1000);
  const part = (claims: object): string => Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ sub: subject, iat: now, exp: now + seconds })}.`;
}
const writeToken = (seconds: number): void => writeFileSync(tokenFile, tokenFor(seconds));

/** One broker that takes tokens, and ends the session of a connection with its token. */
beforeAll(async () => {
  const say = (line: string): void => console.error(line);
  const programs = await provideTools({ java }, say);
  const jars = await provideServerJars(programs.java, say);
  const [port = 0, controllerPort = 0, oauth = 0] = await freePorts(3);
  const module = 'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule';
  const kafka = createKafka({
    dir,
    brokers: [{ id: 1, port, controllerPort, listeners: [{ name: 'OAUTH', port: oauth, advertisedPort: oauth }] }],
    processes: createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') }),
    java: programs.java,
    jars: jars.kafka,
    shortLived: true,
    settings: {
      'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,OAUTH:SASL_PLAINTEXT',
      'listener.name.oauth.sasl.enabled.mechanisms': 'OAUTHBEARER',
      'listener.name.oauth.oauthbearer.sasl.jaas.config': `${module} required unsecuredLoginStringClaim_sub="broker";`,
      'listener.name.oauth.oauthbearer.connections.max.reauth.ms': '3600000',
    },
  });
  const reaper = startOrphanReaper();
  await kafka.start();
  reaper.watch(kafka.pid(1) ?? 0);
  issuer = createServer((request, response) => {
    const isKnown = request.headers.authorization === `Basic ${Buffer.from('hookline:secret').toString('base64')}`;
    if (isKnown) granted += 1;
    response
      .writeHead(isKnown ? 200 : 401)
      .end(JSON.stringify(isKnown ? { access_token: tokenFor(60), expires_in: 60 } : { error: 'invalid_client' }));
  });
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  stop = async () => {
    issuer.close();
    await kafka.kill(1);
    reaper.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  bootstrap = `127.0.0.1:${oauth}`;
});
afterAll(() => stop?.());

const accessBy = (env: Record<string, string>): KafkaAccess =>
  kafkaAccess(
    readConfig(
      kafkaFields,
      { HOOKLINE_KAFKA_BROKERS: bootstrap, HOOKLINE_KAFKA_SASL_MECHANISM: 'oauthbearer', ...env },
      [kafkaRelations],
    ),
  );
const byFile = (): KafkaAccess => accessBy({ HOOKLINE_KAFKA_OAUTH_TOKEN_FILE: tokenFile });
const byUrl = (secret = 'secret'): KafkaAccess =>
  accessBy({
    HOOKLINE_KAFKA_OAUTH_TOKEN_URL: `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/token`,
    HOOKLINE_KAFKA_OAUTH_CLIENT_ID: 'hookline',
    HOOKLINE_KAFKA_OAUTH_CLIENT_SECRET: secret,
  });

/** A producer and a consumer of a new topic. */
async function openTopic(access: KafkaAccess, name: string) {
  await createTopics(access, [{ name, partitions: 1, replicationFactor: 1 }], { clock, log });
  const common = { ...access, clientId: 'oauth', clock, log };
  const producer = createProducer({ ...common, metrics: new Registry() });
  const read = new Set<string>();
  const consumer = createConsumer({
    ...common,
    groupId: `group-${name}`,
    topics: [name],
    metrics: new Registry(),
    onUndecodable: noneUndecodable,
    handle: async (records) => {
      for (const record of records) {
        read.add(record.value.toString());
        record.done();
      }
    },
    onFailure: (error) => console.error(error),
  });
  await producer.start();
  await consumer.start();
  return {
    read,
    send: (text: string) => producer.send({ topic: name, key: null, value: Buffer.from(text), headers: {} }),
    stop: () => Promise.all([consumer.stop(), producer.stop()]),
  };
}

test.each<[string, () => KafkaAccess]>([
  ['a file', () => (writeToken(60), byFile())],
  ['client credentials', byUrl],
])('a topic is created, written and read with a token from %s', async (way, accessOf) => {
  const topic = await openTopic(accessOf(), `by-${way.replace(' ', '-')}`);
  try {
    await topic.send('with a token');
    await waitUntil('it is read', () => topic.read.has('with a token'));
    expect(way === 'a file' || granted === 1).toBe(true);
  } finally {
    await topic.stop();
  }
});

test('tokens of eight seconds, renewed in their file: for twenty seconds each record is written and read', async () => {
  writeToken(8);
  const renewal = setInterval(() => writeToken(8), 500);
  let topic: Awaited<ReturnType<typeof openTopic>> | undefined;
  try {
    const { send, read } = (topic = await openTopic(byFile(), 'renewed'));
    const endMs = Date.now() + 20_000;
    const sent: string[] = [];
    while (Date.now() < endMs) {
      const text = `record-${sent.length}`;
      await send(text);
      sent.push(text);
      await delay(20);
    }
    await waitUntil('all are read', () => read.size === sent.length, {
      describe: () => `${read.size} of ${sent.length}`,
    });
  } finally {
    clearInterval(renewal);
    await topic?.stop();
  }
});

test.each<[why: string, access: () => KafkaAccess, says: RegExp]>([
  // kafkajs does not read the reason that a broker gives for a token.
  ['the token has expired', () => (writeToken(-60), byFile()), /^not within 2000 ms: ./],
  ['the secret is wrong', () => byUrl('wrong'), /answered 401 invalid_client/],
])('says so where %s, and shows no token', async (_why, accessOf, says) => {
  const options = { clock, log, timeoutMs: 2_000 };
  const failure = await createTopics(
    accessOf(),
    [{ name: 'refused', partitions: 1, replicationFactor: 1 }],
    options,
  ).catch((error: unknown) => error as Error & { code: string });
  expect(failure).toMatchObject({ code: 'kafka_unavailable', message: expect.stringMatching(says) as string });
  expect((failure as Error).message).not.toMatch(/eyJ|wrong/);
});
