/** Above, a chunk is worth an object of its own. */
const largeChunkBytes = 1_024;
const firstBlockBytes = 1_024;
const maxBlockBytes = 16 * 1024;
const noBlock: Buffer = Buffer.alloc(0);

export interface ChunkJoiner {
  add(chunk: Buffer): void;
  /** All that was added; after the last chunk, once. */
  end(): Buffer;
  /** A copy of the first bytes of what was added so far. */
  beginning(maxBytes: number): Buffer;
}

/**
 * Joins the small chunks of a body as they arrive: a sender may cut a body into single bytes, and a Buffer for each would take two hundred
 * times their size.
 *
 * @param onBytes gets all bytes in order, mostly in large pieces; the last of them by `end`
 */
export function createChunkJoiner(onBytes: (bytes: Buffer) => void): ChunkJoiner {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let block = noBlock;
  let used = 0;
  let nextBlockBytes = firstBlockBytes;

  const push = (piece: Buffer): void => {
    pieces.push(piece);
    onBytes(piece);
  };
  const closeBlock = (): void => {
    if (used === 0) return;
    push(block.subarray(0, used));
    block = block.subarray(used);
    used = 0;
  };
  const join = (chunk: Buffer): void => {
    if (used + chunk.length > block.length) {
      closeBlock();
      block = Buffer.allocUnsafe(nextBlockBytes);
      nextBlockBytes = Math.min(2 * nextBlockBytes, maxBlockBytes);
    }
    chunk.copy(block, used);
    used += chunk.length;
  };

  return {
    add(chunk) {
      bytes += chunk.length;
      // Most bodies are one chunk.
      if (chunk.length < largeChunkBytes && pieces.length > 0) return join(chunk);
      closeBlock();
      push(chunk);
    },
    end() {
      closeBlock();
      return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, bytes);
    },
    beginning: (maxBytes) => Buffer.concat([...pieces, block.subarray(0, used)], Math.min(bytes, maxBytes)),
  };
}
