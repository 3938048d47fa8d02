import type { SignatureCheck } from './scheme.ts';

/** For schemes that sign fields of the body, or whose algorithm needs it whole. The caller limits its size. */
export function checkCollected(verify: (body: Buffer) => ReturnType<SignatureCheck['finish']>): SignatureCheck {
  const chunks: Uint8Array[] = [];
  return {
    update: (chunk) => void chunks.push(chunk),
    finish: () => verify(Buffer.concat(chunks)),
  };
}
