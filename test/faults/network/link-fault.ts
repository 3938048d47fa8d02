/** The faults of a link, in force until it is given another. */
export type LinkFault = FlowFault | ConnectionFault;

/** From the client to the server, back, or both. */
export type Direction = 'up' | 'down' | 'both';

/** Done to the bytes of a direction; the other one is left as it is. */
export type FlowFault = { direction: Direction } & (
  | { kind: 'latency'; ms: number; jitterMs: number }
  | { kind: 'bandwidth'; bytesPerSecond: number }
  /** Small pieces, one after the other. */
  | { kind: 'slices'; bytes: number; pauseMs: number }
  /** Connections are taken, and bytes; nothing comes out until it is over, then all of it. */
  | { kind: 'black-hole' }
  /** The end of a connection is passed on so much later. */
  | { kind: 'slow-close'; ms: number }
);

type ConnectionFault =
  /** Each connection is reset after so many bytes more of both directions, and so is each new one: in the middle of a message. */
  | { kind: 'cuts'; afterBytes: number }
  /** All are reset at once, and each that comes. */
  | { kind: 'resets' }
  /** Resets all connections, and accepts none. */
  | { kind: 'refuses' };

export function isFlowFault(fault: LinkFault | undefined): fault is FlowFault {
  return fault !== undefined && 'direction' in fault;
}
