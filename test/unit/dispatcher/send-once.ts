import type { HttpRequest } from '#lib/http-client';
import { createManualClock } from '#lib/runtime';
import { noTracer } from '#lib/telemetry';
import { createAttempt, type Sending } from '../../../services/dispatcher/send/attempt.ts';
import { testTrails } from '../../support/trails.ts';
import { aDelivery, anAnswer, anEndpoint } from './fixtures.ts';

/** The third attempt of a delivery, and the request that it made of the HTTP client. */
export async function sendOnce(
  delivery: Parameters<typeof aDelivery>[0] = {},
  endpoint: Parameters<typeof anEndpoint>[0] = {},
  startMs = Math.floor(Date.now() / 1_000) * 1_000,
): Promise<{ sending: Sending; request: HttpRequest | undefined }> {
  const requests: HttpRequest[] = [];
  const attempt = createAttempt({
    openHeader: (_delivery, name, sealed) => (sealed === 'unreadable' ? undefined : `opened ${name} ${sealed}`),
    trails: testTrails,
    tracer: noTracer,
    clock: createManualClock(startMs),
    http: {
      send: async (request) => {
        requests.push(request);
        return anAnswer(200);
      },
    },
  });
  const sending = await attempt(aDelivery(delivery), anEndpoint(endpoint), 3);
  return { sending, request: requests[0] };
}
