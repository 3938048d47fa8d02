import { bounds, boundsWithin, bytesOf } from '../../../services/serve/budget.ts';
import { loadServiceEnvironment } from '../../../services/serve/config.ts';
import { type ServedName, servedNames } from '../../../services/serve/names.ts';
import { settingsByService } from '../../support/documents.ts';
import { serviceNames } from '../../support/stack.ts';

const mebibyte = 1024 * 1024;
const machine = 4 * 1024 * mebibyte;

test('it can run every service that there is', () => {
  expect(new Set(servedNames)).toEqual(new Set(serviceNames));
});

test('each service keeps the admin port that it has alone, or gets the one that is set for it', () => {
  const environmentOf = loadServiceEnvironment({ env: { HOOKLINE_DEDUP_ADMIN_PORT: '7001' }, memory: machine });
  const ports = Object.fromEntries(serviceNames.map((name) => [name, environmentOf(name).HOOKLINE_ADMIN_PORT]));
  const alone = Object.fromEntries(serviceNames.map((name) => [name, settingsByService[name].adminPort.defaultText]));
  expect(ports).toEqual({ ...alone, dedup: '7001' });
});

test('what the environment sets besides, each service sees as it is', () => {
  expect(loadServiceEnvironment({ env: { HOOKLINE_ENV: 'test' }, memory: machine })('api').HOOKLINE_ENV).toBe('test');
});

describe('the console', () => {
  const apiUrlOf = (env: NodeJS.ProcessEnv, only?: readonly ServedName[]) =>
    loadServiceEnvironment({
      env: { HOOKLINE_API_URL: 'https://api.example.com', ...env },
      memory: machine,
      ...(only && { names: only }),
    })('console').HOOKLINE_API_URL;

  test.each([
    [{}, 'http://127.0.0.1:8081'],
    [{ HOOKLINE_HOST: '127.0.0.1', HOOKLINE_API_PORT: '9981' }, 'http://127.0.0.1:9981'],
    [{ HOOKLINE_HOST: '10.0.0.7' }, 'http://10.0.0.7:8081'],
    [{ HOOKLINE_HOST: '::' }, 'http://[::1]:8081'],
  ])('asks the api of its process where that listens: %j', (env, url) => {
    expect(apiUrlOf(env)).toBe(url);
  });

  test('asks the api that is set where there is none beside it, or on a port that nobody knows', () => {
    expect(apiUrlOf({}, ['ingress', 'console'])).toBe('https://api.example.com');
    expect(apiUrlOf({ HOOKLINE_API_PORT: '0' })).toBe('https://api.example.com');
  });

  test('alone has another address of the api', () => {
    const environmentOf = loadServiceEnvironment({ env: { HOOKLINE_API_URL: 'https://a.example' }, memory: machine });
    expect(environmentOf('api').HOOKLINE_API_URL).toBe('https://a.example');
  });
});

test.each([
  [
    'one admin port for all',
    { HOOKLINE_ADMIN_PORT: '9080' },
    'HOOKLINE_ADMIN_PORT applies to a process with one service',
  ],
  ['the same one twice', { HOOKLINE_API_ADMIN_PORT: '9080' }, 'two services have the same HOOKLINE_…_ADMIN_PORT'],
  [
    'a budget of more than half of the memory',
    { HOOKLINE_SERVE_MEMORY_BYTES: String(machine / 2 + 1) },
    'more than half',
  ],
  [
    'bounds that together are above the budget',
    { HOOKLINE_INGRESS_MAX_READING_BYTES: String(128 * mebibyte) },
    'more than HOOKLINE_SERVE_MEMORY_BYTES',
  ],
])('refuses %s', (_, env, problem) => {
  expect(() => loadServiceEnvironment({ env, memory: machine })).toThrow(problem);
});

describe('the budget', () => {
  test('is shared out whole', () => {
    expect(bounds.reduce((sum, { share }) => sum + share, 0)).toBe(1);
    const bytes = bytesOf(boundsWithin(256 * mebibyte, {}));
    expect(bytes).toBeLessThanOrEqual(256 * mebibyte);
    expect(bytes).toBeGreaterThan(255 * mebibyte);
  });

  test('bounds settings that services have, and no higher than each has alone', () => {
    const fields = Object.values(settingsByService).flatMap((group) => Object.values(group));
    for (const [name, text] of Object.entries(boundsWithin(256 * mebibyte, {}))) {
      const field = fields.find(({ env }) => env === name);
      expect(field?.parse(text)).toEqual({ value: Number(text) });
      expect(Number(text)).toBeLessThanOrEqual(Number(field?.defaultText));
    }
  });

  test('leaves the others’ shares as they are where one bound is set', () => {
    const set = boundsWithin(256 * mebibyte, { HOOKLINE_DISPATCHER_QUEUE_BYTES: String(8 * mebibyte) });
    expect(set).toEqual({
      ...boundsWithin(256 * mebibyte, {}),
      HOOKLINE_DISPATCHER_QUEUE_BYTES: String(8 * mebibyte),
      HOOKLINE_DISPATCHER_LANE_BYTES: String(2 * mebibyte),
    });
  });
});
