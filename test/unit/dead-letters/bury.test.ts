import { hash } from 'node:crypto';
import fc from 'fast-check';
import { header, isShortened, packHeaders, parseDeadLetter, unpackHeaders } from '#lib/contract';
import { createBury, deadLetterCounter, type DiedRecord } from '#lib/dead-letters';
import type { OutgoingRecord } from '#lib/kafka';
import { AppError, createManualClock, createWaitOut, silentLogger } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { shortenedForms } from '../../../libs/dead-letters/shorten.ts';
import { seriesOf } from '../../support/series.ts';

const facts = { stage: 'dedup', reason: 'data_invalid', attempts: 3, origin: 't-0-1' } as const;
const at = Date.UTC(2026, 0, 1) * 1_000;
const refused = (): never => {
  throw new AppError('data_invalid', 'too large');
};

const bytesOf = ({ key, value, headers }: DiedRecord): number =>
  (key?.length ?? 0) +
  value.length +
  Object.entries(headers).reduce(
    (sum, [name, values]) => sum + [values].flat().reduce((all, each) => all + name.length + each.length, 0),
    0,
  );

/** A topic that takes records up to a size, and a table; either can refuse or be away. */
function createWorld(maxBytes: number) {
  const clock = createManualClock();
  const metrics = new Metrics();
  const sent: OutgoingRecord[] = [];
  const kept: DiedRecord[] = [];
  const given = new AbortController();
  const table = { answer: (): void => undefined };
  const lines: object[] = [];
  const bury = createBury({
    producer: {
      async send(record) {
        if (bytesOf(record) > maxBytes) refused();
        sent.push(record);
        return { topic: record.topic, partition: 0, offset: 0n };
      },
    },
    topic: 'dead-letters',
    keep: async (died) => {
      table.answer();
      kept.push(died);
    },
    counter: deadLetterCounter('Dead letters', ['dedup']),
    waitOut: createWaitOut({ clock, log: silentLogger }),
    clock,
    log: { ...silentLogger, error: (line: object) => lines.push(line) },
    metrics,
  });
  return {
    clock,
    metrics,
    sent,
    kept,
    given,
    table,
    lines,
    bury: (died: DiedRecord) => bury(died, facts, given.signal),
  };
}

const died = (bytes: number, headers: DiedRecord['headers'] = { other: 'as it was' }): DiedRecord => ({
  key: 'key',
  value: Buffer.from(Array.from({ length: bytes }, (_, n) => n % 251)),
  headers,
});
const textOf = ({ headers }: OutgoingRecord): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, String([values].flat().at(-1))]));

test('a record that fits is buried whole, and nothing says that it was shortened', async () => {
  const { bury, sent, lines, metrics } = createWorld(10_000);
  const record = died(5_000);
  expect(await bury(record)).toBe('whole');
  expect(sent).toMatchObject([{ key: 'key', value: record.value, headers: { other: 'as it was' } }]);
  expect(parseDeadLetter(textOf(sent[0] as OutgoingRecord))).toEqual({
    ...facts,
    at,
    generation: 0,
    shortenedFrom: null,
  });
  expect(isShortened(sent[0]?.headers as Record<string, Buffer>)).toBe(false);
  expect(lines).toEqual([]);
  expect(await seriesOf(metrics, 'hookline_dead_letters_kept_total')).toEqual({
    'as="whole"': 1,
    'as="shortened"': 0,
    'as="in_postgres"': 0,
  });
});

test('one that is refused is shortened to what fits, with its length and digest', async () => {
  const { bury, sent, kept, lines } = createWorld(10_000);
  const record = died(100_000);
  expect(await bury(record)).toBe('shortened');
  const [deadLetter] = sent;
  expect(sent).toHaveLength(1);
  expect(deadLetter?.value.length).toBeGreaterThan(5_000);
  expect(record.value.subarray(0, deadLetter?.value.length)).toEqual(deadLetter?.value);
  expect(textOf(deadLetter as OutgoingRecord)).toMatchObject({ other: 'as it was' });
  expect(parseDeadLetter(textOf(deadLetter as OutgoingRecord))).toMatchObject({
    ...facts,
    shortenedFrom: { bytes: 100_000, sha256: hash('sha256', record.value, 'hex') },
  });
  expect(kept).toEqual([]);
  expect(lines).toMatchObject([{ event: 'dead_letter.refused', keptAs: 'shortened', bytes: 100_000 }]);
});

test('what is kept of its headers says that it was shortened', async () => {
  const { bury, sent } = createWorld(10_000);
  await bury(died(100_000));
  const headers = Object.fromEntries(
    Object.entries(sent[0]?.headers ?? {}).map(([name, values]) => [
      name,
      [values].flat().map((value) => Buffer.from(value)),
    ]),
  );
  expect(isShortened(unpackHeaders(packHeaders(headers)))).toBe(true);
});

test('headers are cut where they are what is too large; ids stay whole', async () => {
  const { bury, sent } = createWorld(4_000);
  const id = `evt_${'x'.repeat(200)}`;
  const headers = {
    [header.eventId]: id,
    long: 'h'.repeat(60_000),
    ...Object.fromEntries([...Array(200).keys()].map((n) => [`x-${n}`, 'y'.repeat(20)])),
  };
  expect(await bury(died(300, headers))).toBe('shortened');
  const deadLetter = textOf(sent[0] as OutgoingRecord);
  expect(deadLetter[header.eventId]).toBe(id);
  expect(deadLetter['long']?.length ?? 0).toBeLessThanOrEqual(256);
  expect(JSON.parse(deadLetter[header.deadLetterCutHeaders] ?? '')).toContain('long');
});

test('one that is refused however short is kept in Postgres, whole', async () => {
  const { bury, sent, kept, metrics } = createWorld(10);
  const record = died(100_000);
  expect(await bury(record)).toBe('in_postgres');
  expect([sent, kept]).toEqual([[], [record]]);
  expect((await seriesOf(metrics, 'hookline_dead_letters_kept_total'))['as="in_postgres"']).toBe(1);
});

test('Postgres that is away is waited for; what both refuse is tried until one takes it; nothing is given up', async () => {
  const { bury, kept, table, clock, lines } = createWorld(10);
  let tries = 0;
  table.answer = () => {
    tries += 1;
    if (tries < 4) throw new AppError('store_unavailable', 'away');
    if (tries === 4) refused();
  };
  const burying = bury(died(100));
  await clock.advance(30_000);
  expect(await burying).toBe('in_postgres');
  expect([tries, kept.length]).toEqual([5, 1]);
  expect(lines).toMatchObject([{ event: 'dead_letter.kept_nowhere' }, { event: 'dead_letter.refused' }]);
});

test('it ends with the signal, and says so', async () => {
  const { bury, table, clock, given } = createWorld(10);
  table.answer = () => {
    throw new AppError('store_unavailable', 'away');
  };
  const burying = bury(died(100));
  await clock.advance(1_000);
  given.abort();
  await expect(burying).rejects.toMatchObject({ code: 'stopped' });
});

test('each form of a record is smaller than the one before, a beginning of it, and marked', () => {
  const headers = fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), fc.string({ maxLength: 3_000 }), {
    maxKeys: 30,
  });
  fc.assert(
    fc.property(fc.nat(5_000), headers, fc.string({ maxLength: 2_000 }), (bytes, given, key) => {
      const record = { ...died(bytes, given), key };
      let before = Number.POSITIVE_INFINITY;
      for (const form of shortenedForms(record)) {
        expect(form.value.length).toBeLessThanOrEqual(before);
        before = form.value.length;
        expect(record.value.subarray(0, form.value.length)).toEqual(form.value);
        expect(form.headers[header.deadLetterBytes]).toBe(String(bytes));
      }
    }),
    { numRuns: 100 },
  );
});
