import { closeApps, createHarness, signed, sourceOf } from './harness.ts';

afterEach(closeApps);

const body = '{"id":"evt_1"}';

test.each(['', '?a=1', '/', '/?a=1'])('a webhook is taken at the URL of its source with %j behind it', async (more) => {
  const source = sourceOf();
  const harness = createHarness({ source });
  const path = `/v1/webhooks/${source.id}${more}`;
  expect((await harness.send({ path, body, headers: signed(body) })).status).toBe(202);
  const other = await harness.send({ method: 'PUT', path });
  expect([other.status, other.headers.allow]).toEqual([405, 'POST']);
});

test('two slashes are another path', async () => {
  const source = sourceOf();
  const answer = await createHarness({ source }).send({
    path: `/v1/webhooks/${source.id}//`,
    body,
    headers: signed(body),
  });
  expect(answer.status).toBe(404);
});
