import type { EventRequest, Trail } from '#lib/contract';

/** The part of an event that its deliveries carry. */
export interface EventContent {
  tenant: string;
  eventId: string;
  type: string;
  receivedAt: number;
  orderingKey: string | null;
  traceparent: string;
  contentType: string;
  contentEncoding: string | null;
  payload: Buffer;
  /** The sources that it has passed, its own the last one. */
  trail: Trail;
  /** Null also where no endpoint asks for headers of it: then it is not read. */
  request: EventRequest | null;
}
