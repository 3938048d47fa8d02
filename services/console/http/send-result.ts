import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderDocument } from '../pages/layout.ts';
import { problemPage } from '../pages/problem-page.ts';
import type { Shell } from '../pages/shell.ts';
import { signInPage } from '../pages/sign-in-page.ts';
import type { PageResult } from '../page-result.ts';
import type { Page } from '../page.ts';
import type { Assets } from './assets.ts';
import { ownPath } from './own-path.ts';
import { isLoopback, pathOf, themeOf } from './request-state.ts';

export interface Sending {
  base: string;
  assets: Assets;
  isSecure(request: FastifyRequest): boolean;
  newKey(): string;
}

/** Sends what a page has answered. The document is whole before its status is sent. */
export type SendResult = (reply: FastifyReply, result: PageResult, page?: Page) => FastifyReply;

export function createSendResult({ base, assets, isSecure, newKey }: Sending): SendResult {
  const home = `${base}/`;

  function shellOf(request: FastifyRequest, more: Partial<Shell>): Shell {
    const { session, tenant } = request.state;
    return {
      base,
      assets,
      session,
      tenant: session === undefined ? undefined : (session.tenant ?? tenant),
      section: undefined,
      theme: themeOf(request),
      here: home,
      asked: [],
      ...more,
    };
  }

  /** The page that is shown, to come back to. A form's own address may have no page to look at. */
  const addressOf = (request: FastifyRequest, page: Page | undefined): string =>
    request.method === 'POST' && page?.handlers.GET === undefined ? home : (ownPath(request.url, base) ?? home);

  return (reply, result, page) => {
    const { request } = reply;
    const sendHtml = (status: number, markup: string): FastifyReply =>
      reply.code(status).header('content-type', 'text/html; charset=utf-8').send(markup);
    switch (result.kind) {
      case 'page': {
        const { section, title = '' } = page ?? {};
        const here = addressOf(request, page);
        const shell = shellOf(request, { section, here, asked: request.state.asked });
        return sendHtml(result.status, renderDocument(shell, { title, ...result }));
      }
      case 'problem': {
        if (result.retryAfterSeconds !== undefined) reply.header('retry-after', result.retryAfterSeconds);
        if (result.allow !== undefined) reply.header('allow', result.allow);
        const shell = shellOf(request, {});
        return sendHtml(result.status, renderDocument(shell, problemPage(result, shell, request.id)));
      }
      case 'sign_in': {
        const { status = 401, message, retryAfterSeconds } = result;
        if (status === 401) reply.header('www-authenticate', 'Session realm="Hookline"');
        if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
        const here = ownPath(result.to, base) ?? addressOf(request, page);
        const isPrivate = isSecure(request) || isLoopback(request);
        return sendHtml(
          status,
          renderDocument(
            shellOf(request, { session: undefined, tenant: undefined, here }),
            signInPage({ base, to: here, message, isPrivate, newKey }),
          ),
        );
      }
      case 'see_other': {
        const to = ownPath(result.to, base);
        if (to === undefined) throw new Error(`${pathOf(request)} leads away from the console`);
        return reply
          .code(303)
          .headers(result.headers ?? {})
          .header('location', to)
          .send();
      }
      case 'fragment':
        reply.headers(result.headers ?? {});
        return sendHtml(result.status, result.body.toString());
      case 'bytes':
        return reply
          .code(200)
          .header('content-type', result.isShown === true ? 'text/plain; charset=utf-8' : 'application/octet-stream')
          .header('content-disposition', disposition(result.fileName, result.isShown === true))
          .send(result.body);
    }
  };
}

const disposition = (fileName: string, isShown: boolean): string =>
  `${isShown ? 'inline' : 'attachment'}; filename="${fileName.replaceAll(/[^\w.-]/g, '_')}"`;
