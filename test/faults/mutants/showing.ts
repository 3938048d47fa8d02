import type { Mutant } from './mutant.ts';

const unit = (test: string, title: string, edits: Mutant['edits'], name: string): Mutant => ({
  name: `the console ${name}`,
  edits,
  check: { test: `test/unit/console/${test}.test.ts`, title },
  budgetSeconds: 120,
});

/** Mutants of console and portal: ways to answer 200 for nothing, to let others in, to change what is shown, and to do a thing twice. */
export const showingMutants: readonly Mutant[] = [
  {
    name: 'the API opens routes to portal sessions that name no capability',
    edits: [
      {
        file: 'services/api/keys/capabilities.ts',
        find: `if (needed === undefined) return 'Portal sessions may not do this';`,
        replace: `if (needed === undefined) return undefined;`,
      },
    ],
    check: { test: 'test/unit/api/portal-capabilities.test.ts', title: 'opens the routes of these, and no other' },
    budgetSeconds: 120,
  },
  {
    name: 'the HTTP client judges what a portal session chose with the allowances',
    edits: [
      {
        file: 'libs/http-client/http-client.ts',
        find: `judgedBy({ allowHttp: false, allowedNetworks: parseAllowedNetworks([]) })`,
        replace: `judgedBy(options)`,
      },
    ],
    check: { test: 'test/unit/http-client/judged-addresses.test.ts', title: 'opens nothing for a strict request' },
    budgetSeconds: 120,
  },
  unit(
    'portal',
    'a customer’s session is none in the console',
    [
      {
        file: 'services/console/http/answer-page.ts',
        find: `if (isCustomer !== (face === 'portal')) return { kind: 'none' };`,
        replace: `if (isCustomer && face !== 'portal') request.state.session = undefined;`,
      },
    ],
    'takes the session of a customer for one of the operator',
  ),
  unit(
    'portal',
    'the portal has these pages for these capabilities',
    [
      {
        file: 'services/console/page.ts',
        find: `filter(([, { capability }]) => capability !== undefined)`,
        replace: `filter(() => true)`,
      },
    ],
    'opens pages to customers that name no capability',
  ),
  unit(
    'portal',
    'is closed without',
    [
      {
        file: 'services/console/http/check-request.ts',
        find: `if (!granted.includes(handler.capability)) return problem(403);`,
        replace: `if (granted.length === 0) return problem(403);`,
      },
    ],
    'leaves capabilities to the buttons that it shows',
  ),
  unit(
    'portal',
    'asks whether it could be, and redeems it only by its button',
    [
      {
        file: 'services/console/session/session-actions.ts',
        find: `query('/portal-links/redeem', { code, dry_run: true })`,
        replace: `query('/portal-links/redeem', { code })`,
      },
    ],
    'redeems a link that somebody looks at',
  ),
  unit(
    'answering',
    'is a 404, with and without a session',
    [
      {
        file: 'services/console/app.ts',
        find: `    await answerPage.findSession(request, faceOfPath(pathOf(request), settings));
    return sendResult(reply, problem(404));`,
        replace: `    return sendResult(reply, { kind: 'sign_in', status: 200 });`,
      },
    ],
    'has a shell for every path',
  ),
  unit(
    'signing-in',
    'a key makes a session, and the wanted page follows',
    [{ file: 'services/console/http/cookies.ts', find: `['SameSite=Lax']`, replace: `['SameSite=None']` }],
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
        file: 'services/console/http/check-request.ts',
        find: `const { tenant } = params;`,
        replace: `const tenant = queryOf(request).get('tenant') ?? params['tenant'];`,
      },
      {
        file: 'services/console/http/check-request.ts',
        find: `!handler.query.includes(name)`,
        replace: `name !== 'tenant' && !handler.query.includes(name)`,
      },
    ],
    'takes the tenant from the query',
  ),
  unit(
    'catalog',
    'no path has a wildcard',
    [
      {
        file: 'services/console/routes/catalog/type.ts',
        find: `path: '/catalog/:type',`,
        replace: `path: '/catalog/*' as '/catalog/:type',`,
      },
    ],
    'has a page for every path of the catalog',
  ),
  unit(
    'catalog',
    'no redirect leads to another or to what is gone',
    [
      {
        file: 'services/console/catalog/catalog.ts',
        find: `return target.kind === 'found' ? { ...found, to: target.value.name } : target;`,
        replace: `return found;`,
      },
    ],
    'redirects to names that are no page',
  ),
  unit(
    'catalog',
    'the sitemap has what is there at that moment',
    [
      {
        file: 'services/console/routes/catalog/sitemap.ts',
        find: `const types = await catalog.types();`,
        replace: `const types = (listed ??= await catalog.types());`,
      },
      {
        file: 'services/console/routes/catalog/sitemap.ts',
        find: `/** Asked of the API`,
        replace: `let listed: Awaited<ReturnType<import('../../catalog/catalog.ts').Catalog['types']>> | undefined;

/** Asked of the API`,
      },
    ],
    'makes its sitemap from a list that it has kept',
  ),
  unit(
    'catalog',
    'words is noindex, and not in the sitemap',
    [
      {
        file: 'services/console/pages/layout.ts',
        find: `html\`<meta name="robots" content="noindex">\``,
        replace: `html\`<script type="module">document.head.append(Object.assign(document.createElement('meta'), { name: 'robots', content: 'noindex' }))</script>\``,
      },
    ],
    'leaves noindex to a script',
  ),
  unit(
    'catalog',
    'what was shown is shown, with its age, and nothing is a 404',
    [
      {
        file: 'services/console/catalog/catalog.ts',
        find: `if ('noAnswer' in known) throw new ApiRefusal({ kind: 'no_answer', url: '', reason: known.noAnswer });`,
        replace: `if ('noAnswer' in known) return { status: 404 };`,
      },
    ],
    'says that a type is missing while the API is away',
  ),
];
