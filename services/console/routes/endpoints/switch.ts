/** The actions on an endpoint that take one button, and come back to its page. */
import type { Page } from '../../page.ts';
import { path } from '../../api-calls/paths.ts';
import { seeOther } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';

const button = (what: 'enable' | 'resume' | 'probe'): Page =>
  tenantPage({
    path: `/endpoints/:id/${what}`,
    title: 'Endpoint',
    section: 'endpoints',
    post: {
      capability: 'endpoints',
      async answer({ api, params, t }) {
        const done = await api.send('POST', `${path`/endpoints/${params.id}`}/${what}`);
        return done.ok ? seeOther(`${t}/endpoints/${params.id}`) : problemOfFailure(done.failure);
      },
    },
  });

export const enableEndpoint = button('enable');
export const resumeEndpoint = button('resume');
export const probeEndpoint = button('probe');
