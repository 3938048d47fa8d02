/** A megabyte of JSON of the worst shapes, through all that reads a payload outside of a worker: no overflow, and no time that grows faster than it. */
import { maxPayloadBytes } from '#lib/contract';
import { compileFilter, decodedPayload } from '#lib/event-filter';
import { parseExact } from '#lib/exact-json';
import { createJsonBody, jsonOfBody, memberText } from '#lib/payload';
import { serializeInTurns } from '../../../services/api/http/serialize-in-turns.ts';
import { payloadLines } from '../../../services/console/compare/pages.ts';
import { diffView, lineDiff } from '../../../services/console/ui/diff.ts';
import { indentedJson, payloadText, payloadView, rawMember } from '../../../services/console/ui/payload.ts';

const contentType = 'application/json';
const half = Math.floor(maxPayloadBytes / 2) - 20;
const deepList = '['.repeat(half) + ']'.repeat(half);
const levels = Math.floor(half / 3);
const deepObjects = '{"a":'.repeat(levels) + '7' + '}'.repeat(levels);
const deepWithNumbers = `{"id":9007199254740993,"deep":${deepList}}`;

const bodies: [string, string][] = [
  ['lists', deepList],
  ['objects', deepObjects],
  ['lists beside a long number', deepWithNumbers],
];

test.each(bodies)('half a million nested %s are read from the ingress to the console', async (_what, text) => {
  const bytes = Buffer.from(text);
  const given = { bytes, contentType, contentEncoding: undefined };
  expect(createJsonBody(bytes).scalarAt('/a/a/a')).toBeUndefined();
  expect(jsonOfBody(bytes, contentType)).toBe(bytes);
  expect(JSON.stringify(Object.keys(parseExact(text, 'all') as object)).length).toBeLessThan(100);
  const judged = await decodedPayload(bytes, { contentType, contentEncoding: null });
  expect(compileFilter({ 'a.b': 1 })(judged)).toMatchObject({ takes: true, unjudged: 'payload' });
  expect(rawMember(`{"payload":${text}}`, 'payload')).toBe(text);
  expect(memberText(`{"payload":${text}}`, 'payload')).toBe(text);
  const shown = payloadView({ payload: given, text: await payloadText(given), maxCharacters: 100_000 });
  expect(shown.toString().length).toBeLessThan(1_000_000);
  const lines = await payloadLines(given);
  const compared = diffView(lineDiff(lines, await payloadLines({ ...given, bytes: Buffer.from('{"a":1}') })), {
    left: 'a',
    right: 'b',
  });
  expect(compared.toString().length).toBeLessThan(5_000_000);
});

test('a megabyte of brackets is a few megabytes in lines, not eighty', () => {
  const shown = indentedJson(deepList);
  expect(shown.length).toBeLessThan(4_000_000);
  expect(shown.replaceAll(/\s/g, '')).toBe(deepList);
});

/** The fastest of three: others use the processor too. */
const fastestMs = (work: () => unknown): number =>
  Math.min(
    ...Array.from({ length: 3 }, () => {
      const beganAtMs = performance.now();
      work();
      return performance.now() - beganAtMs;
    }),
  );

test('lines that repeat are compared within a limit', () => {
  const linesOf = (odd: string, at: number): string[] =>
    Array.from({ length: 300_000 }, (_, index) => (index % 400 === at ? `${odd}${index}` : '0,'));
  const [left, right] = [linesOf('x', 7), linesOf('y', 211)];
  // On every diagonal, it would be hundreds of millions of comparisons.
  const kinds = new Map(
    Map.groupBy(lineDiff(left, right), ({ kind }) => kind)
      .entries()
      .map(([kind, { length }]) => [kind, length]),
  );
  expect(kinds.get('removed')).toBe(kinds.get('added'));
  expect(fastestMs(() => lineDiff(left, right))).toBeLessThan(30 * fastestMs(() => JSON.parse(JSON.stringify(left))));
});

test('a number is found in one reading, however many tokens lead to it', () => {
  // A megabyte within the last of them.
  const bodyOf = (depth: number): Buffer =>
    Buffer.from(`${'{"a":'.repeat(depth)}7,"b":[${'0,'.repeat(480_000)}0]}${'}'.repeat(depth - 1)}`);
  const timeOf = (depth: number): number => {
    const body = createJsonBody(bodyOf(depth));
    const pointer = '/a'.repeat(depth);
    expect(body.scalarAt(pointer)).toEqual({ kind: 'number', source: '7' });
    return fastestMs(() => body.scalarAt(pointer));
  };
  const [one, many] = [timeOf(1), timeOf(255)];
  // It was read once for each token: two hundred times as long.
  expect(many).toBeLessThan(20 * one + 5);
});

test('a form is read in time that grows with it', () => {
  const formOf = (fields: number): Buffer =>
    Buffer.from(Array.from({ length: fields }, (_, index) => `name%5B${index % 7}%5D=${index}`).join('&'));
  const timeOf = (fields: number): number => {
    const form = formOf(fields);
    return fastestMs(() => jsonOfBody(form, 'application/x-www-form-urlencoded'));
  };
  expect(timeOf(48_000)).toBeLessThan(12 * 10 * timeOf(4_000) + 5);
});

test('a long list is serialized in turns of the event loop, as it would be at once', async () => {
  const values = Array.from({ length: 4_000 }, (_, n) => ({ n, text: `${n}` }));
  const items = Array.from({ length: 400 }, (_, index) => ({ index, values }));
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  let serialize: (text: string) => string = () => 'by the framework';
  const reply = { serializer: (given: typeof serialize) => void (serialize = given) };
  const hook = serializeInTurns as (request: unknown, reply: unknown, payload: unknown) => Promise<unknown>;
  const text = await hook({}, reply, items);
  isOver = true;
  expect(serialize(text as string)).toBe(JSON.stringify(items));
  // A million and a half of small objects take more than one turn of ten milliseconds, however fast the machine is.
  expect(turns).toBeGreaterThan(1);
  expect(await hook({}, reply, items.slice(0, 3))).toEqual(items.slice(0, 3));
});
