import { runHookline } from '../../support/run-hookline.ts';
import { startFakeApi } from './fake-api.ts';

test('a GET that is told to come again comes again; an API that is not there is told of at once', async () => {
  const answers = [{ status: 429, headers: { 'retry-after': '0' } }, { status: 503 }, { status: 200, body: [] }];
  const api = await startFakeApi((_asked, index) => answers[index] ?? { status: 500 });
  const listed = await runHookline(['sources', 'list', '--json'], { env: api.env });
  await api.stop();
  expect(listed).toMatchObject({ code: 0, stdout: '[]\n' });
  expect(listed.stderr).toMatch(/^answered 429; again in \d\.\d s\nanswered 503; again in \d\.\d s\n$/);
  const away = await runHookline(['sources', 'list'], { env: api.env });
  expect(away).toMatchObject({ code: 1, stderr: expect.stringMatching(/^hookline: .* does not answer: /) as string });
});
