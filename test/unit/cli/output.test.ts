import { failureOf } from '#lib/api-client';
import { toCommandFailure } from '../../../services/cli/api-calls/api-failure.ts';
import { describe as describeThing, table } from '../../../services/cli/output/print.ts';

const refused = (status: number, body: string) => failureOf({ status, body, header: () => undefined });

test('a thing is a line for each field, several are a line each', () => {
  expect(describeThing({ id: 'src_1', rate_limit: { burst: 2 } })).toBe('id          src_1\nrate_limit  {"burst":2}');
  expect(
    table(
      [
        { id: '1', name: 'long name' },
        { id: '22', name: '' },
      ],
      ['id', 'name'],
    ),
  ).toBe('id  name\n1   long name\n22');
  expect(table([], ['id'])).toBe('(none)');
});

test('another’s text moves no cursor', () => {
  expect(describeThing({ name: '\u001b[2Jgone\u009b' })).toBe('name  ?[2Jgone?');
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
  expect(toCommandFailure(refused(400, JSON.stringify(problem)))).toMatchObject({
    exitCode: 1,
    message: 'The request is invalid (400 validation_failed)\n  /name is missing\n  /scheme is missing',
    facts: problem,
  });
});

test.each([
  ['<html>Bad gateway</html>', 'answered 502: <html>Bad gateway</html>'],
  ['', 'answered 502: '],
  ['null', 'answered 502: null'],
])('what is no problem document is told as it came: %j', (body, message) => {
  expect(toCommandFailure(refused(502, body)).message).toBe(message);
});
