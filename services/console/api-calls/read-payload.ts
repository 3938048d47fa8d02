import type { Payload } from '../parts/payload-text.ts';
import type { ReadApi } from './console-api.ts';
import { path } from './paths.ts';

/** The exact bytes of an event's payload. @throws ApiError 410 where it is kept no longer */
export async function readPayload(api: ReadApi, eventId: string): Promise<Payload> {
  const { bytes, header } = await api.bytes(path`/events/${eventId}/payload`);
  return {
    bytes,
    contentType: header('content-type') ?? 'application/octet-stream',
    contentEncoding: header('content-encoding'),
  };
}
