import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readKeyValueFile } from '#deploy/local/key-value-file.ts';
import { writeLocalEnv, writePids } from '#deploy/local/stack/local-env.ts';
import { portsAt, serviceNames } from '#deploy/local/stack/ports.ts';
import { nativeReceiver, type RunningStack } from '#deploy/local/stack/stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookline-local-env-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pidOf = (name: string): number => 100 + name.length;
const stack: RunningStack = {
  processes: { pid: pidOf, lastLogLines: () => [] },
  addresses: { kafkaBrokers: ['k:1', 'k:2'], redisUrl: 'r', databaseUrl: 'd', schemaRegistryUrl: 's' },
  receiver: nativeReceiver,
  more: [],
};

test('local.env has every URL, and the pid and admin URL of every service, at the ports of the offset', () => {
  const file = join(folder, 'local.env');
  writeLocalEnv(file, stack, portsAt(1_000), 'a-key');
  const { admin } = portsAt(1_000);
  expect(readKeyValueFile(file)).toEqual({
    HOOKLINE_INGRESS_URL: 'http://127.0.0.1:9080',
    HOOKLINE_API_URL: 'http://127.0.0.1:9081',
    HOOKLINE_CONSOLE_URL: 'http://127.0.0.1:9082',
    HOOKLINE_CATALOG_TENANT: 'default',
    HOOKLINE_ADMIN_KEY: 'a-key',
    HOOKLINE_KAFKA_BROKERS: 'k:1,k:2',
    HOOKLINE_REDIS_URL: 'r',
    HOOKLINE_DATABASE_URL: 'd',
    HOOKLINE_SCHEMA_REGISTRY_URL: 's',
    HOOKLINE_RECEIVER_HOST: '127.0.0.1',
    HOOKLINE_RECEIVER_LISTEN_ON: '127.0.0.1',
    ...Object.fromEntries(
      serviceNames.flatMap((name) => [
        [`${name.toUpperCase()}_PID`, String(pidOf(name))],
        [`${name.toUpperCase()}_ADMIN_URL`, `http://127.0.0.1:${admin[name]}`],
      ]),
    ),
    ...Object.fromEntries(
      ['kafka', 'redis', 'postgres'].map((name) => [`${name.toUpperCase()}_PID`, String(pidOf(name))]),
    ),
  });
});

test('a process that was started again has its new pid in it; without the file none is made', () => {
  const file = join(folder, 'restarted.env');
  writePids(file, stack.processes);
  expect(readKeyValueFile(file)).toBeUndefined();
  writeLocalEnv(file, stack, portsAt(0), 'a-key');
  const before = readKeyValueFile(file);
  writePids(file, { pid: (name) => (name === 'console' ? 7 : pidOf(name)) });
  expect(readKeyValueFile(file)).toEqual({ ...before, CONSOLE_PID: '7' });
});
