import { bounds, boundsWithin, bytesOf } from '../../../services/serve/budget.ts';
import { loadServiceEnvironment } from '../../../services/serve/config.ts';
import { servedNames } from '../../../services/serve/names.ts';
import { settingsByService } from '../../support/documents.ts';
import { serviceNames } from '../../support/stack.ts';

const mebibyte = 1024 * 1024;
const machine = 4 * 1024 * mebibyte;

test('it can run every service that there is', () => {
  expect(new Set(servedNames)).toEqual(new Set(serviceNames));
});

test('each service keeps the admin port that it has alone, or gets the one that is set for it', () => {
  const environmentOf = loadServiceEnvironment({ HOOKLINE_DEDUP_ADMIN_PORT: '7001' }, machine);
  const ports = Object.fromEntries(serviceNames.map((name) => [name, environmentOf(name).HOOKLINE_ADMIN_PORT]));
  const alone = Object.fromEntries(serviceNames.map((name) => [name, settingsByService[name].adminPort.defaultText]));
  expect(ports).toEqual({ ...alone, dedup: '7001' });
});

test('what the environment sets besides, each service sees as it is', () => {
  expect(loadServiceEnvironment({ HOOKLINE_ENV: 'test' }, machine)('api').HOOKLINE_ENV).toBe('test');
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
  expect(() => loadServiceEnvironment(env, machine)).toThrow(problem);
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
