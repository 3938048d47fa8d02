import { Ajv2020 } from 'ajv/dist/2020.js';
import { operationalEventTypes } from '#lib/contract';
import { payloadSchema } from '../../../../services/api/openapi/webhooks/operational-payloads.ts';
import { webhooks } from '../../../../services/api/openapi/webhooks/webhooks.ts';
import { documentedEvents } from '../../../support/documented-events.ts';
import { closeApps } from '../ask.ts';
import { buildTestApp } from '../build-test-app.ts';

afterEach(closeApps);

const ajv = new Ajv2020({ validateFormats: false });

test('the document has any event and each operational one, once', async () => {
  const { ask } = buildTestApp();
  const document = (await ask({ path: '/openapi.json' })).json<{ webhooks: object; paths: object }>();
  expect(Object.keys(document.webhooks)).toEqual(['event', ...operationalEventTypes]);
  const ids = [...JSON.stringify(document).matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test('the page shows each of them', async () => {
  const { ask } = buildTestApp();
  const { text } = await ask({ path: '/docs' });
  for (const { post } of Object.values(webhooks)) expect(text).toContain(`<section id="${post.operationId}">`);
  expect(text).toContain('<h3><code>hookline.endpoint.disabling_soon</code></h3>');
});

test.each(operationalEventTypes)('the schema of %s takes the documented example, and no part of it', (type) => {
  const takes = ajv.compile({ ...payloadSchema(type), additionalProperties: false });
  const example = documentedEvents.get(type) ?? {};
  expect([takes(example), takes.errors]).toEqual([true, null]);
  const { required } = payloadSchema(type) as { required: string[] };
  expect(required.length).toBeGreaterThan(4);
  for (const name of required) {
    const others = Object.entries(example).filter(([each]) => each !== name);
    expect([name, takes(Object.fromEntries(others))]).toEqual([name, false]);
  }
});
