import { runHookline } from '../../support/run-hookline.ts';
import { type Answered, startFakeApi } from './fake-api.ts';

const services = ['ingress', 'dedup', 'dispatcher', 'projector', 'api'];
const reporting = (service: string, status = 'ready') => ({ service, status, version: '1.0.0' });
const system = {
  processes: services.map((service) => reporting(service)),
  stages: [
    { service: 'dedup', topic: 'hookline.webhooks.received', records: 3, seconds: 0.25 },
    { service: 'projector', topic: 'hookline.events', records: 4, seconds: 1 },
    { service: 'projector', topic: 'hookline.delivery.attempts', records: 5, seconds: 2.31 },
  ],
  dependencies: [
    { name: 'kafka', up: true, down_for: [] },
    { name: 'postgres', up: true, down_for: [] },
  ],
};

let api: Awaited<ReturnType<typeof startFakeApi>>;
let systemAnswer: Answered;
let failing: object[];
beforeAll(async () => {
  api = await startFakeApi(({ path }) =>
    path.startsWith('/v1/endpoints') ? { status: 200, body: failing } : systemAnswer,
  );
});
beforeEach(() => {
  systemAnswer = { status: 200, body: system };
  failing = [];
});
afterAll(() => api.stop());

const status = (...args: string[]) => runHookline(['status', ...args], { env: api.env });

test('all is well: each service, its lag, and exit code 0', async () => {
  const { code, stdout } = await status();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^service +status +processes +lag_records +lag_seconds$/m);
  expect(stdout).toMatch(/^ingress +ready +1 +- +-$/m);
  expect(stdout).toMatch(/^projector +ready +1 +9 +2\.3$/m);
  expect(stdout).toContain('all of 2 answer');
  expect(stdout).toMatch(/failing endpoints\n\(none\)/);
});

test.each([
  ['no process of a service reports', { processes: system.processes.slice(1) }, /^ingress +down +0/m],
  ['all are silent', { processes: services.map((name) => reporting(name, 'silent')) }, /^dedup +silent +0/m],
  [
    'one of two is not ready',
    { processes: [...system.processes, reporting('api', 'not_ready')] },
    /^api +not_ready +2/m,
  ],
  [
    'a dependency does not answer',
    { dependencies: [{ name: 'redis', up: false, down_for: ['api'] }] },
    /^redis +down +api$/m,
  ],
])('%s: said, and exit code 1', async (_what, change, line) => {
  systemAnswer = { status: 200, body: { ...system, ...change } };
  const { code, stdout } = await status();
  expect(stdout).toMatch(line);
  expect(code).toBe(1);
});

test('a process that has ended, beside one that runs, is no fault', async () => {
  systemAnswer = { status: 200, body: { ...system, processes: [...system.processes, reporting('api', 'silent')] } };
  expect((await status()).code).toBe(0);
});

test('failing endpoints are listed, and are no fault of the stack', async () => {
  failing = [{ id: 'ep_1', url: 'https://a.example/', failing_since: '2026-01-01T00:00:00Z' }];
  const { code, stdout } = await status();
  expect(stdout).toMatch(/^ep_1 +2026-01-01T00:00:00Z +https:\/\/a\.example\/$/m);
  expect(code).toBe(0);
  expect(JSON.parse((await status('--json')).stdout)).toEqual({ system, failing_endpoints: failing });
});

test('the key of a tenant sees its endpoints alone', async () => {
  systemAnswer = { status: 403, body: { title: 'No', code: 'forbidden' } };
  const { code, stdout } = await status();
  expect([code, stdout]).toEqual([0, expect.stringContaining('only the admin key')]);
});

test('a wrong key is a failure that names its setting', async () => {
  systemAnswer = { status: 401, body: { title: 'No key', code: 'unauthorized' } };
  expect(await status()).toMatchObject({ code: 1, stderr: expect.stringContaining('HOOKLINE_ADMIN_KEY') as string });
});
