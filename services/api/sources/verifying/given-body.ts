import type { FieldErrors, Read } from '../../http/send-problem.ts';

/** A body in a request, as text or as base64. */
interface GivenBody {
  body?: string;
  body_encoding?: 'text' | 'base64';
}

export function readBody({ body = '', body_encoding: encoding = 'text' }: GivenBody): Read<Buffer> {
  if (encoding === 'text') return { read: Buffer.from(body) };
  const bytes = Buffer.from(body, 'base64');
  const errors: FieldErrors = [{ field: '/body', message: 'must be base64 with padding' }];
  return bytes.toString('base64') === body ? { read: bytes } : { errors };
}
