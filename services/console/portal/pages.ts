import { ApiError } from '#client';
import type { EventTypeSummary } from '#lib/api-contract';
import { placeOfName } from '#lib/contract';
import type { ReadApi } from '../api-calls/console-api.ts';
import {
  type FoundType,
  typeColumns,
  typeView,
  verifyPage,
  type Version,
  versionPage,
  withTexts,
} from '../catalog/index.ts';
import { page, type PageResult, problem, seeOther } from '../page-result.ts';
import { portalPage, publicPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { endSession, noSessionCookie, probeCookie, returnCookie, sessionCookie } from '../session/index.ts';
import { listPage, listParameters } from '../ui/list-page.ts';
import { rawMember } from '../ui/payload.ts';
import { portalBase } from '../ui/shell.ts';
import { nameIn, portalLinks, versionOf } from '../ui/type-links.ts';
import { customerStart, linkPage, notKept } from './views.ts';

/** @throws ApiError where there is none of this name */
async function readType(api: ReadApi, name: string): Promise<Extract<FoundType, { kind: 'found' | 'moved' }>> {
  try {
    const { value: type, text } = await api.withText('GET /v1/event-types/:name', placeOfName(name));
    const newest = type.newest && withTexts(type.newest, rawMember(text, 'newest') ?? '');
    return { kind: 'found', value: { ...type, newest } };
  } catch (error) {
    if (!(error instanceof ApiError) || error.failure.kind !== 'alias') throw error;
    const { target, kind } = error.failure.alias;
    return { kind: 'moved', to: target, by: kind };
  }
}

/** @throws ApiError */
async function readVersion(api: ReadApi, name: string, version: number): Promise<Version> {
  const { params, query } = placeOfName(name);
  const given = { params: { ...params, version: String(version) }, query };
  const { value, text } = await api.withText('GET /v1/event-types/:name/versions/:version', given);
  return withTexts(value, text);
}

/** `/portal/event-types`: those that are described for customers, by name. */
const portalTypes = portalPage({
  path: '/event-types',
  title: 'Event types',
  section: 'event_types',
  get: {
    capability: 'view',
    query: listParameters([]),
    async answer(context) {
      const { t, api, query } = context;
      return listPage<EventTypeSummary>(context, {
        title: 'Event types',
        href: `${t}/event-types`,
        listed: await api.list('GET /v1/event-types', { query }),
        columns: typeColumns,
        row: ({ name }) => portalLinks(t).type(name),
        empty: { title: 'No event type is described', body: 'Events may be sent all the same.' },
      });
    },
  },
});

/** `/portal/event-types/:name` */
const portalType = portalPage({
  path: '/event-types/:name',
  title: 'Event type',
  section: 'event_types',
  get: {
    capability: 'view',
    query: ['name'],
    async answer({ t, api, params, query }) {
      const to = portalLinks(t);
      const name = nameIn(params.name, query);
      if (name === undefined) return problem(404);
      const found = await readType(api, name);
      if (found.kind === 'moved') return seeOther(to.type(found.to));
      const { value: type } = found;
      const successor = type.deprecation?.successor ?? undefined;
      return page({ title: type.name, crumbs: crumbs(t), body: typeView({ type, successor, to }) });
    },
  },
});

/** `/portal/event-types/:name/v/:version` */
const portalTypeVersion = portalPage({
  path: '/event-types/:name/v/:version',
  title: 'Version',
  section: 'event_types',
  get: {
    capability: 'view',
    query: ['name'],
    async answer({ t, api, params, query }) {
      const to = portalLinks(t);
      const number = versionOf(params.version);
      const name = nameIn(params.name, query);
      if (number === undefined || name === undefined) return problem(404);
      const found = await readType(api, name);
      if (found.kind === 'moved') {
        // Versions of a merged type are none of the other type's.
        if (found.by === 'merged') return seeOther(to.type(found.to));
        await readVersion(api, found.to, number);
        return seeOther(to.version(found.to, number));
      }
      const { value: type } = found;
      return page({
        title: `${type.name}, version ${number}`,
        crumbs: [...crumbs(t), { label: type.name, href: to.type(type.name) }],
        body: versionPage(type, await readVersion(api, type.name, number), to),
      });
    },
  },
});

const crumbs = (t: string) => [{ label: 'Event types', href: `${t}/event-types` }];

/** As the API makes them; whether one is good, it alone can tell. */
const code = /^hp_\w{1,190}$/;

const gone = 'This link was used already, has ended, or was revoked. Get another one where you got this one.';

/** `/p/:code`: looking at a link does not use it up, and tells what it is: 404 for none, 410 for one that is over. */
const portalLink = publicPage({
  path: '/p/:code',
  title: 'Your webhooks',
  face: 'portal',
  get: {
    async answer({ base, params, actions, frame }) {
      if (!code.test(params.code)) return problem(404);
      const looked = await actions.lookAtLink(params.code);
      if ('kind' in looked) return problem(429, { retryAfterSeconds: looked.retryAfterSeconds });
      return looked.ok
        ? page({ ...linkPage(`${base}/p/${params.code}`), ...(frame && { headers: { 'set-cookie': probeCookie } }) })
        : refusal(problemOfFailure(looked.failure));
    },
  },
  post: {
    async answer({ base, params, actions, isSecure, isEmbeddable: isEmbedded, frame }) {
      if (!code.test(params.code)) return problem(404);
      if (frame?.keepsCookies === false) return page({ ...notKept(`${base}/p/${params.code}`), status: 409 });
      const redeemed = await actions.redeemLink(params.code);
      switch (redeemed.kind) {
        case 'limited':
          return problem(429, { retryAfterSeconds: redeemed.retryAfterSeconds });
        case 'failed':
          return refusal(problemOfFailure(redeemed.failure));
        case 'signed_in':
          return seeOther(portalBase(base), {
            'set-cookie': [
              sessionCookie(redeemed.token, { face: 'portal', isSecure, isEmbedded }),
              returnCookie(redeemed.returnUrl, { isSecure, isEmbedded }),
            ],
          });
      }
    },
  },
});

const refusal = (result: PageResult): PageResult =>
  result.kind === 'problem' && result.status === 410 ? problem(410, { explanation: gone }) : result;

/** `POST /portal/session/end`: ends the session at the API. The page that follows leads back to where the customer came from. */
const leavePortal = publicPage({
  path: '/portal/session/end',
  title: 'Leave',
  face: 'portal',
  post: {
    async answer(context) {
      const { base, isSecure, isEmbeddable: isEmbedded } = context;
      if ((await endSession(context)) !== undefined)
        return problem(503, {
          explanation: 'You could not be signed out. Try again in a few seconds.',
          retryAfterSeconds: 5,
        });
      return seeOther(portalBase(base), {
        'clear-site-data': '"cache"',
        'set-cookie': noSessionCookie({ face: 'portal', isSecure, isEmbedded }),
      });
    },
  },
});

const mostEndpoints = 10;

/** `/portal`: where a customer arrives. */
const portalStart = portalPage({
  path: '',
  title: 'Your webhooks',
  section: 'overview',
  get: {
    capability: 'view',
    async answer(context) {
      const listed = await context.api.list('GET /v1/endpoints', { query: { limit: mostEndpoints } });
      if (!listed.ok) return problem(503, { retryAfterSeconds: 5 });
      return page({ body: customerStart(context, listed) });
    },
  },
});

/** `/portal/verify/:language`: how to verify a request. */
const portalVerify = portalPage({
  path: '/verify/:language',
  title: 'Verify signatures',
  section: 'overview',
  get: {
    capability: 'view',
    answer: ({ params }) => verifyPage(params.language),
  },
});

/** The pages that the portal alone has. Its other pages are those of a tenant that name a capability. */
export const portalOwnPages = [
  portalLink,
  leavePortal,
  portalStart,
  portalTypes,
  portalType,
  portalTypeVersion,
  portalVerify,
];
