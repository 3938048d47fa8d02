import fetchResponse from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import { crc32c } from '@node-rs/crc32';
import { applyPatches } from '../../libs/kafka/kafkajs-patches/apply-patches.ts';

/** Changes a batch, as it stands in the answer of a fetch. */
type Alter = (batch: Buffer) => void;

export interface AlteredFetches {
  /** From now on each batch that holds these bytes is changed before it is decoded. */
  alter(holding: Buffer, alter: Alter): void;
  /** Batches come as the brokers send them again. */
  mend(): void;
  /** How many were changed. */
  count(): number;
  restore(): void;
}

/** The offset of a batch's records, of its checksum, and of what that covers. */
export const recordsAt = 61;
const crcAt = 17;
const attributesAt = 21;

/** Stands between the brokers and all consumers of this process, as a network or a disk does that changes bytes. */
export function alterFetches(): AlteredFetches {
  applyPatches();
  const { decode } = fetchResponse;
  let rules: { holding: Buffer; alter: Alter }[] = [];
  let count = 0;
  fetchResponse.decode = (bytes) => {
    for (const { holding, alter } of rules) {
      for (let at = bytes.indexOf(holding); at !== -1; at = bytes.indexOf(holding, at + 1)) {
        const start = at - recordsAt;
        if (start < 0) continue;
        alter(bytes.subarray(start, start + 12 + bytes.readInt32BE(start + 8)));
        count += 1;
      }
    }
    return decode(bytes);
  };
  return {
    alter: (holding, alter) => void rules.push({ holding, alter }),
    mend() {
      rules = [];
    },
    count: () => count,
    restore() {
      fetchResponse.decode = decode;
    },
  };
}

/** A byte of the records that is another one. */
export function flipByte(batch: Buffer): void {
  const at = recordsAt + Math.floor((batch.length - recordsAt) / 2);
  batch[at] = (batch[at] ?? 0) ^ 0xff;
}

/** The records end too early, and the checksum is right: whoever wrote the batch wrote it so. */
export function spoil(batch: Buffer): void {
  batch.fill(0xff, recordsAt + 4);
  rewriteChecksum(batch);
}

/** A codec that nobody knows yet. */
export function renameCodec(batch: Buffer): void {
  batch.writeInt16BE((batch.readInt16BE(attributesAt) & ~0x07) | 6, attributesAt);
  rewriteChecksum(batch);
}

const rewriteChecksum = (batch: Buffer): void => void batch.writeUInt32BE(crc32c(batch.subarray(attributesAt)), crcAt);
