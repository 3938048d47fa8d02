import { isIP } from 'node:net';
import { parseAllowedNetworks, vetUrl } from '#lib/http-client';
import { publicAddresses, refusedAddresses, refusedUrls } from './address-cases.ts';

const policy = { allowHttp: true, allowedNetworks: parseAllowedNetworks([]) };
const local = { allowHttp: true, allowedNetworks: parseAllowedNetworks(['127.0.0.0/8']) };
const hostOf = (address: string): string => (address.includes(':') ? `[${address}]` : address);

describe('the vetting of an endpoint’s URL', () => {
  it('refuses every spelling of a refused address, credentials, and other schemes', () => {
    expect(refusedUrls.filter((url) => vetUrl(url, policy).allowed)).toEqual([]);
  });

  it('refuses the literal addresses that are refused at the connect', () => {
    const urls = Object.values(refusedAddresses)
      .flat()
      .filter((address) => isIP(address) !== 0)
      .map((address) => `https://${hostOf(address)}/hook`);
    expect(urls.filter((url) => vetUrl(url, policy).allowed)).toEqual([]);
  });

  it('takes public addresses and names, with ports, paths and queries', () => {
    const urls = [
      ...publicAddresses.map((address) => `https://${hostOf(address)}/hook`),
      ...[
        'https://example.com',
        'https://hooks.example.com:8443/a/b?token=1#top',
        'http://example.com/',
        'https://xn--mnchen-3ya.de/',
      ],
      ...['https://127.0.0.1.nip.io/', 'https://notlocalhost/', 'https://metadata.google.internal.example.com/'],
    ];
    expect(urls.filter((url) => !vetUrl(url, policy).allowed)).toEqual([]);
  });

  it('refuses plain http unless it is allowed', () => {
    expect(vetUrl('http://example.com/', { ...policy, allowHttp: false })).toEqual({
      allowed: false,
      reason: 'plain http',
    });
    expect(vetUrl('https://example.com/', { ...policy, allowHttp: false })).toEqual({ allowed: true });
  });

  it('takes localhost for loopback, which a local stack allows', () => {
    for (const url of ['http://localhost:3000/', 'http://127.0.0.1:3000/', 'http://app.localhost/'])
      expect(vetUrl(url, local)).toEqual({ allowed: true });
    expect(vetUrl('http://10.0.0.1/', local)).toMatchObject({ allowed: false });
  });
});
