import type { Mutant, RunCheck } from './mutant.ts';

const topics = (...seenAs: string[]): RunCheck => ({
  run: 'fuzzing',
  scenario: 'topics',
  numbers: { records: 3 },
  seenAs,
});
const http = (...seenAs: string[]): RunCheck => ({
  run: 'fuzzing',
  scenario: 'http',
  numbers: { requests: 60 },
  seenAs,
});

/** Guards against what nobody should send, taken away. */
export const fuzzingMutants: readonly Mutant[] = [
  {
    name: 'takes any text in a header for an id',
    edits: [
      {
        file: 'libs/contract/record-text.ts',
        find: `text.length <= maxNameLength && name.test(text)`,
        replace: `text !== ''`,
      },
    ],
    check: topics('process-died', 'not-drained'),
    budgetSeconds: 420,
  },
  {
    name: 'takes a text that is too long for an index for an outage',
    edits: [
      {
        file: 'libs/postgres/errors.ts',
        find: `const dataClasses = ['22', '23', '54'];`,
        replace: `const dataClasses = ['22', '23'];`,
      },
    ],
    check: topics('not-drained'),
    budgetSeconds: 420,
  },
  {
    name: 'believes how many entries Avro says that there are',
    edits: [
      {
        file: 'libs/kafka/codec/avro-lengths.ts',
        find: `return skip(type, bytes, 0) <= bytes.length;`,
        replace: `return type !== undefined && bytes !== undefined;`,
      },
    ],
    check: topics('process-died', 'not-drained', 'memory-grew'),
    budgetSeconds: 600,
  },
  {
    name: 'takes what every object has for a header',
    edits: [
      {
        file: 'libs/kafka/consuming/consumed-record.ts',
        find: `Object.hasOwn(headers, name) ? headers[name] : undefined`,
        replace: `headers[name]`,
      },
    ],
    check: topics('process-died', 'not-drained'),
    budgetSeconds: 420,
  },
  {
    name: 'lets a record that is no delivery go without a dead letter',
    edits: [
      {
        file: 'services/dispatcher/send/outcome-writer.ts',
        find: `      deps.buryRecord(record, {`,
        replace: `      record.value.length >= 0 ? Promise.resolve(record.done()) : deps.buryRecord(record, {`,
      },
    ],
    check: topics('vanished-record'),
    budgetSeconds: 300,
  },
  {
    name: 'writes a dead letter without the headers of what died',
    edits: [
      {
        file: 'libs/dead-letters/bury-record.ts',
        find: `{ ...headers, ...rawHeaders }`,
        replace: `{ ...headers, ...(rawHeaders && {}) }`,
      },
    ],
    check: topics('vanished-record', 'wrong-end', 'altered-letter'),
    budgetSeconds: 300,
  },
  {
    name: 'has a route without a schema',
    edits: [{ file: 'services/api/routes/publish-event.ts', find: `    schema: { body },\n`, replace: `` }],
    check: http('server-error'),
    budgetSeconds: 300,
  },
  {
    name: 'tells what it refuses in the words of the framework',
    edits: [
      {
        file: 'services/api/http/handle-error.ts',
        find: `if (refused !== undefined) return sendProblem(`,
        replace: `if (refused !== undefined) return reply.code(400).send({ message: thrown.message });
    if (refused !== undefined) return sendProblem(`,
      },
    ],
    check: http('not-a-problem'),
    budgetSeconds: 300,
  },
  {
    name: 'writes a webhook to the topic that it then refuses',
    edits: [
      {
        file: 'services/ingress/receiving/receive-webhook.ts',
        find: `    if (verdict !== 'valid') return`,
        replace: `    if (verdict !== 'valid')
      await admission.send(
        {
          topic,
          key: null,
          value: read.body,
          headers: source.recordHeaders({
            receiptId: createId('rcp', nowMs, random),
            receivedAt: Math.round(nowMs * 1000),
            ...{ rawHeaders: request.rawHeaders, headers, method: '', url: '', address: '' },
            orderingKey: source.orderingKey({ headers, body: read.body }),
            traceparent: newTraceparent(given, random),
          }),
        },
        deadlineMs,
      );
    if (verdict !== 'valid') return`,
      },
    ],
    check: http('left-by-refused'),
    budgetSeconds: 300,
  },
];
