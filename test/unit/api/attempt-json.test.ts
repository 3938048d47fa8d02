import { attemptOf, type AttemptRow } from '../../../services/api/deliveries/attempts.ts';
import { noSend } from '../../support/no-send.ts';

const row: AttemptRow = {
  ...noSend,
  step: 4,
  attempt: 2,
  at: '2026-01-01T00:00:00.000000Z',
  outcome: 'http_5xx',
  http_status: 500,
  duration_ms: 12.5,
  detail: 'answered 500',
  response_excerpt: Buffer.from('sorry'),
  request: { method: 'PUT', url: 'https://receiver.test/hook', headers: { authorization: '***' } },
  response_headers: { server: 'nginx' },
  dns_ms: 1,
  connect_ms: 2,
  tls_ms: null,
  first_byte_ms: 9.25,
  body_ms: 0,
};

describe('an attempt as clients see it', () => {
  it('has what was sent, what came back, and how long each phase took', () => {
    expect(attemptOf(row, 'tenant')).toEqual({
      attempt: 2,
      at: '2026-01-01T00:00:00.000000Z',
      outcome: 'http_5xx',
      http_status: 500,
      duration_ms: 12.5,
      detail: 'answered 500',
      request: { method: 'PUT', url: 'https://receiver.test/hook', headers: { authorization: '***' } },
      response_headers: { server: 'nginx' },
      response_excerpt: 'sorry',
      response_excerpt_encoding: 'text',
      timing: { dns_ms: 1, connect_ms: 2, tls_ms: null, first_byte_ms: 9.25, body_ms: 0 },
    });
  });

  it('has nothing of an exchange where nothing was sent', () => {
    const timing = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null, body_ms: null };
    const nothing = { ...timing, request: null, response_headers: null, response_excerpt: null };
    expect(attemptOf({ ...row, ...nothing }, 'tenant')).toMatchObject({
      request: null,
      response_headers: null,
      response_excerpt: null,
      response_excerpt_encoding: 'text',
      timing: null,
    });
  });

  it.each([
    ['text', Buffer.from('größer 😀\0'), 'größer 😀\0', 'text'],
    ['text behind a byte order mark', Buffer.from('\ufeffa'), '\ufeffa', 'text'],
    [
      'text that ends within a character, for it was cut there',
      Buffer.from('größer 😀').subarray(0, -1),
      'größer ',
      'text',
    ],
    ['nothing', Buffer.alloc(0), '', 'text'],
    ['latin-1', Buffer.from('größer', 'latin1'), Buffer.from('größer', 'latin1').toString('base64'), 'base64'],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'H4sIAA==', 'base64'],
  ])('has an excerpt of %s readably', (_what, response_excerpt, shown, encoding) => {
    expect(attemptOf({ ...row, response_excerpt }, 'tenant')).toMatchObject({
      response_excerpt: shown,
      response_excerpt_encoding: encoding,
    });
  });
});
