import type { Mutant } from './mutant.ts';

const unit = (test: string, title: string, edits: Mutant['edits'], name: string): Mutant => ({
  name: `the console ${name}`,
  edits,
  check: { test: `test/unit/console/${test}.test.ts`, title },
  budgetSeconds: 120,
});

/** Mutants of the console: ways to answer 200 for nothing, to let others in, to change what is shown, and to do a thing twice. */
export const showingMutants: readonly Mutant[] = [
  unit(
    'answering',
    'is a 404, with and without a session',
    [
      {
        file: 'services/console/app.ts',
        find: `    await answerPage.findSession(request);
    return sendResult(reply, problem(404));`,
        replace: `    return sendResult(reply, { kind: 'sign_in', status: 200 });`,
      },
    ],
    'has a shell for every path',
  ),
  unit(
    'signing-in',
    'a key makes a session, and the wanted page follows',
    [{ file: 'services/console/http/cookies.ts', find: `'SameSite=Lax'`, replace: `'SameSite=None'` }],
    'sends its cookie with what other sites ask',
  ),
  unit(
    'event',
    'shows its payload and request as they came',
    [
      {
        file: 'services/console/parts/payload-view.ts',
        find: `indentedJson(text.text)`,
        replace: `JSON.stringify(JSON.parse(text.text), null, 2)`,
      },
    ],
    'parses a payload and prints it again',
  ),
  unit(
    'answering',
    'takes its Idempotency-Key to the API',
    [
      {
        file: 'services/console/http/answer-page.ts',
        find: `{ idempotencyKey: key }`,
        replace: `{ idempotencyKey: newKey() }`,
      },
    ],
    'makes a key for each click',
  ),
  unit(
    'answering',
    'every page is a 503, never a 404',
    [
      {
        file: 'services/console/problem-of-failure.ts',
        find: `if (failure.kind !== 'problem') return problem(503, { retryAfterSeconds });`,
        replace: `if (failure.kind !== 'problem') return problem(404);`,
      },
    ],
    'says that nothing is there while the API is away',
  ),
  unit(
    'border',
    'the tenant is that of the path',
    [
      {
        file: 'services/console/http/judge.ts',
        find: `const { tenant } = params;`,
        replace: `const tenant = queryOf(request).get('tenant') ?? params['tenant'];`,
      },
      {
        file: 'services/console/http/judge.ts',
        find: `!handler.query.includes(name)`,
        replace: `name !== 'tenant' && !handler.query.includes(name)`,
      },
    ],
    'takes the tenant from the query',
  ),
];
