import { failureOf } from '#client';
import { toCommandFailure } from '../../../services/cli/api-calls/failures.ts';
import { CommandFailure } from '../../../services/cli/command-failure.ts';
import { nameWrongFields } from '../../../services/cli/name-wrong-fields.ts';
import { describe as describeThing, type Screen, table } from '../../../services/cli/output/print.ts';

const screen: Screen = { columns: Infinity, hasColour: false, offsetMinutes: () => 0 };
const url = 'http://127.0.0.1:8081';
const refused = (status: number, body: string) =>
  toCommandFailure(failureOf({ status, bytes: Buffer.from(body), header: () => undefined }), url);

test('a thing is a line for each field, several are a line each', () => {
  expect(describeThing({ id: 'src_1', rate_limit: { burst: 2 } }, screen)).toBe(
    'id          src_1\nrate_limit  {"burst":2}',
  );
  expect(
    table(
      [
        { id: '1', name: 'long name' },
        { id: '22', name: '' },
      ],
      ['id', 'name'],
      screen,
    ),
  ).toBe('id  name\n1   long name\n22');
  expect(table([], ['id'], screen)).toBe('(none)');
});

test('another’s text moves no cursor', () => {
  expect(describeThing({ name: '\u001b[2Jgone\u009b' }, screen)).toBe('name  ?[2Jgone?');
});

test('a problem is told with every field that is wrong', () => {
  const problem = {
    title: 'The request is invalid',
    status: 400,
    code: 'validation_failed',
    detail: '/name is missing; /scheme is missing',
    errors: [
      { field: '/name', message: 'is missing' },
      { field: '/scheme', message: 'is missing' },
    ],
  };
  expect(nameWrongFields(refused(400, JSON.stringify(problem)), ['scheme'])).toMatchObject({
    exitCode: 1,
    message: 'The request is invalid (400 validation_failed)\n  /name is missing\n  --scheme is missing',
    facts: problem,
  });
});

test('errors that are counted, and not listed, are a line of their own; 413 and 429 say their limit', () => {
  const errors = [{ field: '/name', message: 'is missing' }];
  const many = { title: 'The request is invalid', code: 'validation_failed', errors, more_errors: 4_321 };
  expect(nameWrongFields(refused(400, JSON.stringify(many)), []).message).toMatch(
    /\n {2}\/name is missing\n {2}and 4321 more$/,
  );
  const large = {
    title: 'The request body is too large',
    code: 'payload_too_large',
    detail: 'It may have 4,096 bytes',
  };
  expect(refused(413, JSON.stringify(large)).message).toBe(
    'The request body is too large (413 payload_too_large): It may have 4,096 bytes',
  );
});

test.each([
  ['<html>Bad gateway</html>', 'answered 502: <html>Bad gateway</html>'],
  ['', 'answered 502: '],
  ['null', 'answered 502: null'],
])('what is no problem document is told as it came: %j', (body, message) => {
  expect(refused(502, body).message).toBe(message);
});

test.each([
  ['/url', '--url'],
  ['/event_types/1', '--event-types'],
  ['/retry/base_seconds', '--retry (/base_seconds)'],
  ['/filter/source_id', '--source'],
  ['received_since', '--since'],
  ['/rate_per_second', '--rate'],
  ['/constructor', '/constructor'],
  ['', ''],
])('a field that the API names %j is shown as %j', (field, shown) => {
  const failure = new CommandFailure(1, 'no', {}, [{ field, message: 'is wrong' }]);
  const options = ['url', 'event-types', 'retry', 'source', 'since', 'rate'];
  expect(nameWrongFields(failure, options).message).toBe(`no\n  ${shown} is wrong`);
});

test('where a verb has a filter of its own, a field within it belongs to that', () => {
  const failure = new CommandFailure(1, 'no', {}, [{ field: '/filter/$gt', message: 'is wrong' }]);
  expect(nameWrongFields(failure, ['filter']).message).toBe('no\n  --filter (/$gt) is wrong');
});

test.each([
  ['http://127.0.0.1:8081', '`make up` starts it'],
  ['https://api.example.com', 'HOOKLINE_API_URL says where'],
])('an API at %s that does not answer is told with what to do', (url, hint) => {
  const { message } = toCommandFailure({ kind: 'no_answer', reason: 'connect ECONNREFUSED' }, url);
  expect(message).toContain(`the API at ${url} does not answer: connect ECONNREFUSED\n`);
  expect(message).toContain(hint);
});
