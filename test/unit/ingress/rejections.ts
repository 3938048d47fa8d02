import type { Rejection } from '../../../services/ingress/rejections/rejection-row.ts';

export const rejectionOf = (given: Partial<Rejection> = {}): Rejection => ({
  tenant: 'acme',
  sourceId: 'src_1',
  id: 'rej_1',
  atMs: Date.UTC(2026, 0, 1),
  code: 'signature_invalid',
  clientAddress: '192.0.2.1',
  rawHeaders: [],
  signatureHeader: 'hookline-signature',
  bodyBytes: undefined,
  bodyBeginning: undefined,
  ...given,
});
