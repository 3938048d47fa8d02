import { type Answer, askAt } from '../../unit/api/ask.ts';
import { type Form, type Page, readPage } from './read-page.ts';

/** Somebody who uses the console without a browser: what is sent is exactly what is written here. */
export interface ConsoleClient {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<PageAnswer>;
  head(path: string): Promise<PageAnswer>;
  /** A form as a page sends it, with a key of its own unless it has one. */
  post(path: string, fields: Fields, headers?: Readonly<Record<string, string>>): Promise<PageAnswer>;
  /** Any method, with nothing but these headers and the cookie. */
  send(method: string, path: string, headers?: Readonly<Record<string, string>>, body?: string): Promise<PageAnswer>;
  /** Sends a form of a page, some of its fields changed. */
  submit(form: Form, changes?: Readonly<Record<string, string>>): Promise<PageAnswer>;
}

type Fields = Readonly<Record<string, string>> | ReadonlyMap<string, string>;
export type PageAnswer = Answer & { page: Page };

let keys = 0;
/** Makes a key as a form has one. */
export const newKey = (): string => `key-of-a-test-${process.pid}-${(keys += 1)}`;

export const formHeaders = {
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-site': 'same-origin',
} as const;

/** @param token of a session; undefined: nobody is signed in */
export function createConsoleClient(url: string, token?: string): ConsoleClient {
  const { port, host } = new URL(url);
  const cookie: Readonly<Record<string, string>> = token === undefined ? {} : { cookie: `hookline=${token}` };

  const send: ConsoleClient['send'] = async (method, path, headers = {}, body) => {
    const all = { host, ...cookie, ...headers };
    const answer = await askAt(Number(port), { method, path, headers: all, ...(body !== undefined && { body }) });
    return { ...answer, page: readPage(answer.text) };
  };
  const post: ConsoleClient['post'] = (path, fields, headers = {}) => {
    const entries: [string, string][] =
      fields instanceof Map
        ? [...(fields as ReadonlyMap<string, string>)]
        : Object.entries(fields as Record<string, string>);
    const body = new URLSearchParams([['idempotency_key', newKey()]]);
    for (const [name, value] of entries) body.set(name, value);
    return send('POST', path, { ...formHeaders, ...headers }, body.toString());
  };
  return {
    get: (path, headers) => send('GET', path, headers),
    head: (path) => send('HEAD', path),
    post,
    send,
    submit: ({ action, fields, method }, changes = {}) => {
      const filled = new Map([...fields, ...Object.entries(changes)]);
      return method === 'GET'
        ? send('GET', `${action}?${new URLSearchParams([...filled]).toString()}`)
        : post(action, filled);
    },
  };
}

/** The form whose action ends so, or that has the button. */
export function formOf(answer: PageAnswer, which: { action?: string | RegExp; button?: string | RegExp }): Form {
  const fits = (text: string, wanted: string | RegExp | undefined): boolean =>
    wanted === undefined || (typeof wanted === 'string' ? text.endsWith(wanted) : wanted.test(text));
  const found = answer.page.forms.find(
    ({ action, buttons }) =>
      fits(action, which.action) && (which.button === undefined || buttons.some((text) => fits(text, which.button))),
  );
  if (found === undefined)
    throw new Error(
      `${answer.status}: no form like ${JSON.stringify(which, (_key, value: unknown) => (value instanceof RegExp ? String(value) : value))} among ${JSON.stringify(answer.page.forms.map(({ action, buttons }) => [action, buttons]))}`,
    );
  return found;
}
