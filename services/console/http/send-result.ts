import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ownPath } from '#lib/html';
import { problem as problemDetails, type ProblemCode, problemContentType } from '#lib/problem';
import type { PageResult, Problem, ProblemStatus } from '../page-result.ts';
import type { Face, Page, Settings } from '../page.ts';
import { endedPage } from '../portal/index.ts';
import { returnUrlIn, signInPage } from '../session/index.ts';
import type { Shell } from '../ui/shell.ts';
import type { Assets } from './assets.ts';
import { renderDocument } from './document.ts';
import { problemPage } from './problem-page.ts';
import { isFramed, isLoopback, pathOf, queryOf, themeOf } from './request-state.ts';

const policyWith = (ancestors: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
    "require-trusted-types-for 'script'",
    // islands/trusted-rows.ts makes this one.
    'trusted-types hookline',
  ].join('; ');

const withoutUse = [
  'camera',
  'display-capture',
  'geolocation',
  'microphone',
  'payment',
  'publickey-credentials-get',
  'usb',
];

/** On every answer. Nothing is loaded from another host, nothing runs but our own files, and nobody may frame or open a page. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policyWith("'none'"),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'permissions-policy': `${withoutUse.map((feature) => `${feature}=()`).join(', ')}, clipboard-write=(self)`,
  'x-robots-tag': 'noindex',
  // A page is for one session at one moment.
  'cache-control': 'private, no-store',
};

export interface Sending {
  settings: Settings;
  assets: Assets;
  originOf(request: FastifyRequest): string;
  isSecure(request: FastifyRequest): boolean;
  /** An Idempotency-Key for a form. */
  newKey(): string;
}

/** Sends what a page has answered. The document is whole before its status is sent. */
export type SendResult = (reply: FastifyReply, result: PageResult, page?: Page) => FastifyReply;

export function createSendResult({ settings, assets, originOf, isSecure, newKey }: Sending): SendResult {
  const { base, faces, apiDocsUrl, frameOrigins } = settings;
  const homes: Readonly<Record<Face, string>> = {
    console: `${base}/`,
    catalog: `${base}/catalog`,
    portal: `${base}/portal`,
  };

  const faceOf = (request: FastifyRequest, page: Page | undefined): Face =>
    page?.face ?? faceOfPath(pathOf(request), { base, faces });

  function shellOf(request: FastifyRequest, page: Page | undefined, more: Partial<Shell>): Shell {
    const { session, tenant } = request.state;
    const face = faceOf(request, page);
    return {
      base,
      face,
      assets,
      origin: originOf(request),
      query: face === 'catalog' ? (queryOf(request).get('q') ?? '') : '',
      session,
      // A customer is not told what the operator calls the tenant.
      tenant: session === undefined || face === 'portal' ? undefined : (session.tenant ?? tenant),
      section: undefined,
      theme: themeOf(request),
      frame: face === 'portal' && isFramed(request) ? frameOrigins : [],
      here: homes[face],
      asked: [],
      apiDocsUrl: face === 'console' ? apiDocsUrl : '',
      ...more,
    };
  }

  /** The page that is shown, to come back to. A form's own address may have no page to look at. */
  const addressOf = (request: FastifyRequest, page: Page | undefined): string => {
    const home = homes[faceOf(request, page)];
    return request.method === 'POST' && page?.handlers.GET === undefined ? home : (ownPath(request.url, base) ?? home);
  };

  return (reply, result, page) => {
    const { request } = reply;
    if (page?.access === 'catalog') {
      const { ageSeconds: age } = request.state;
      // Caches ask before they show it again. The theme is in a cookie.
      reply.headers({ 'cache-control': 'no-cache', vary: 'cookie', ...(age !== undefined && { age }) });
    }
    // Nobody embeds a page of another face.
    if (frameOrigins.length > 0 && faceOf(request, page) === 'portal')
      reply.header('content-security-policy', policyWith(frameOrigins.join(' ')));
    const sendHtml = (status: number, markup: string): FastifyReply =>
      reply.code(status).header('content-type', 'text/html; charset=utf-8').send(markup);
    switch (result.kind) {
      case 'page': {
        const { section, title = '' } = page ?? {};
        const here = addressOf(request, page);
        // Customers ask the API of their own, if at all.
        const asked = page?.face === 'portal' ? [] : request.state.asked;
        const shell = shellOf(request, page, { section, here, asked });
        if (result.indexing?.isIndexed === true) reply.removeHeader('x-robots-tag');
        reply.headers(result.headers ?? {});
        const markup = renderDocument(shell, { title, ...result });
        if (page?.access === 'catalog' && result.status === 200 && isKnown(reply, markup))
          return reply.code(304).send();
        return sendHtml(result.status, markup);
      }
      case 'problem': {
        if (result.retryAfterSeconds !== undefined) reply.header('retry-after', result.retryAfterSeconds);
        if (result.allow !== undefined) reply.header('allow', result.allow);
        if (page?.isDocument === true) return sendProblem(reply, result);
        const shell = shellOf(request, page, {});
        return sendHtml(result.status, renderDocument(shell, problemPage(result, shell, request.id)));
      }
      case 'sign_in': {
        const { status = 401, message, retryAfterSeconds } = result;
        if (status === 401) reply.header('www-authenticate', 'Session realm="Hookline"');
        if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
        if (page?.face === 'portal') {
          const ended = endedPage(returnUrlIn(request.headers.cookie, isSecure(request)));
          return sendHtml(status, renderDocument(shellOf(request, page, { session: undefined }), ended));
        }
        const here = ownPath(result.to, base) ?? addressOf(request, page);
        const isPrivate = isSecure(request) || isLoopback(request);
        const shell = shellOf(request, page, { session: undefined, tenant: undefined, here });
        return sendHtml(status, renderDocument(shell, signInPage({ base, to: here, message, isPrivate, newKey })));
      }
      case 'moved': {
        const to = ownPath(base + result.to, base);
        if (to === undefined) throw new Error(`${pathOf(request)} leads away from the catalog`);
        // Not for ever: the name may be changed again, or retired.
        reply.removeHeader('x-robots-tag');
        return reply.code(301).headers({ 'cache-control': 'public, max-age=300', location: to }).send();
      }
      case 'document':
        return sendDocument(reply, result);
      case 'see_other': {
        const to = ownPath(result.to, base);
        if (to === undefined) throw new Error(`${pathOf(request)} leads away from the console`);
        return reply
          .code(303)
          .headers({ ...result.headers, location: to })
          .send();
      }
      case 'fragment':
        reply.headers(result.headers ?? {});
        return sendHtml(result.status, result.body.toString());
      case 'bytes': {
        const fileName = result.fileName.replaceAll(/[^\w.-]/g, '_');
        return reply
          .code(200)
          .header('content-type', result.isShown ? 'text/plain; charset=utf-8' : 'application/octet-stream')
          .header('content-disposition', `${result.isShown ? 'inline' : 'attachment'}; filename="${fileName}"`)
          .send(result.body);
      }
    }
  };
}

/** Gives the answer the ETag of its text. @returns whether the client has it (`If-None-Match`, RFC 9110, 13.1.2) */
function isKnown(reply: FastifyReply, text: string): boolean {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  const known = (reply.request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  reply.header('etag', etag);
  return known.includes(etag) || known.includes('*');
}

/** Programs of other origins may read it too. */
function sendDocument(reply: FastifyReply, { contentType, text }: { contentType: string; text: string }): FastifyReply {
  reply
    .removeHeader('vary')
    .headers({ 'cross-origin-resource-policy': 'cross-origin', 'access-control-allow-origin': '*' });
  if (isKnown(reply, text)) return reply.code(304).send();
  return reply.code(200).header('content-type', contentType).send(text);
}

const codes: Partial<Record<ProblemStatus, ProblemCode>> = {
  404: 'not_found',
  405: 'method_not_allowed',
  410: 'gone',
  429: 'rate_limited',
  503: 'unavailable',
};

/** For programs. */
function sendProblem(reply: FastifyReply, { status, explanation }: Problem): FastifyReply {
  const details = problemDetails(codes[status] ?? 'internal_error', explanation);
  return reply
    .code(status)
    .header('content-type', problemContentType)
    .send(Buffer.from(JSON.stringify(details)));
}

const portalPaths = /^\/(portal|p)(\/|$)/;

/** The face of an address that has no page: the portal for paths below its own, otherwise the console, if the process shows it. */
export function faceOfPath(pathname: string, { base, faces }: { base: string; faces: readonly Face[] }): Face {
  const [first = 'console'] = faces;
  if (faces.includes('portal') && portalPaths.test(pathname.slice(base.length))) return 'portal';
  return faces.includes('console') ? 'console' : first;
}
