/** A page: its path, what it needs, and its handlers. One file of routes/ each; app.ts judges every request before a handler sees it. */
import type { Clock } from '#lib/clock';
import type { ReadApi, WriteApi } from './api-calls/console-api.ts';
import type { PageResult } from './page-result.ts';
import type { Section } from './sections.ts';
import type { FoundSession } from './session/find-session.ts';
import type { Scope, Session } from './session/session.ts';
import type { SessionActions } from './session/session-actions.ts';

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export interface Settings {
  /** The path that all pages are below; empty: none. */
  base: string;
  grafanaUrl: string;
  runbookUrl: string;
}

/** What a handler knows of its request. */
export interface PageContext<Path extends string = string> {
  params: Readonly<Record<ParamNames<Path>, string>>;
  /** Without empty parameters. */
  query: URLSearchParams;
  /** Links to pages outside of a tenant begin with it: `${base}/tenants`. */
  base: string;
  settings: Settings;
  clock: Clock;
  /** An Idempotency-Key for a form of this page. parts/form.ts calls it. */
  newKey(): string;
}

interface SignedIn {
  session: Session;
  api: ReadApi;
  /** Whether the session has the scope: what it may not do is not shown. */
  can(scope: Scope | 'operator'): boolean;
}

interface InTenant {
  tenant: string;
  /** Links within the tenant begin with it: `${t}/endpoints`. */
  t: string;
}

/** What a form brings. */
export interface Submitted {
  /** The fields, without the Idempotency-Key. */
  form: URLSearchParams;
  /** Changes have the Idempotency-Key of the form. */
  api: WriteApi;
}

/** Pages of a tenant. */
export type TenantContext<Path extends string = string> = PageContext<Path> & SignedIn & InTenant;
export type TenantFormContext<Path extends string = string> = TenantContext<Path> & Submitted;
/** Pages of the operator. */
export type OperatorContext<Path extends string = string> = PageContext<Path> & SignedIn;
export type OperatorFormContext<Path extends string = string> = OperatorContext<Path> & Submitted;
/** Pages that anyone may ask for. */
export interface PublicContext<Path extends string = string> extends PageContext<Path> {
  /** Who asks, if somebody is signed in. */
  findSession(): Promise<FoundSession>;
  actions: SessionActions;
  /** Whether cookies are sent over https alone. */
  isSecure: boolean;
}
export interface PublicFormContext<Path extends string = string> extends PublicContext<Path> {
  form: URLSearchParams;
  /** That of the form, or a new one. */
  idempotencyKey: string;
}

type Answer<Context> = (context: Context) => PageResult | Promise<PageResult>;

/** A handler and what is checked before it. */
interface Handling<Context> {
  /** Default: `read` for GET, `write` for POST. */
  scope?: Scope | 'any';
  /** The parameters that it takes; others are a 400. */
  query?: readonly string[];
  answer: Answer<Context>;
}

interface Described<Path extends string> {
  path: Path;
  /** What the page is, for people. */
  title: string;
  /** The entry of the navigation that is marked as current. */
  section?: Section;
}

/** A page with its types forgotten, as app.ts has it. */
export interface Page extends Described<string> {
  access: 'tenant' | 'operator' | 'public';
  handlers: Partial<Record<'GET' | 'POST', Required<Handling<never>>>>;
}

interface Handlers<Context, FormContext> {
  get?: Handling<Context>;
  post?: Handling<FormContext>;
}

const tenantBase = '/t/:tenant';

/** @param page its path is below `/t/:tenant`; empty for the tenant's first page */
export const tenantPage = <const Path extends string>(
  page: Described<Path> & Handlers<TenantContext<Path>, TenantFormContext<Path>>,
): Page => ({ ...erased(page), path: tenantBase + page.path, access: 'tenant' });

/** A page that only the operator’s session may see. */
export const operatorPage = <const Path extends string>(
  page: Described<Path> & Handlers<OperatorContext<Path>, OperatorFormContext<Path>>,
): Page => ({ ...erased(page), access: 'operator' });

/** A page without a session. Its form need not have an Idempotency-Key. */
export const publicPage = <const Path extends string>(
  page: Described<Path> & Handlers<PublicContext<Path>, PublicFormContext<Path>>,
): Page => ({ ...erased(page), access: 'public' });

function erased<Context, FormContext>({
  path,
  title,
  section,
  get,
  post,
}: Described<string> & Handlers<Context, FormContext>): Omit<Page, 'access'> {
  return {
    path,
    title,
    ...(section !== undefined && { section }),
    handlers: { ...(get && { GET: complete(get, 'read') }), ...(post && { POST: complete(post, 'write') }) },
  };
}

const complete = <Context>(
  { scope, query = [], answer }: Handling<Context>,
  usual: Scope,
): Required<Handling<never>> => ({
  scope: scope ?? usual,
  query,
  answer: answer,
});
