import { silentLogger, systemClock } from '#lib/runtime';
import { type CheckLimits, createSchemaChecks } from '#lib/schema-checks';
import { patientLimits } from '../../support/patient-checks.ts';

const parts: { stop(): Promise<void>; start(): Promise<void> }[] = [];
afterAll(async () => {
  for (const part of parts.splice(0)) {
    await part.start();
    await part.stop();
  }
});

function open(limits: CheckLimits = patientLimits) {
  const checks = createSchemaChecks({ clock: systemClock, log: silentLogger, limits });
  parts.push(checks);
  let asked = 0;
  const check = (key: string, schema: unknown, payload: unknown, tenant?: string) =>
    checks.check({
      ...(tenant !== undefined && { tenant }),
      key,
      schema: () => {
        asked += 1;
        return JSON.stringify(schema);
      },
      payload: JSON.stringify(payload),
    });
  return { check, asked: () => asked, checks };
}

let shared: ReturnType<typeof open>;
beforeAll(() => {
  shared = open();
});

const invoice = {
  type: 'object',
  required: ['id'],
  additionalProperties: false,
  properties: {
    id: { type: 'string' },
    inner: { $ref: '#' },
    lines: { type: 'array', items: { $ref: '#/$defs/line' } },
  },
  $defs: { line: { enum: ['a', 'b'] } },
};

test.each<[unknown, object]>([
  [{ id: '1', lines: ['a'] }, { kind: 'match' }],
  [{}, { kind: 'mismatch', field: '/id', message: 'is missing' }],
  [{ id: 1 }, { kind: 'mismatch', field: '/id', message: 'must be string' }],
  [
    { id: '1', 'a/b': 1 },
    { kind: 'mismatch', field: '/a~1b', message: 'is not described' },
  ],
  [
    { id: '1', lines: ['a', 'c'] },
    { kind: 'mismatch', field: '/lines/1' },
  ],
  [null, { kind: 'mismatch', field: '' }],
  [
    { id: '1', inner: { id: 2 } },
    { kind: 'mismatch', field: '/inner/id' },
  ],
])('%j is judged, with the place of what is wrong', async (payload, verdict) => {
  expect(await shared.check('k', invoice, payload)).toMatchObject(verdict);
});

test('a schema is compiled once for all payloads', async () => {
  const { check, asked } = open();
  for (let turn = 0; turn < 3; turn += 1) expect(await check('k', invoice, { id: '1' })).toEqual({ kind: 'match' });
  expect(asked()).toBe(1);
});

test.each([
  { type: 'nothing' },
  { pattern: '(' },
  { $ref: 'https://example.com/schema.json' },
  { $ref: '#/$defs/none' },
])('%j can’t be compiled', async (schema) => {
  expect(await shared.check(JSON.stringify(schema), schema, {})).toMatchObject({ kind: 'invalid_schema' });
});

test('an `$id` is no way to another tenant’s schema', async () => {
  const { check } = shared;
  await check('one', { $id: 'https://one.example/s', type: 'string' }, 'a');
  expect(await check('two', { $ref: 'https://one.example/s' }, 'a')).toMatchObject({ kind: 'invalid_schema' });
  expect(await check('three', { $id: 'https://one.example/s', type: 'number' }, 1)).toEqual({ kind: 'match' });
});

test('a pattern that takes for ever ends the thread, and the schema is left alone; others go on', async () => {
  const { check } = open({ ...patientLimits, checkMs: 300 });
  const catastrophic = { pattern: '^(a+)+$' };
  const beganAt = performance.now();
  const payload = `${'a'.repeat(60)}!`;
  const verdicts = await Promise.all([check('bad', catastrophic, payload), check('bad', catastrophic, payload)]);
  expect(verdicts).toEqual(Array(2).fill({ kind: 'unjudged', reason: 'too_slow' }));
  expect(performance.now() - beganAt).toBeLessThan(20_000);
  expect(await check('bad', catastrophic, 'a')).toEqual({ kind: 'unjudged', reason: 'too_slow' });
  // The machine may be slow, too: only that it judges again is tested.
  let verdict = await check('good', true, {});
  for (let turn = 0; turn < 5 && verdict.kind !== 'match'; turn += 1) verdict = await check(`good${turn}`, true, {});
  expect(verdict).toEqual({ kind: 'match' });
});

test('text that is no JSON does not match', async () => {
  const { checks } = open();
  const verdict = await checks.check({ key: 'k', schema: () => 'true', payload: '{"a":' });
  expect(verdict).toEqual({ kind: 'mismatch', field: '', message: 'is no JSON' });
});

test('a tenant whose schemas are slow uses up its own share of the thread, and nobody else’s', async () => {
  const { check } = open({ checkMs: 100, compileMs: 20_000, tenantShare: 0.001 });
  const payload = `${'a'.repeat(60)}!`;
  const reasons = new Set<string>();
  for (let turn = 0; turn < 60 && !reasons.has('busy'); turn += 1) {
    const verdict = await check(`bad ${turn}`, { pattern: `^(a+)+${turn}$` }, payload, 'slow');
    reasons.add(verdict.kind === 'unjudged' ? verdict.reason : verdict.kind);
  }
  expect([...reasons]).toEqual(['too_slow', 'busy']);
  expect(await check('more', true, {}, 'slow')).toEqual({ kind: 'unjudged', reason: 'busy' });
  let verdict = await check('good', true, {}, 'other');
  for (let turn = 0; turn < 5 && verdict.kind !== 'match'; turn += 1)
    verdict = await check(`good ${turn}`, true, {}, 'other');
  expect(verdict).toEqual({ kind: 'match' });
});

test('more than can wait are unjudged at once, and so is everything after the stop', async () => {
  const { check, checks } = open();
  const verdicts = await Promise.all(Array.from({ length: 260 }, () => check('k', true, {})));
  expect(verdicts.filter(({ kind }) => kind === 'match')).toHaveLength(200);
  expect(verdicts.at(-1)).toEqual({ kind: 'unjudged', reason: 'busy' });
  await checks.start();
  await checks.stop();
  expect(await check('k', true, {})).toEqual({ kind: 'unjudged', reason: 'busy' });
});
