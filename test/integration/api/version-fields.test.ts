/** Fields of versions: kept when they are published, and found later for versions of before. */
import { describeVersions } from '../../../services/api/event-types/describe-old-versions.ts';
import { patientDocuments } from '../../support/patient-checks.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const line = { type: 'object', required: ['amount'], properties: { amount: { type: ['integer', 'null'] } } };
const schema = {
  type: 'object',
  properties: {
    at: { type: 'string', format: 'date-time', description: 'When.' },
    lines: { type: 'array', items: line },
    state: { enum: ['a', 'b'] },
  },
};
const fields = [
  { path: 'at', type: 'string (date-time)', required: false, description: 'When.' },
  { path: 'lines', type: 'array', required: false, description: '' },
  { path: 'lines[].amount', type: 'integer or null', required: true, description: '' },
  { path: 'state', type: '"a" or "b"', required: false, description: '' },
];
const tenant = 'fields';
const versionOf = async () =>
  (await api.ask({ path: '/v1/event-types/t/versions/1', tenant })).json<{
    fields: object[] | null;
    fields_truncated: boolean;
  }>();

test('a version has its fields; one of before gets them in the next round', async () => {
  await api.ask({ method: 'POST', path: '/v1/event-types', body: { name: 't', schema }, tenant });
  expect(await versionOf()).toMatchObject({ fields, fields_truncated: false });
  await api.postgres.query('UPDATE event_type_versions SET fields = NULL');
  expect(await versionOf()).toMatchObject({ fields: null });
  const documents = patientDocuments();
  await documents.start();
  try {
    await describeVersions({ postgres: api.postgres, documents }, new AbortController().signal);
  } finally {
    await documents.stop();
  }
  expect(await versionOf()).toMatchObject({ fields, fields_truncated: false });
});
