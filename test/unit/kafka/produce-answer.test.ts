import { KafkaJSConnectionError, KafkaJSRequestTimeoutError } from 'kafkajs/src/errors.js';
import { outcomeOfAnswer, outcomeOfFailure } from '../../../libs/kafka/producing/produce-answer.ts';

const answer = { topic: 't', partition: 3, errorCode: 0, baseOffset: 41n };
const others = [
  { ...answer, partition: 2, errorCode: 10 },
  { ...answer, topic: 'u', errorCode: 7 },
];

test('a batch is written where the answer names its partition, without an error, with a base offset', () => {
  expect(outcomeOfAnswer([...others, answer], 't', 3)).toEqual({ kind: 'written', baseOffset: 41n });
});

test.each([
  ['the answer is empty', []],
  ['others are named', others],
  ['the partition is named twice', [answer, answer]],
  ['the base offset is -1', [{ ...answer, baseOffset: -1n }]],
])('a batch is not known to be written where %s, and the connection is suspect', (_, answers) => {
  expect(outcomeOfAnswer(answers, 't', 3)).toMatchObject({ kind: 'unknown', connectionSuspect: true, lags: false });
});

// https://kafka.apache.org/protocol#protocol_error_codes
test.each([
  ['MESSAGE_TOO_LARGE', 10],
  ['RECORD_LIST_TOO_LARGE', 18],
  ['INVALID_TIMESTAMP', 32],
  ['INVALID_RECORD', 87],
])('%s is the fault of a record', (name, errorCode) => {
  const outcome = outcomeOfAnswer([{ ...answer, errorCode }], 't', 3);
  expect(outcome.kind === 'refused' && outcome.error.message).toBe(`t/3: ${name}`);
});

test.each([
  ['NOT_LEADER_OR_FOLLOWER', 6, false],
  ['TOPIC_AUTHORIZATION_FAILED', 29, false],
  ['REQUEST_TIMED_OUT', 7, true],
  ['NOT_ENOUGH_REPLICAS', 19, true],
  ['NOT_ENOUGH_REPLICAS_AFTER_APPEND', 20, true],
])('what the broker says about the partition is tried again over the same connection: %s', (_, errorCode, lags) => {
  const outcome = outcomeOfAnswer([{ ...answer, errorCode, baseOffset: -1n }], 't', 3);
  expect(outcome).toMatchObject({ kind: 'unknown', connectionSuspect: false, lags });
});

test('time-outs, lost connections and what nobody foresaw are tried again over a new connection', () => {
  const failures = [
    new KafkaJSRequestTimeoutError('late', {} as never),
    new KafkaJSConnectionError('gone', {}),
    new TypeError('undefined is not a function'),
    'text',
  ];
  for (const failure of failures)
    expect(outcomeOfFailure(failure)).toMatchObject({ kind: 'unknown', connectionSuspect: true, lags: false });
});
