import { KafkaJSConnectionError, KafkaJSProtocolError, KafkaJSRequestTimeoutError } from 'kafkajs';
import { judgeAnswer, judgeFailure } from '../../../libs/kafka/produce-answer.ts';

const entry = { topicName: 't', partition: 3, errorCode: 0, baseOffset: '41' };

test('a record is written where the answer names its partition, without an error, with a base offset', () => {
  expect(judgeAnswer([entry], 't', 3)).toEqual({ kind: 'written', baseOffset: 41n });
});

test.each([
  ['the answer is empty, as for a partition that the metadata do not know', []],
  ['another partition is named', [{ ...entry, partition: 2 }]],
  ['another topic is named', [{ ...entry, topicName: 'u' }]],
  ['the partition is named twice', [entry, entry]],
  ['there is an error code', [{ ...entry, errorCode: 6 }]],
  ['there is no base offset', [{ topicName: 't', partition: 3, errorCode: 0 }]],
  ['the base offset is -1', [{ ...entry, baseOffset: '-1' }]],
  ['the base offset is no number', [{ ...entry, baseOffset: '' }]],
])('a record is not known to be written where %s', (_, answer) => {
  expect(judgeAnswer(answer, 't', 3)).toMatchObject({ kind: 'unknown', connectionSuspect: true });
});

const protocolError = (type: string, code: number, retriable: boolean): Error =>
  new Error('gave up', { cause: new KafkaJSProtocolError(Object.assign(new Error(type), { type, code, retriable })) });

test.each(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD', 'INVALID_TIMESTAMP'])(
  '%s is the fault of a record',
  (type) => expect(judgeFailure(protocolError(type, 1, false)).kind).toBe('refused'),
);

test('what the broker says about its own state is tried again, over the same connection', () => {
  for (const type of ['NOT_LEADER_FOR_PARTITION', 'NOT_ENOUGH_REPLICAS', 'REQUEST_TIMED_OUT']) {
    expect(judgeFailure(protocolError(type, 1, true))).toMatchObject({ kind: 'unknown', connectionSuspect: false });
  }
});

test('time-outs, lost connections and what nobody foresaw are tried again over a new connection', () => {
  const failures = [
    new KafkaJSRequestTimeoutError('late', {} as never),
    new KafkaJSConnectionError('gone', {}),
    new TypeError('undefined is not a function'),
    'text',
    protocolError('TOPIC_AUTHORIZATION_FAILED', 29, false),
  ];
  for (const failure of failures) {
    expect(judgeFailure(failure)).toMatchObject({ kind: 'unknown', connectionSuspect: true });
  }
});
