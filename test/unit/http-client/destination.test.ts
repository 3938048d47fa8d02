import { createDestinations } from '../../../libs/http-client/destination.ts';
import { vetUrl } from '../../../libs/http-client/vet-url.ts';
import { parseAllowedNetworks } from '#lib/http-client';

const policy = { allowHttp: false, allowedNetworks: parseAllowedNetworks(['127.0.0.0/8']) };

describe('what a URL leads to', () => {
  it('is its parts as they are sent to, however often it is asked for', () => {
    const destinationOf = createDestinations(policy);
    for (let turn = 0; turn < 2; turn += 1)
      expect(destinationOf('https://Receiver.test:8443/a%20b?c=d#e')).toEqual({
        origin: 'https://receiver.test:8443',
        path: '/a%20b?c=d',
        hostname: 'receiver.test',
        port: 8443,
        isTls: true,
      });
  });

  it('is judged as the URL is, the first time and every other', () => {
    const destinationOf = createDestinations(policy);
    const urls = [
      'https://10.0.0.1/',
      'http://receiver.test/',
      'https://u:p@receiver.test/',
      'https://receiver.test:0/',
    ];
    for (const url of [...urls, ...urls]) {
      const verdict = vetUrl(url, policy);
      expect(destinationOf(url)).toEqual({
        refused: `the URL is not allowed: ${'reason' in verdict ? verdict.reason : 'allowed'}`,
      });
    }
    expect(destinationOf('no URL')).toEqual({ refused: 'invalid URL' });
  });

  it('is forgotten, the oldest first, where there are very many', () => {
    const destinationOf = createDestinations(policy);
    const first = destinationOf('https://receiver.test/0');
    for (let n = 1; n < 2_000; n += 1) destinationOf(`https://receiver.test/${n}`);
    expect(destinationOf('https://receiver.test/0')).toBe(first);
    destinationOf('https://receiver.test/2000');
    expect(destinationOf('https://receiver.test/0')).not.toBe(first);
    expect(destinationOf('https://receiver.test/0')).toEqual(first);
  });
});
