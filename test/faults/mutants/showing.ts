import type { Mutant } from './mutant.ts';

const unit = (test: string, title: string, edits: Mutant['edits'], name: string): Mutant => ({
  name: `the console ${name}`,
  edits,
  byDay: { test: `test/unit/console/${test}.test.ts`, title },
  budgetSeconds: 120,
});

/** Mutants of console and portal: ways to answer 200 for nothing, to let others in, to change what is shown, and to do a thing twice. */
export const showingMutants: readonly Mutant[] = [
  {
    name: 'the API opens routes to portal sessions that name no capability',
    edits: [
      {
        in: 'missingCapability',
        replace: `if ($needed === undefined) return 'Portal sessions may not do this'`,
        with: 'if ($needed === undefined) return undefined',
      },
    ],
    byDay: { test: 'test/unit/api/portal-capabilities.test.ts', title: 'opens the routes of these, and no other' },
    budgetSeconds: 120,
  },
  {
    name: 'the HTTP client judges what a portal session chose with the allowances',
    edits: [{ in: 'createHttpClient.strict', value: 'vettedBy(options)' }],
    byDay: { test: 'test/unit/http-client/vetted-addresses.test.ts', title: 'opens nothing for a strict request' },
    budgetSeconds: 120,
  },
  unit(
    'portal',
    'a customer’s session is none in the console',
    [
      {
        in: 'createAnswerPage.find',
        replace: `if ($isCustomer !== ($face === 'portal')) return { kind: 'none' };`,
        with: `if ($isCustomer && $face !== 'portal') request.state.session = undefined;`,
      },
    ],
    'takes the session of a customer for one of the operator',
  ),
  unit(
    'portal',
    'the portal has these pages for these capabilities',
    [{ in: 'inPortal', replace: 'capability !== undefined', with: 'true' }],
    'opens pages to customers that name no capability',
  ),
  unit(
    'portal',
    'is closed without',
    [{ in: 'checkRequest', replace: '!$granted.includes(handler.capability)', with: '$granted.length === 0' }],
    'leaves capabilities to the buttons that it shows',
  ),
  unit(
    'portal',
    'asks whether it could be, and redeems it only by its button',
    [{ in: 'createSessionActions.lookAtLink', replace: ', dry_run: true', with: '' }],
    'redeems a link that somebody looks at',
  ),
  unit(
    'answering',
    'is a 404, with and without a session',
    [
      {
        in: 'services/console/buildApp',
        replace: 'await answerPage.findSession($request, $face); return sendResult($reply, problem(404));',
        with: `return sendResult($reply, { kind: 'sign_in', status: 200 });`,
      },
    ],
    'has a shell for every path',
  ),
  unit(
    'signing-in',
    'a key makes a session, and the wanted page follows',
    [{ in: 'setCookie', replace: `'SameSite=Lax'`, with: `'SameSite=None'` }],
    'sends its cookie with what other sites ask',
  ),
  unit(
    'event',
    'shows its payload and request as they came',
    [{ in: 'payloadView.shown', replace: 'indentedJson($text)', with: 'JSON.stringify(JSON.parse($text), null, 2)' }],
    'parses a payload and prints it again',
  ),
  unit(
    'answering',
    'takes its Idempotency-Key to the API',
    [{ in: 'createAnswerPage.contextOf', replace: '{ idempotencyKey: $key }', with: '{ idempotencyKey: newKey() }' }],
    'makes a key for each click',
  ),
  unit(
    'answering',
    'every page is a 503, never a 404',
    [{ in: 'problemOfFailure', replace: 'problem(503, { retryAfterSeconds })', with: 'problem(404)' }],
    'says that nothing is there while the API is away',
  ),
  unit(
    'border',
    'the tenant is that of the path',
    [
      {
        in: 'checkRequest',
        replace: 'const { tenant } = params;',
        with: `const tenant = queryOf(request).get('tenant') ?? params['tenant'];`,
      },
      {
        in: 'checkRequest.unknown',
        replace: '!handler.query.includes($name)',
        with: `$name !== 'tenant' && !handler.query.includes($name)`,
      },
    ],
    'takes the tenant from the query',
  ),
  unit(
    'catalog',
    'no path has a wildcard',
    [{ in: 'services/console/catalog/type.path', value: `'/catalog/*'` }],
    'has a page for every path of the catalog',
  ),
  unit(
    'catalog',
    'no redirect leads to another or to what is gone',
    [
      {
        in: 'createCatalogs.type',
        replace: `$target.kind === 'found' ? { ...$found, to: $target.value.name } : $target`,
        with: '$found',
      },
    ],
    'redirects to names that are no page',
  ),
  unit(
    'catalog',
    'the sitemap has what is there at that moment',
    [
      {
        in: 'sitemap.answer',
        replace: 'await catalog.types()',
        with: '(globalThis.listedTypes ??= await catalog.types())',
      },
    ],
    'makes its sitemap from a list that it has kept',
  ),
  unit(
    'catalog',
    'words is noindex, and not in the sitemap',
    [
      {
        in: 'services/console/http/robots',
        replace: 'html`<meta name="robots" content="noindex">`',
        with: `html\`<script type="module">document.head.append(Object.assign(document.createElement('meta'), { name: 'robots', content: 'noindex' }))</script>\``,
      },
    ],
    'leaves noindex to a script',
  ),
  unit(
    'catalog',
    'what was shown is shown, with its age, and nothing is a 404',
    [{ in: 'createCatalogs.ask', replace: 'throw new ApiError($refusal)', with: 'return { status: 404 }' }],
    'says that a type is missing while the API is away',
  ),
];
