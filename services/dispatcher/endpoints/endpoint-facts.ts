import { type Endpoint, isClosed, isPaused } from '../model/endpoint.ts';

/** The facts about an endpoint that its lane and its health need. */
export interface EndpointFacts {
  maxInFlight: number;
  revision: number;
  /** Deleted or disabled: nothing is sent, and its deliveries are ended without delay. */
  isClosed: boolean;
  /** Nothing is sent for now, and its deliveries wait. */
  isPaused?: boolean;
  /** When somebody last asked for a probe, in microseconds; null: never. */
  probeAskedAt?: number | null;
}

/** An unknown endpoint is closed: nothing is sent to it. */
export function factsOf(endpoint: Endpoint | undefined, now: number): EndpointFacts {
  if (endpoint === undefined) return { maxInFlight: 1, revision: 0, isClosed: true };
  return {
    maxInFlight: endpoint.maxInFlight,
    revision: endpoint.revision,
    isClosed: isClosed(endpoint),
    isPaused: isPaused(endpoint, now),
    probeAskedAt: endpoint.probeAskedAt,
  };
}
