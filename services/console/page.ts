/** A page: its path, what it needs, and its handlers. app.ts vets every request before a handler sees it. */
import type { Capability, Scope } from '#lib/api-contract';
import type { Clock } from '#lib/runtime';
import type { ReadApi, WriteApi } from './api-calls/console-api.ts';
import type { Catalog } from './catalog/index.ts';
import type { PageResult } from './page-result.ts';
import type { Session } from './reader.ts';
import type { Section } from './sections.ts';
import type { FoundSession, SessionActions } from './session/index.ts';

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export interface Settings {
  /** The path that all pages are below; empty: none. */
  base: string;
  /** The API’s reference; empty: unknown, as the next ones. */
  apiDocsUrl: string;
  grafanaUrl: string;
  runbookUrl: string;
  faces: readonly Face[];
  /** The origins whose pages may embed the portal. */
  frameOrigins: readonly string[];
}

/** A face that a process shows: the console, to people who sign in; the catalog of event types, to all; the portal, to a customer with a link. */
export type Face = 'console' | 'catalog' | 'portal';

/** A handler's view of its request. */
interface PageContext<Path extends string = string> {
  params: Readonly<Record<ParamNames<Path>, string>>;
  /** Without empty parameters. */
  query: URLSearchParams;
  /** Links to pages outside of a tenant begin with it: `${base}/tenants`. */
  base: string;
  settings: Settings;
  clock: Clock;
  /** An Idempotency-Key for a form of this page. ui/form.ts calls it. */
  newKey(): string;
}

interface SignedIn {
  session: Session;
  api: ReadApi;
  /**
   * Whether the session has the scope, or that of a customer the capability: what it may not do is not shown. Without a capability it is nothing
   * for customers, who have no scope.
   */
  can(scope: Scope | 'operator', capability?: Capability): boolean;
  /** A customer in the portal, who is told of no sources, dead letters and settings of the operator. */
  isCustomer: boolean;
}

/** The content of a form. */
interface Submitted {
  /** The fields, without the Idempotency-Key. */
  form: URLSearchParams;
  /** Changes have the Idempotency-Key of the form. */
  api: WriteApi;
}

/** Pages of a tenant, and of the portal of a customer, who is one. */
export interface TenantContext<Path extends string = string> extends PageContext<Path>, SignedIn {
  tenant: string;
  /** Links within the tenant begin with it, in the portal too: `${t}/endpoints`. */
  t: string;
}
export type TenantFormContext<Path extends string = string> = TenantContext<Path> & Submitted;
/** Pages of the operator. */
export type OperatorContext<Path extends string = string> = PageContext<Path> & SignedIn;
export type OperatorFormContext<Path extends string = string> = OperatorContext<Path> & Submitted;
/** Pages that anyone may ask for. */
export interface PublicContext<Path extends string = string> extends PageContext<Path> {
  /** The session of the reader, if somebody is signed in. */
  findSession(): Promise<FoundSession>;
  actions: SessionActions;
  /** Whether cookies are sent over https alone. */
  isSecure: boolean;
  /** Whether pages of other sites may embed the portal: over https alone. */
  isEmbeddable: boolean;
  /** Undefined: this page is not within another one. */
  frame: { keepsCookies: boolean } | undefined;
}
export interface PublicFormContext<Path extends string = string> extends PublicContext<Path> {
  form: URLSearchParams;
  /** That of the form, or a new one. */
  idempotencyKey: string;
}

/** Pages of the catalog: anyone may ask for them, nobody is signed in, and they change nothing. */
export interface CatalogContext<Path extends string = string> extends PageContext<Path> {
  catalog: Catalog;
  /** The origin that the reader knows: addresses for other programs begin with it and the base. */
  origin: string;
}

type Answer<Context> = (context: Context) => PageResult | Promise<PageResult>;

/** A handler and what is checked before it. */
interface Handling<Context> {
  /** Default: `read` for GET, `write` for POST. */
  scope?: Scope | 'any';
  /** A customer needs it for this. Absent: it is not in the portal. */
  capability?: Capability;
  /** The parameters that it takes; others are a 400. */
  query?: readonly string[];
  answer: Answer<Context>;
}

interface Described<Path extends string> {
  path: Path;
  /** The page's name for people. */
  title: string;
  /** The entry of the navigation that is marked as current. */
  section?: Section;
  /** Its form has a payload in it, and may be as large. */
  takesPayload?: true;
}

/** A handler as app.ts has it. */
type CompleteHandling = Required<Omit<Handling<never>, 'capability'>> & Pick<Handling<never>, 'capability'>;

/** A page with its types forgotten, as app.ts has it. */
export interface Page extends Described<string> {
  face: Face;
  access: 'tenant' | 'operator' | 'public' | 'catalog' | 'portal';
  /** A document for programs: its problems are problem details, and it has no slash at its end. */
  isDocument: boolean;
  handlers: Partial<Record<'GET' | 'POST', CompleteHandling>>;
}

interface Handlers<Context, FormContext> {
  get?: Handling<Context>;
  post?: Handling<FormContext>;
}

const tenantBase = '/t/:tenant';
const portalBase = '/portal';

type InTenantPage<Path extends string> = Described<Path> & Handlers<TenantContext<Path>, TenantFormContext<Path>>;

/**
 * @param page its path is below `/t/:tenant`; empty for the tenant's first page. Handlers that name a capability are those of a page of the portal,
 *   too, below `/portal`
 */
export const tenantPage = <const Path extends string>(page: InTenantPage<Path>): Page =>
  erased(page, { path: tenantBase + page.path, access: 'tenant' });

/** The same page for customers, with the handlers that name a capability; none without them. */
export function inPortal(page: Page): readonly Page[] {
  const handlers = Object.entries(page.handlers).filter(([, { capability }]) => capability !== undefined);
  if (page.access !== 'tenant' || handlers.length === 0) return [];
  const path = portalBase + page.path.slice(tenantBase.length);
  return [{ ...page, path, handlers: Object.fromEntries(handlers), access: 'portal', face: 'portal' }];
}

/** A page that the portal alone has. @param page its path is below `/portal` */
export const portalPage = <const Path extends string>(page: InTenantPage<Path>): Page =>
  erased(page, { path: portalBase + page.path, access: 'portal', face: 'portal' });

/** A page that only the operator’s session may see. */
export const operatorPage = <const Path extends string>(
  page: Described<Path> & Handlers<OperatorContext<Path>, OperatorFormContext<Path>>,
): Page => erased(page, { access: 'operator' });

/** A page without a session. Its form need not have an Idempotency-Key. */
export const publicPage = <const Path extends string>({
  face,
  ...page
}: Described<Path> & Handlers<PublicContext<Path>, PublicFormContext<Path>> & { face?: Face }): Page =>
  erased(page, { access: 'public', face });

interface CatalogPage<Path extends string> extends Described<Path> {
  isDocument?: boolean;
  /** The parameters that it takes; whatever else a link has is left aside. */
  query?: readonly string[];
  answer: Answer<CatalogContext<Path>>;
}

/** A page of the catalog. */
export const catalogPage = <const Path extends string>({
  isDocument,
  query,
  answer,
  ...page
}: CatalogPage<Path>): Page =>
  erased({ ...page, get: { query, answer } }, { access: 'catalog', face: 'catalog', isDocument });

function erased<Context, FormContext>(
  { get, post, ...described }: Described<string> & Handlers<Context, FormContext>,
  { path = described.path, face = 'console', isDocument = false, access }: Partial<Page> & Pick<Page, 'access'>,
): Page {
  const handlers = { ...(get && { GET: complete(get, 'read') }), ...(post && { POST: complete(post, 'write') }) };
  return { ...described, path, face, access, isDocument, handlers };
}

const complete = <Context>({ scope, query = [], ...handling }: Handling<Context>, usual: Scope): CompleteHandling => ({
  ...handling,
  scope: scope ?? usual,
  query,
});
