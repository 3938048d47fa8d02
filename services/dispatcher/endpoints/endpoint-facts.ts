import { type Endpoint, isClosed } from '../model/endpoint.ts';

/** What is to be known of the endpoint itself. */
export interface EndpointFacts {
  maxInFlight: number;
  revision: number;
  /** Deleted or disabled: nothing is sent, and what is left is ended without delay. */
  isClosed: boolean;
}

/** One that is not known is closed to all deliveries: nothing is sent. */
export function factsOf(endpoint: Endpoint | undefined): EndpointFacts {
  if (endpoint === undefined) return { maxInFlight: 1, revision: 0, isClosed: true };
  return { maxInFlight: endpoint.maxInFlight, revision: endpoint.revision, isClosed: isClosed(endpoint) };
}
