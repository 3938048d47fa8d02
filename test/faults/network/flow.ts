import type { Socket } from 'node:net';
import type { FlowFault } from './link-fault.ts';

/** The bytes of one direction of one connection. */
export interface Flow {
  /** Bytes held up by the previous fault continue at once. */
  set(fault: FlowFault | undefined): void;
  close(): void;
}

interface Piece {
  bytes: Buffer;
  dueMs: number;
}

/** Held at the most; beyond it the sender is not read from, as a network would do. */
const maxHeldBytes = 1024 * 1024;
/** So much of a second's bytes goes at once. */
const bandwidthPieces = 20;

/**
 * Takes what comes from the one to the other, in order, and its end.
 *
 * @param take how many of so many bytes may come out; fewer than all: the connection is to be cut behind them
 * @param cut does so
 */
export function createFlow(
  from: Socket,
  to: Socket,
  { random, take, cut }: { random: () => number; take(bytes: number): number; cut(): void },
): Flow {
  let fault: FlowFault | undefined;
  let held: Piece[] = [];
  let heldBytes = 0;
  let lastDueMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  let isBlocked = false;

  const hold = (bytes: Buffer, dueMs: number): void => {
    lastDueMs = Math.max(lastDueMs, dueMs);
    held.push({ bytes, dueMs: lastDueMs });
    heldBytes += bytes.length;
  };

  const receive = (chunk: Buffer): void => {
    const nowMs = performance.now();
    switch (fault?.kind) {
      case 'latency':
        hold(chunk, nowMs + fault.ms + random() * fault.jitterMs);
        break;
      case 'bandwidth': {
        const { bytesPerSecond } = fault;
        for (const piece of piecesOf(chunk, Math.ceil(bytesPerSecond / bandwidthPieces)))
          hold(piece, Math.max(nowMs, lastDueMs) + (piece.length / bytesPerSecond) * 1_000);
        break;
      }
      case 'slices': {
        const { bytes, pauseMs } = fault;
        for (const piece of piecesOf(chunk, bytes)) hold(piece, Math.max(nowMs, lastDueMs) + pauseMs);
        break;
      }
      default:
        hold(chunk, nowMs);
    }
    if (heldBytes > maxHeldBytes) from.pause();
    pump();
  };

  const pump = (): void => {
    clearTimeout(timer);
    if (fault?.kind === 'black-hole') return;
    const nowMs = performance.now();
    for (let first = held[0]; first !== undefined && !isBlocked; first = held[0]) {
      if (first.dueMs > nowMs) {
        timer = setTimeout(pump, first.dueMs - nowMs);
        return;
      }
      held.shift();
      heldBytes -= first.bytes.length;
      const taken = take(first.bytes.length);
      if (taken < first.bytes.length) return void to.write(first.bytes.subarray(0, taken), cut);
      isBlocked = !to.write(first.bytes);
    }
    if (heldBytes <= maxHeldBytes) from.resume();
    if (hasEnded && held.length === 0) end();
  };

  const end = (): void => {
    if (fault?.kind === 'slow-close') timer = setTimeout(() => to.end(), fault.ms);
    else to.end();
  };

  from.on('data', receive);
  from.on('end', () => {
    hasEnded = true;
    pump();
  });
  to.on('drain', () => {
    isBlocked = false;
    pump();
  });

  return {
    set(next) {
      fault = next;
      held = held.map(({ bytes }) => ({ bytes, dueMs: 0 }));
      lastDueMs = 0;
      pump();
    },
    close: () => clearTimeout(timer),
  };
}

function piecesOf(chunk: Buffer, bytes: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < chunk.length; start += bytes) pieces.push(chunk.subarray(start, start + bytes));
  return pieces;
}
