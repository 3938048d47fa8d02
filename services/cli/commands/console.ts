import { spawn } from 'node:child_process';
import { platform } from 'node:os';
import { ownPath } from '#lib/html';
import { connect } from '../api-calls/api.ts';
import { usageFailure } from '../command-failure.ts';
import { hasDisplay, loadConsoleConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { print } from '../output/print.ts';
import type { Values } from '../verb.ts';
import type { consoleOptions } from './tools.ts';

const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open' };

/** @returns whether the program that opens URLs on this machine was started; it outlives the command */
export const openInBrowser = (url: string, opener: string | undefined = openers[platform()]): Promise<boolean> =>
  new Promise((resolve) => {
    if (opener === undefined) return resolve(false);
    const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });

/** In the place of a tenant: all. */
const allTenants = '*';

/** The URL has the code, and is printed nowhere but on the standard output. */
export async function openConsole(
  { tenant, to, json, 'no-open': isPrintedOnly }: Values<typeof consoleOptions>,
  context: Context,
): Promise<number> {
  const { process, env, openInBrowser } = context;
  const { consoleUrl } = loadConsoleConfig(context);
  const page = to === undefined ? undefined : readPage(to);
  const { id, tenant: itsTenant, code, code_expires_at } = await createSession(tenant, context);
  if (code === null) throw new Error('a session that is made with a code has one');
  const url = signInUrl(consoleUrl, code, page);
  print(context, { url, session_id: id, tenant: itsTenant, code_expires_at }, json, () => url);
  const isForPerson = !json && !isPrintedOnly && process.stdout.isTTY;
  if (isForPerson && !(hasDisplay(env) && (await openInBrowser(url))))
    process.stderr.write('No browser was opened: open the URL within a minute. It works once.\n');
  return 0;
}

function readPage(text: string): string {
  const page = ownPath(text, '');
  if (page !== undefined) return page;
  throw usageFailure(
    `--to must be a path of the console such as /t/default/events, without a host, a second slash or a backslash, not ${text}`,
  );
}

function signInUrl(consoleUrl: string, code: string, page: string | undefined): string {
  const base = consoleUrl.replace(/\/+$/, '');
  const query = new URLSearchParams({ code });
  if (page !== undefined) query.set('to', `${new URL(base).pathname.replace(/\/$/, '')}${page}`);
  return `${base}/session/code?${query.toString()}`;
}

async function createSession(tenant: string | undefined, context: Context) {
  const api = connect(context, tenant === allTenants ? undefined : tenant);
  const isOfAll = tenant === allTenants || (tenant === undefined && (await api.call('GET /v1/me')).all_tenants);
  return api.call('POST /v1/sessions', { body: { code: true, ...(isOfAll && { tenant: allTenants }) } });
}
