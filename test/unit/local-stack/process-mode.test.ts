import { compileCacheDir } from '#deploy/local/paths.ts';
import { nodeOptions } from '#deploy/local/stack/node-options.ts';
import { portsAt, serviceNames } from '#deploy/local/stack/ports.ts';
import { byPart, hostOf } from '#deploy/local/stack/process-mode.ts';
import { createServices } from '#deploy/local/stack/services.ts';
import type { Processes, Program } from '#deploy/local/processes/processes.ts';

const line = (service: string, event: string): string =>
  `{"level":30,"time":"t","service":"${service}","event":"${event}"}`;
const log = [line('dedup', 'first'), line('api', 'other'), 'a crash', line('dedup', 'second'), line('serve', 'last')];
const processes: Pick<Processes, 'pid' | 'lastLogLines'> = {
  pid: (name) => ({ serve: 7, kafka: 8 })[name],
  lastLogLines: (name, count) => (name === 'serve' ? log.slice(-count) : [`of ${name}`]),
};

describe('the services in one process', () => {
  it('have its pid, each of them, and servers have their own', () => {
    const { pid } = byPart(processes, 'one');
    expect(serviceNames.map(pid)).toEqual(serviceNames.map(() => 7));
    expect([pid('kafka'), pid('redis')]).toEqual([8, undefined]);
  });

  it('have their own lines of its log, and those that are of no service', () => {
    const { lastLogLines } = byPart(processes, 'one');
    expect(lastLogLines('dedup', 3)).toEqual(['a crash', line('dedup', 'second'), line('serve', 'last')]);
    expect(lastLogLines('kafka', 3)).toEqual(['of kafka']);
  });
});

test('services with processes of their own are told apart by their names', () => {
  expect(serviceNames.map((name) => hostOf(name, 'separate'))).toEqual(serviceNames);
  expect(byPart(processes, 'separate').pid('dedup')).toBeUndefined();
});

describe('what is started for them', () => {
  const startedIn = async (mode: 'separate' | 'one'): Promise<Program[]> => {
    const started: Program[] = [];
    const services = createServices({
      root: process.cwd(),
      mode,
      ports: portsAt(0),
      addresses: { kafkaBrokers: ['k'], redisUrl: 'r', databaseUrl: 'd', schemaRegistryUrl: 's' },
      secrets: { encryptionKeys: 'e', adminKey: 'a', postgresPassword: 'p' },
      processes: {
        start: async (program: Program) => (started.push(program), { pid: 1, started: true }),
      } as unknown as Processes,
    });
    for (const name of services.processNames) await services.launch(name);
    return started;
  };

  it('is one process that has every admin port', async () => {
    const [serve, ...more] = await startedIn('one');
    expect(more).toEqual([]);
    expect(serve).toMatchObject({ name: 'serve', args: [...nodeOptions.one, 'services/cli/main.ts', 'serve'] });
    const { admin } = portsAt(0);
    for (const name of serviceNames)
      expect(serve?.env?.[`HOOKLINE_${name.toUpperCase()}_ADMIN_PORT`]).toBe(String(admin[name]));
    expect(serve?.env).not.toHaveProperty('HOOKLINE_ADMIN_PORT');
  });

  it.each(['one', 'separate'] as const)('has limits of its heap, compiled code, and few arenas: %s', async (mode) => {
    for (const { args, env } of await startedIn(mode)) {
      expect(args.slice(0, 2)).toEqual(nodeOptions[mode]);
      expect(env).toMatchObject({ MALLOC_ARENA_MAX: '2', NODE_COMPILE_CACHE: compileCacheDir });
    }
  });

  it.each(['one', 'separate'] as const)(
    'has the address of the console, and of the api that it asks: %s',
    async (mode) => {
      const { env } = (await startedIn(mode)).at(-1) ?? {};
      expect(env).toMatchObject({
        HOOKLINE_CONSOLE_PORT: '8082',
        HOOKLINE_CONSOLE_URL: 'http://127.0.0.1:8082',
        HOOKLINE_CATALOG_TENANT: 'default',
        HOOKLINE_API_URL: 'http://127.0.0.1:8081',
      });
    },
  );

  it('is a process of each, with its admin port, where they are separate', async () => {
    const started = await startedIn('separate');
    const { admin } = portsAt(0);
    expect(started.map(({ name, env }) => [name, env?.HOOKLINE_ADMIN_PORT])).toEqual(
      serviceNames.map((name) => [name, String(admin[name])]),
    );
  });
});
