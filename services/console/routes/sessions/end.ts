import { isGone } from '../../api-calls/is-gone.ts';
import type { WriteApi } from '../../api-calls/console-api.ts';
import { path } from '../../api-calls/paths.ts';
import { type PageResult, seeOther } from '../../page-result.ts';
import { operatorPage, tenantPage } from '../../page.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';

interface Ending {
  api: WriteApi;
  params: { id: string };
  session: { id: string };
  base: string;
}

/** @param list the page to come back to; who has ended the own session is signed out */
async function end({ api, params, session, base }: Ending, list: string): Promise<PageResult> {
  const ended = await api.send('DELETE', path`/sessions/${params.id}`);
  if (!ended.ok && !isGone(ended.failure)) return problemOfFailure(ended.failure);
  return params.id === session.id ? seeOther(`${base}/`, { 'clear-site-data': '"cache", "cookies"' }) : seeOther(list);
}

/** `POST T/sessions/:id/end` */
export const endSession = tenantPage({
  path: '/sessions/:id/end',
  title: 'End a session',
  section: 'sessions',
  post: { scope: 'admin', answer: (context) => end(context, `${context.t}/sessions`) },
});

/** `POST /sessions/:id/end` */
export const endOperatorSession = operatorPage({
  path: '/sessions/:id/end',
  title: 'End a session',
  section: 'tenants',
  post: { scope: 'admin', answer: (context) => end(context, `${context.base}/sessions`) },
});
