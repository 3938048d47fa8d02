import { loadConfig } from '../../../services/ingress/config.ts';

const required = {
  HOOKLINE_DATABASE_URL: 'postgres://localhost/hookline',
  HOOKLINE_ENCRYPTION_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
};
const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

function load(given: Record<string, string>) {
  process.env = { ...required, ...given };
  return loadConfig();
}

const pair = { HOOKLINE_TLS_CERT_FILE: '/cert.pem', HOOKLINE_TLS_KEY_FILE: '/key.pem' };
const authorities = { HOOKLINE_TLS_CLIENT_CA_FILE: '/ca.pem' };

describe('the configuration of who may send', () => {
  test('trusts no proxy and takes plain HTTP by default', () => {
    expect(load({})).toMatchObject({
      trustedProxies: [],
      tlsCertFile: '',
      tlsClientCertificates: 'none',
      rejectionRetentionDays: 7,
    });
  });

  test('takes addresses and networks as proxies, and names every other', () => {
    expect(load({ HOOKLINE_TRUSTED_PROXIES: '10.0.0.0/8, ::1' }).trustedProxies).toEqual(['10.0.0.0/8', '::1']);
    expect(() => load({ HOOKLINE_TRUSTED_PROXIES: 'loopback,10.0.0.0/8,true' })).toThrow(
      /"loopback" is neither an address[^]*"true" is neither an address/,
    );
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['a certificate without its key', { HOOKLINE_TLS_CERT_FILE: '/cert.pem' }, /must be set together/],
    ['a key without its certificate', { HOOKLINE_TLS_KEY_FILE: '/key.pem' }, /must be set together/],
    ['client certificates without authorities', { ...pair, HOOKLINE_TLS_CLIENT_CERTIFICATES: 'optional' }, /needs/],
    ['client certificates without TLS', { ...authorities, HOOKLINE_TLS_CLIENT_CERTIFICATES: 'required' }, /needs/],
    ['authorities of nobody', { ...pair, ...authorities }, /has no effect/],
  ])('refuses %s', (_what, given, words) => {
    expect(() => load(given)).toThrow(words);
  });

  test.each(['optional', 'required'])('takes all of it together: %s', (clients) => {
    expect(() => load({ ...pair, ...authorities, HOOKLINE_TLS_CLIENT_CERTIFICATES: clients })).not.toThrow();
  });
});
