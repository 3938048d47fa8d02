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
    edits: [{ in: 'isName', returns: `text !== ''` }],
    byDay: { test: 'test/unit/contract/record-text.test.ts', title: 'is nothing that tables and headers take' },
    byNight: topics('process-died', 'not-drained'),
    budgetSeconds: 420,
  },
  {
    name: 'takes a text that is too long for an index for an outage',
    edits: [{ in: 'dataClasses', value: `['22', '23']` }],
    byNight: topics('not-drained'),
    budgetSeconds: 420,
  },
  {
    name: 'believes how many entries Avro says that there are',
    edits: [{ in: 'areLengthsSound', replace: 'skip($type, $bytes, 0) <= $bytes.length', with: 'true' }],
    byDay: { test: 'test/unit/kafka/avro-lengths.test.ts', title: 'one that is cut anywhere is not' },
    byNight: topics('process-died', 'not-drained', 'memory-grew'),
    budgetSeconds: 600,
  },
  {
    name: 'takes what every object has for a header',
    edits: [{ in: 'ConsumedRecord.rawHeaders', always: 'Object.hasOwn($headers, $name)' }],
    byDay: {
      test: 'test/unit/kafka/consumed-record.test.ts',
      title: 'a header may be called as what every object has',
    },
    byNight: topics('process-died', 'not-drained'),
    budgetSeconds: 420,
  },
  {
    name: 'lets a record that is no delivery go without a dead letter',
    edits: [
      {
        in: 'createOutcomeWriter.malformed',
        replace: 'deps.buryRecord($record, $facts, $signal)',
        with: 'Promise.resolve($record.done())',
      },
    ],
    byDay: { test: 'test/unit/dispatcher/outcome-writer.test.ts', title: 'buries a record that is no delivery' },
    byNight: topics('vanished-record'),
    budgetSeconds: 300,
  },
  {
    name: 'writes a dead letter without the headers of what died',
    edits: [{ in: 'createBuryRecord', replace: '{ ...$headers, ...$rawHeaders }', with: '{ ...$headers }' }],
    byDay: {
      test: 'test/unit/dead-letters/bury-record.test.ts',
      title: 'has the key, the bytes and the headers as they were',
    },
    byNight: topics('vanished-record', 'wrong-end', 'altered-letter'),
    budgetSeconds: 300,
  },
  {
    name: 'has a route without a schema',
    edits: [{ in: 'libs/api-contract/publishEvent.body', value: 'undefined' }],
    byDay: { test: 'test/integration/api/publish-event.test.ts', title: 'is refused where it is not valid' },
    byNight: http('server-error'),
    budgetSeconds: 300,
  },
  {
    name: 'tells what it refuses in the words of the framework',
    edits: [
      {
        in: 'createErrorHandler',
        insert: 'if ($refused !== undefined) return reply.code(400).send({ message: thrown.message });',
        before: 'if ($refused !== undefined) return sendProblem(',
      },
    ],
    byDay: { test: 'test/unit/api/http.test.ts', title: 'that are no JSON are not valid' },
    byNight: http('not-a-problem'),
    budgetSeconds: 300,
  },
  {
    name: 'writes a webhook to the topic that it then refuses',
    edits: [
      {
        in: 'createReceiveWebhook',
        insert: `if ($verdict !== 'valid')
  await admission.send(
    {
      topic,
      key: null,
      value: read.body,
      headers: source.recordHeaders({
        receiptId: createId('rcp', nowMs, random),
        receivedAt: Math.round(nowMs * 1000),
        rawHeaders: request.rawHeaders,
        headers,
        method: '',
        url: '',
        address: '',
        orderingKey: source.orderingKey({ headers, body: read.body }),
        traceparent: newTraceparent(given, random),
        trail: trails.read(headers['hookline-trail']),
        credentials: credentialNames.of(source.tenant),
      }),
    },
    deadlineMs,
  );`,
        before: `$verdict !== 'valid'`,
      },
    ],
    byDay: {
      test: 'test/unit/ingress/receive-webhook.test.ts',
      title: 'is answered by its problem, counted and logged once, and never produced',
    },
    byNight: http('left-by-refused'),
    budgetSeconds: 300,
  },
];
