import { runHookline } from '../../support/run-hookline.ts';
import { type Answered, type Asked, startFakeApi } from './fake-api.ts';

let api: Awaited<ReturnType<typeof startFakeApi>>;
let known: Answered;
beforeAll(async () => {
  const answer = ({ path }: Asked): Answered => (path.startsWith('/v1/tenants/') ? known : { status: 200, body: [] });
  api = await startFakeApi(answer, { readsTenants: true });
});
beforeEach(() => {
  known = { status: 200, body: { id: 'acme' } };
  api.asked.splice(0);
});
afterAll(() => api.stop());

const list = (...args: string[]) => runHookline(['sources', 'list', ...args], { env: api.env });

test('a tenant that never was is noted, and the call is made all the same', async () => {
  known = { status: 404, body: { title: 'Not found', code: 'not_found' } };
  const { code, stdout, stderr } = await list('--tenant', 'acne');
  expect([code, stdout]).toEqual([0, '(none)\n']);
  expect(stderr).toBe(
    'note: nothing was ever stored for a tenant acne; `hookline tenants list` shows those that have something\n',
  );
  const [asked, called] = api.asked;
  expect(asked?.path).toBe('/v1/tenants/acne');
  expect([asked?.headers['hookline-tenant'], called?.headers['hookline-tenant']]).toEqual([undefined, 'acne']);
});

test('one that is known, the default and none are asked for without a note', async () => {
  for (const args of [['--tenant', 'acme'], ['--tenant', 'default'], []])
    expect(await list(...args)).toMatchObject({ code: 0, stderr: '' });
});

test('a key that may not read tenants notes nothing, nor does an API that knows no such route', async () => {
  for (const refused of [
    { status: 403, body: { title: 'No', code: 'forbidden' } },
    { status: 404, body: '' },
  ]) {
    known = refused;
    expect(await list('--tenant', 'acne')).toMatchObject({ code: 0, stderr: '' });
  }
});
