import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endpointSettlingMs } from '#lib/contract';
import { buildReceiver } from '../support/build-receiver.ts';
import { type ExampleProcess, startExample } from '../support/example-process.ts';
import { signAsStandardWebhooks } from '../support/sign-webhook.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookline-examples-'));
const timeoutMs = 60_000;
const types = ['order.created', 'order.paid', 'order.shipped'];

const isInstalled = (program: string, ...args: readonly string[]): boolean => {
  const isThere = spawnSync(program, args).status === 0;
  if (!isThere) process.stderr.write(`no test of an example: ${program} is not installed\n`);
  return isThere;
};
const receivers = [
  { name: 'node', isThere: true },
  { name: 'python', isThere: isInstalled('python3', '--version') },
  { name: 'go', isThere: isInstalled('go', 'version') },
];

interface RunningReceiver {
  process: ExampleProcess;
  url: string;
  secret: string;
}

/** Each example as its reader would run it, with the settings that its first lines name. */
describe('the examples', () => {
  let pipeline: OwnPipeline;
  const started: ExampleProcess[] = [];
  const running = new Map<string, RunningReceiver>();
  const published: string[] = [];

  beforeAll(async () => {
    await prepareFiles();
    pipeline = await startOwnPipeline({ services: ['dispatcher', 'projector', 'api'] });
    await pipeline.explain(async () => {
      for (const { name, isThere } of receivers) if (isThere) running.set(name, await startReceiver(name));
      await delay(endpointSettlingMs);
      for (const type of types) published.push(await publish(type));
    });
  });
  afterAll(async () => {
    await Promise.all(started.map((example) => example.end('SIGKILL')));
    await pipeline?.close();
    rmSync(folder, { recursive: true });
  });

  function start(program: string, args: readonly string[], name: string, env: Record<string, string>): ExampleProcess {
    const example = startExample(program, args, { cwd: join(folder, name), env });
    started.push(example);
    return example;
  }

  const programs: Readonly<Record<string, readonly [string, readonly string[]]>> = {
    node: [process.execPath, ['receiver.js']],
    python: ['python3', ['receiver.py']],
    go: ['./receiver', []],
  };

  /** The endpoint must have its URL, and the receiver its secret: the secret is chosen here, as anyone may. */
  async function startReceiver(name: string): Promise<RunningReceiver> {
    const [program, args] = programs[name] ?? ['', []];
    const secret = `whsec_${Buffer.from(`secret of the ${name} receiver`.padEnd(32, '.')).toString('base64')}`;
    const env = { SECRET: secret, PORT: '0', REDIS_URL: pipeline.redisUrl, KEY_PREFIX: 'example:' };
    const example = start(program, args, `${name}-receiver`, env);
    const port = (await example.line(/^listening on (\d+)$/, timeoutMs))[1];
    const url = `http://127.0.0.1:${port}/webhooks`;
    await ask('POST', '/endpoints', { url, secret });
    return { process: example, url, secret };
  }

  async function ask(method: string, path: string, body: object): Promise<Record<string, unknown>> {
    const { apiUrl, adminKey } = pipeline.stack;
    const response = await fetch(`${apiUrl}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }

  const publish = async (type: string): Promise<string> =>
    String((await ask('POST', '/events', { type, payload: { note: 'ünï', type } }))['id']);

  const handledIds = (example: ExampleProcess): string[] =>
    example.lines.flatMap((line) => /^handled (\S+)/.exec(line)?.[1] ?? []);

  for (const { name, isThere } of receivers) {
    (isThere ? it : it.skip)(`the receiver in ${name} handles each event once, and refuses what is not signed`, () =>
      pipeline.explain(async () => {
        const receiver = running.get(name);
        if (receiver === undefined) throw new Error(`${name} was not started`);
        for (const [index, id] of published.entries()) {
          const handled = new RegExp(`^handled ${id} ${types[index]?.replace('.', '\\.')}$`);
          await receiver.process.line(handled, timeoutMs);
        }
        const [id = ''] = published;
        const body = Buffer.from('{"sent":"again"}');
        const nowSeconds = Math.floor(Date.now() / 1_000);
        const signed = signAsStandardWebhooks(receiver.secret, body, id, nowSeconds);
        const post = async (headers: Record<string, string>, bytes = body): Promise<number> =>
          (await fetch(receiver.url, { method: 'POST', headers, body: new Uint8Array(bytes) })).status;

        expect(await post(signed)).toBe(204);
        expect(await post(signed, Buffer.from('{"sent":"other"}'))).toBe(401);
        expect(await post(signAsStandardWebhooks(receiver.secret, body, id, nowSeconds - 1_000))).toBe(401);
        expect(await post({ ...signed, 'webhook-timestamp': 'now' })).toBe(400);
        // A handler that fails, and one that then does well.
        const [broken, whole] = [Buffer.from('no JSON'), Buffer.from('"JSON"')];
        expect(await post(signAsStandardWebhooks(receiver.secret, broken, 'evt_x', nowSeconds), broken)).toBe(500);
        expect(await post(signAsStandardWebhooks(receiver.secret, whole, 'evt_x', nowSeconds), whole)).toBe(204);

        await receiver.process.line(/^handled evt_x /, timeoutMs);
        expect(handledIds(receiver.process).sort()).toEqual([...published, 'evt_x'].sort());
      }),
    );
  }

  it('the consumer reads every event, and goes on after its restart where it was', () =>
    pipeline.explain(async () => {
      const { kafkaBrokers, schemaRegistryUrl, topicPrefix } = pipeline.stack;
      const env = {
        KAFKA_BROKERS: kafkaBrokers.join(','),
        SCHEMA_REGISTRY_URL: schemaRegistryUrl,
        TOPIC: `${topicPrefix}events`,
        GROUP: `${topicPrefix}example`,
      };
      const consume = () => start(process.execPath, ['consumer.js'], 'kafka-consumer', env);
      const first = consume();
      const known = [...published];
      for (const id of known) await first.line(new RegExp(`^handled ${id} .* \\d+ bytes$`), timeoutMs);
      expect(await first.end('SIGTERM')).toBe(0);

      const id = await publish('order.refunded');
      published.push(id);
      const second = consume();
      await second.line(new RegExp(`^handled ${id} order.refunded`), timeoutMs);
      expect(handledIds(second)).toEqual([id]);
      expect(await second.end('SIGTERM')).toBe(0);
    }));

  it('the poller reads every event to its end, and goes on at its cursor after it was killed', () =>
    pipeline.explain(async () => {
      const env = {
        HOOKLINE_API_URL: pipeline.stack.apiUrl,
        HOOKLINE_API_KEY: pipeline.stack.adminKey,
        SINCE: '2026-01-01T00:00:00Z',
        STATE: 'state.json',
        WAIT_SECONDS: '1',
      };
      const poll = () => start(process.execPath, ['poller.js'], 'poller', env);
      const first = poll();
      await first.line(/^polling from updated_at_gte$/, timeoutMs);
      for (const id of published) await first.line(new RegExp(`^handled ${id} completed$`), timeoutMs);
      // It has then kept the cursor behind the last event.
      await waitUntil('it has nothing more to read', () => first.lines.at(-1) === 'up to date');
      await first.end('SIGKILL');

      const id = await publish('order.closed');
      const second = poll();
      await second.line(/^polling from cursor$/, timeoutMs);
      await second.line(new RegExp(`^handled ${id} completed$`), timeoutMs);
      expect(new Set(handledIds(second))).toEqual(new Set([id]));
      expect(await second.end('SIGTERM')).toBe(0);
    }));

  /** A copy with the packages that its first line names, as `npm install` would leave it. */
  async function prepareFiles(): Promise<void> {
    cpSync(join(import.meta.dirname, 'examples'), folder, { recursive: true });
    const modules = join(folder, 'node_modules');
    mkdirSync(join(modules, '@hookline'), { recursive: true });
    for (const name of ['ioredis', 'kafkajs', '@kafkajs'])
      symlinkSync(resolve('node_modules', name), join(modules, name));
    await buildReceiver(join(modules, '@hookline/receiver'));
    if (receivers.some(({ name, isThere }) => name === 'go' && isThere)) {
      const cwd = join(folder, 'go-receiver');
      const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '', GOWORK: 'off', CGO_ENABLED: '0' };
      const { status, stderr } = spawnSync('go', ['build', '-o', 'receiver', '.'], { cwd, env, encoding: 'utf8' });
      if (status !== 0) throw new Error(`go build: ${stderr}`);
    }
  }
});
