import { endpointDefaults, type EndpointSettings, type RetrySettings } from '#lib/contract';
import { createId } from '#lib/ids';
import type { Query } from '#lib/postgres';
import { generateSecret, isUsableSecret } from '#lib/signatures';
import { sendResource } from '../etag.ts';
import { description, eventType, rateLimit, seconds, secret, wholeNumber } from '../fields.ts';
import { endpointJson, insertEndpoint } from '../resources/endpoint.ts';
import { unknownSources } from '../resources/source.ts';
import { type Route, route } from '../route.ts';
import { type FieldErrors, sendInvalid, sendProblem } from '../send-problem.ts';

interface Body extends EndpointSettings {
  url: string;
  description?: string;
  event_types?: string[];
  source_ids?: string[];
  secret?: string;
}

const day = 24 * 3600;

const maxWindowDays = 14;

const retry = (payloadRetentionDays: number) =>
  ({
    type: 'object',
    additionalProperties: false,
    properties: {
      base_seconds: seconds(0.01, day),
      cap_seconds: seconds(0.01, 7 * day),
      // Below what the payload is kept for, by the day that may pass between the event and its delivery.
      window_seconds: seconds(1, Math.min(maxWindowDays, payloadRetentionDays - 1) * day),
      max_attempts: wholeNumber(1, 1_000),
    },
  }) as const;

const body = (payloadRetentionDays: number) =>
  ({
    type: 'object',
    additionalProperties: false,
    required: ['url'],
    properties: {
      url: { type: 'string', minLength: 1, maxLength: 2_048 },
      description,
      event_types: { type: 'array', maxItems: 100, uniqueItems: true, items: eventType },
      source_ids: { type: 'array', maxItems: 100, uniqueItems: true, items: { type: 'string', maxLength: 100 } },
      secret,
      timeout_ms: wholeNumber(100, 60_000),
      max_in_flight: wholeNumber(1, 1_000),
      rate_limit: rateLimit,
      retry: retry(payloadRetentionDays),
    },
  }) as const;

/** `POST /v1/endpoints`: the only answer that shows the secret. */
export const createEndpoint: Route = ({ postgres, secretBox, clock, random, vetUrl, payloadRetentionDays }) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/endpoints',
    schema: { body: body(payloadRetentionDays) },
    async handler(request, reply) {
      const { tenant } = request;
      const {
        url,
        description = '',
        event_types: eventTypes = [],
        source_ids: sourceIds = [],
        secret = generateSecret(random),
        ...settings
      } = request.body;
      const errors = [
        ...urlErrors(url),
        ...secretErrors(secret),
        ...retryErrors(settings.retry ?? {}),
        ...(await sourceErrors(postgres, tenant, sourceIds)),
      ];
      if (errors.length > 0) return sendInvalid(reply, errors);
      const verdict = vetUrl(url);
      if (!verdict.allowed)
        return sendProblem(reply, 'url_not_allowed', `/url: ${verdict.reason}`, [
          { field: '/url', message: `is refused: ${verdict.reason}` },
        ]);
      const id = createId('ep', clock.nowMs(), random);
      const endpoint = { tenant, id, url, description, eventTypes, sourceIds, settings, secret };
      const row = await insertEndpoint(postgres, secretBox, endpoint);
      void reply.code(201).header('location', `/v1/endpoints/${id}`);
      return sendResource(reply, row, { ...endpointJson(row), secret });
    },
  });

const urlErrors = (url: string): FieldErrors =>
  URL.canParse(url) ? [] : [{ field: '/url', message: 'must be an absolute URL' }];

const secretErrors = (secret: string): FieldErrors =>
  isUsableSecret(secret) ? [] : [{ field: '/secret', message: 'must be more than blanks behind its prefix' }];

function retryErrors(retry: RetrySettings): FieldErrors {
  const { base_seconds, cap_seconds } = { ...endpointDefaults.retry, ...retry };
  return cap_seconds < base_seconds
    ? [{ field: '/retry/cap_seconds', message: `must not be below base_seconds, which is ${base_seconds}` }]
    : [];
}

async function sourceErrors(postgres: Query, tenant: string, sourceIds: readonly string[]): Promise<FieldErrors> {
  const unknown = await unknownSources(postgres, tenant, sourceIds);
  return sourceIds.flatMap((id, index) =>
    unknown.has(id) ? [{ field: `/source_ids/${index}`, message: 'is not the id of a source' }] : [],
  );
}
