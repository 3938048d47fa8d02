/** Documents and schemas that cost more than their size: what they cost the process that serves others, and what becomes of them. */
import { silentLogger, systemClock } from '#lib/runtime';
import { createDocumentJobs, documentLimits, type ReadRequest, type Undone } from '#lib/schema-checks';
import {
  chained,
  circular,
  doubling,
  manyRefs,
  refsToProperties,
  sharing,
} from '../../../support/documents-generator/index.ts';
import { nominalMs } from '../../../support/nominal-time.ts';

const jobs = createDocumentJobs({ clock: systemClock, log: silentLogger, limits: { tenantShare: 1 } });
beforeAll(() => jobs.start());
afterAll(() => jobs.stop());

/** This thread's processor time for a job in all, and so more than its longest turn: the loop's delay would tell of other processes, too. */
const mostOwnMs = 100;

/** Its result, with what this thread and its memory had to bear, and the processor time of the other threads. */
async function watched<T>(work: () => Promise<T>): Promise<{ result: T; tookMs: number; othersMs: number }> {
  const before = process.memoryUsage().heapUsed;
  const [own, all] = [process.threadCpuUsage(), process.cpuUsage()];
  const beganAt = performance.now();
  const result = await work();
  const tookMs = performance.now() - beganAt;
  const ownMs = processorMs(process.threadCpuUsage(own));
  expect(nominalMs(ownMs, { limitMs: mostOwnMs })).toBeLessThan(mostOwnMs);
  expect((process.memoryUsage().heapUsed - before) / 1024 / 1024).toBeLessThan(96);
  return { result, tookMs, othersMs: processorMs(process.cpuUsage(all)) - ownMs };
}

const processorMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;

const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const readDocument = (document: unknown, tenant = 't') => {
  const bytes = bytesOf({ document, dry_run: true });
  return watched(() => jobs.readDocument(bytes, 'document', { tenant }));
};
const prepare = (schema: unknown, more: { example?: unknown; before?: unknown } = {}, tenant = 't') => {
  const draft = {
    schema: JSON.stringify(schema),
    example: more.example === undefined ? undefined : JSON.stringify(more.example),
    before: more.before === undefined ? undefined : { schema: JSON.stringify(more.before), example: 'null' },
  };
  return watched(() => jobs.prepare(draft, { tenant }));
};
const typesOf = (read: ReadRequest | Undone) => {
  if (read.kind !== 'read_document') throw new Error(`it was not read: ${JSON.stringify(read)}`);
  return read.types;
};

beforeAll(async () => void (await jobs.describe('true', { tenant: 'warm' })));

test('60 webhooks that share a component of 476 kB: each is told its limit, and the component is read once', async () => {
  const { result, othersMs } = await readDocument(sharing({ webhooks: 60, bytes: 476_000 }));
  expect(typesOf(result)).toHaveLength(60);
  // It was 41 s on the API's main thread once, and 18 s here.
  expect(nominalMs(othersMs, { limitMs: 5_000 })).toBeLessThan(5_000);
  const [first] = typesOf(result);
  const prepared = await prepare(JSON.parse(first?.version.schema ?? ''));
  expect(prepared.result).toMatchObject({
    errors: [{ field: '/schema', message: 'must be at most 65536 bytes of JSON' }],
  });
});

test('2,000 of them are more types than an import has; 1,000 are larger together than it may become', async () => {
  expect((await readDocument(sharing({ webhooks: 2_000, bytes: 476_000 }))).result).toEqual({
    kind: 'refused',
    errors: [{ field: '/document', message: `must not have more than ${documentLimits.types} types; divide it` }],
  });
  const types = typesOf((await readDocument(sharing({ webhooks: 1_000, bytes: 476_000 }))).result);
  expect(types.filter(({ errors }) => errors.length === 0).length).toBeLessThan(100);
  expect(types.at(-1)?.errors[0]?.message).toContain('the limit of an import');
});

test('8,000 references and a chain of 3,000 are followed, in the time of their size', async () => {
  for (const [document, refs] of [
    [manyRefs(8_000), 8_000],
    [chained(3_000), 3_000],
  ] as const) {
    const { result, tookMs } = await readDocument(document);
    const [type] = typesOf(result);
    expect(type?.errors).toEqual([]);
    expect(Object.keys((JSON.parse(type?.version.schema ?? '{}') as { $defs: object }).$defs)).toHaveLength(refs);
    expect(tookMs).toBeLessThan(20_000);
  }
});

test('components that all refer to each other are bundled within the limits', async () => {
  const types = typesOf((await readDocument(circular(200))).result);
  expect(types).toHaveLength(200);
  for (const { version } of types) expect(version.schema?.length ?? 0).toBeLessThan(2 * documentLimits.bundledBytes);
});

test('references to parts of one component cost what they lead to, and no more than the limit', async () => {
  const levels = 40;
  let part: object = { type: 'string', description: 'x'.repeat(200_000) };
  let pointer = '#/components/schemas/deep';
  const pointers = [pointer];
  for (let level = 0; level < levels; level += 1) {
    part = { properties: { a: part } };
    pointers.push((pointer += '/properties/a'));
  }
  const schema = { anyOf: pointers.map(($ref) => ({ $ref })) };
  const document = {
    openapi: '3.1.0',
    components: { schemas: { deep: part } },
    webhooks: { hook: { post: { requestBody: { content: { 'application/json': { schema } } } } } },
  };
  const [type] = typesOf((await readDocument(document)).result);
  expect(type?.errors[0]?.message).toContain(`more than ${documentLimits.bundledBytes} bytes`);
});

test('700 references to 1,500 properties: 500 fields are kept, and it says that there are more', async () => {
  const schema = JSON.stringify(refsToProperties({ refs: 700, properties: 1_500 }));
  const { result, tookMs } = await watched(() => jobs.describe(schema, { tenant: 't' }));
  expect(result).toMatchObject({ fieldsTruncated: true });
  expect((result as { fields: unknown[] }).fields).toHaveLength(500);
  expect(tookMs).toBeLessThan(10_000);
  // The validator compiles them once, not for each reference.
  const patient = createDocumentJobs({ clock: systemClock, log: silentLogger, limits: { schemaMs: 10_000 } });
  await patient.start();
  expect(await patient.prepare({ schema, example: '{}', before: undefined }, { tenant: 't' })).toHaveProperty('tookMs');
  await patient.stop();
});

test.each([4, 10, 100])('an allOf that is followed %i times at each level ends', async (times) => {
  const { result } = await prepare(doubling(times), { before: { type: 'object' } });
  expect(result).toMatchObject({ fields: [] });
  expect((await watched(() => jobs.describe(JSON.stringify(doubling(times)), { tenant: 't' }))).tookMs).toBeLessThan(
    10_000,
  );
});

test('a schema that refers to itself without end is refused, as is one that takes too long', async () => {
  expect((await prepare({ $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } })).result).toMatchObject(
    {
      errors: [{ field: '/schema', message: 'refers to itself without end' }],
    },
  );
  const prepareSlow = () => prepare({ pattern: '^(a+)+$' }, { example: `${'a'.repeat(60)}!` });
  let slow = await prepareSlow();
  // Others had the processor: it says nothing about the schema.
  while ('reason' in slow.result && slow.result.reason === 'busy') slow = await prepareSlow();
  expect(slow.result).toEqual({
    kind: 'undone',
    reason: 'too_much',
    limit: `${documentLimits.schemaMs} ms of a processor`,
  });
  // The next job has a thread of its own.
  expect((await prepare(true, {}, 'other')).result).toMatchObject({ fields: [] });
});

test.each([
  ['101 levels', `${'['.repeat(101)}${']'.repeat(101)}`, 'must not be nested deeper than 100'],
  ['a megabyte of brackets', '['.repeat(1024 * 1024), 'must not be nested deeper than 100'],
  ['ten million values', `[${'0,'.repeat(10_000_000)}0]`, 'must not have more than 500000 values'],
])('%s are refused before they are parsed', async (_what, text, message) => {
  const bytes = new TextEncoder().encode(text);
  const { result } = await watched(() => jobs.read(bytes, ['schema'], { tenant: 't' }));
  expect(result).toEqual({ kind: 'refused', errors: [{ field: '(body)', message }] });
});

test('the rest of a body has a value of the same kind in the place of each document, whose numbers stay as they are', async () => {
  const body = '{"name":"a","schema":{"maximum":9007199254740993},"example":[1e400],"more":"\\"schema\\""}';
  expect(await jobs.read(Buffer.from(body), ['schema', 'example'], { tenant: 't' })).toEqual({
    kind: 'read',
    body: '{"name":"a","schema":{},"example":[],"more":"\\"schema\\""}',
    members: { schema: '{"maximum":9007199254740993}', example: '[1e400]' },
  });
  expect(await jobs.read(Buffer.from('{'), [], { tenant: 't' })).toEqual({ kind: 'no_json' });
  expect(await jobs.read(Buffer.from('{"schema":{"\\u005f_proto__":1}}'), [], { tenant: 't' })).toEqual({
    kind: 'no_json',
  });
});

test.each([
  [{ $async: true }, 1],
  [{ $defs: { a: { $async: false } } }, 1],
  [{ properties: { $async: { type: 'string' } } }, 0],
  [{ const: { $async: true } }, 0],
])('%j has %i keyword that is no keyword of JSON Schema', async (schema, wrong) => {
  const { result } = await prepare(schema);
  expect('errors' in result ? result.errors : []).toHaveLength(wrong);
});

test('tenants take turns: one that has twelve slow schemas keeps another waiting for one of them', async () => {
  const own = createDocumentJobs({ clock: systemClock, log: silentLogger, limits: { schemaMs: 200, tenantShare: 1 } });
  await own.start();
  try {
    await own.describe('true', { tenant: 'warm' });
    const draft = { schema: '{"pattern":"^(a+)+$"}', example: JSON.stringify(`${'a'.repeat(60)}!`), before: undefined };
    let ended = 0;
    const slow = Array.from({ length: 12 }, () => own.prepare(draft, { tenant: 'slow' }).finally(() => (ended += 1)));
    const other = await own.describe('true', { tenant: 'other' });
    expect(other).toMatchObject({ fields: [] });
    expect(ended).toBeLessThanOrEqual(2);
    await Promise.all(slow);
  } finally {
    await own.stop();
  }
});

test('a tenant has a share of the thread, and a job whose caller has left ends', async () => {
  const limits = { schemaMs: 20_000, tenantShare: 0.001, tenantBurstMs: 1 };
  const own = createDocumentJobs({ clock: systemClock, log: silentLogger, limits });
  await own.start();
  try {
    await own.describe('true', { tenant: 'warm' });
    const leaving = new AbortController();
    const draft = { schema: '{"pattern":"^(a+)+$"}', example: JSON.stringify(`${'a'.repeat(60)}!`), before: undefined };
    const left = own.prepare(draft, { tenant: 'slow', signal: leaving.signal });
    setTimeout(() => leaving.abort(), 300);
    expect(await left).toMatchObject({ kind: 'undone', reason: 'ended' });
    expect(await own.describe('true', { tenant: 'slow' })).toMatchObject({ kind: 'undone', reason: 'busy' });
    expect(await own.describe('true', { tenant: 'other' })).toMatchObject({ fields: [] });
  } finally {
    await own.stop();
  }
});
