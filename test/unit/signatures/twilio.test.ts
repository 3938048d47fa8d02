import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { twilioForm } from './vectors.ts';
import { verifyRequest } from './verify.ts';

const secret = '12345';
const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';

interface Request {
  signature: string;
  body?: string | Buffer;
  publicUrl?: string;
  query?: string;
}

const verify = ({ signature, body = twilioForm, publicUrl = url, query = '' }: Request) =>
  verifyRequest('twilio', {
    headers: { 'x-twilio-signature': signature },
    secrets: [secret],
    chunks: [Buffer.from(body as string)],
    settings: { public_url: publicUrl },
    query,
  });

const sign = (text: string | Buffer): string =>
  createHmac('sha1', secret)
    .update(text as string)
    .digest('base64');

describe('the twilio scheme', () => {
  test.each([
    ['an https URL with a port', 'https://mycompany.com:1234/myapp.php?foo=1&bar=2', 'RSOYDt4T1cUTdK1PDd93/VVr8B8='],
    ['an http URL with a port', 'http://mycompany.com:1234/myapp.php?foo=1&bar=2', 'Zmvh+3yNM1Phv2jhDCwEM3q5ebU='],
    ['an https URL without its port', url, 'kvajT1Ptam85bY51eRf/AJRuM3w='],
    ['an http URL without its port', 'http://mycompany.com/myapp.php?foo=1&bar=2', '0ZXoZLH/DfblKGATFgpif+LLRf4='],
    ['user and password', 'https://user:pass@mycompany.com/myapp.php?foo=1&bar=2', 'CukzLTc1tT5dXEDIHm/tKBanW10='],
    ['a user alone', 'https://user@mycompany.com/myapp.php?foo=1&bar=2', '2YRLlVAflCqxaNicjMpJcSTgzSs='],
    [
      'user, password and the port',
      'https://user:pass@mycompany.com/myapp.php?foo=1&bar=2',
      'ZQFR1PTIZXF2MXB8ZnKCvnnA+rI=',
    ],
    ['user and password, signed without', 'https://user:pass@mycompany.com/myapp.php?foo=1&bar=2', sign(joined(url))],
    ['a quote that is not escaped', `${url}&Body=It's+amazing`, 'dsq4Ehbj6cs+KdTkpF5sSSplOWw='],
  ])('takes %s as Twilio’s own libraries do', (_what, publicUrl, signature) => {
    expect(verify({ signature, publicUrl })).toBe('valid');
  });

  test.each([
    [
      'several values',
      'MessagingBinding.Address=%2B1325xxxxxxx&MessagingBinding.Address=%2B1415xxxxxxx',
      '83O6e2vORAoJHUNzJjDWN1jz+BA=',
    ],
    [
      'in another order',
      'MessagingBinding.Address=%2B1415xxxxxxx&MessagingBinding.Address=%2B1325xxxxxxx',
      '83O6e2vORAoJHUNzJjDWN1jz+BA=',
    ],
    [
      'one of them twice',
      'SidAccount=AC123&Digits=5678&Sid=CA123&Digits=1234&Digits=1234',
      'IK+Dwps556ElfBT0I3Rgjkr1wJU=',
    ],
  ])('joins a parameter of %s as Twilio’s own libraries do', (_what, body, signature) => {
    expect(verify({ signature, body })).toBe('valid');
  });

  test('signs the URL with the query of this request, which Twilio has added to', () => {
    const signature = sign(joined('https://mycompany.com/myapp.php?foo=1&bar=2&more=%20'));
    expect(verify({ signature, query: '?foo=1&bar=2&more=%20' })).toBe('valid');
    expect(verify({ signature, query: '?foo=1&bar=2&more=+' })).toBe('signature_invalid');
    expect(verify({ signature })).toBe('signature_invalid');
  });

  test('does not sign what stands behind # in the URL: it only tells Twilio how to connect', () => {
    expect(verify({ signature: sign(joined(url)), publicUrl: `${url}#rc=3&rp=all` })).toBe('valid');
  });

  test('takes two hashes of the body for none', () => {
    const hash = '0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620';
    const body = '{"property": "value", "boolean": true}';
    for (const query of [`?bodySHA256=${hash}&bodySHA256=${hash}`, `?bodySHA256=${hash}&bodySHA256=`, '?bodySHA256=']) {
      expect(verify({ signature: sign(`https://mycompany.com/myapp.php${query}`), query, body })).toBe(
        'signature_invalid',
      );
    }
    // Hidden behind a second question mark, it is one all the same.
    const query = `?a?b&bodySHA256=${hash}`;
    expect(verify({ signature: sign(`https://mycompany.com/myapp.php${query}`), query, body })).toBe('valid');
    expect(verify({ signature: sign(`https://mycompany.com/myapp.php${query}`), query, body: 'x' })).toBe(
      'signature_invalid',
    );
  });

  test('signs a form’s bytes as they are decoded, no UTF-8 among them, and what is no escape as it stands', () => {
    const signed = Buffer.concat([Buffer.from(`${url}A`), Buffer.from([0xff, 0x80]), Buffer.from('B %zz+%C')]);
    expect(verify({ signature: sign(signed), body: 'B=+%zz%2B%&C=&A=%FF%80' })).toBe('valid');
  });

  test('a thousand parameters are a form, more are none', () => {
    const form = (count: number): string => Array.from({ length: count }, (_none, index) => `p${index}=1`).join('&');
    const signature = (count: number): string => {
      const names = Array.from({ length: count }, (_none, index) => `p${index}`).sort();
      return sign(url + names.map((name) => `${name}1`).join(''));
    };
    expect(verify({ signature: signature(1_000), body: form(1_000) })).toBe('valid');
    expect(verify({ signature: signature(1_001), body: form(1_001) })).toBe('signature_invalid');
    expect(verify({ signature: sign(url), body: '&'.repeat(1_000_000) })).toBe('signature_invalid');
  });

  test('any form is joined as the sorted set of its parameters, however it is escaped', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 6 });
    const escapes = fc.constantFrom(encodeURIComponent, (text: string) =>
      encodeURIComponent(text).replaceAll('%20', '+'),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(texts, texts), { maxLength: 8 }), escapes, (pairs, escape) => {
        const body = pairs.map(([name, value]) => `${escape(name)}=${escape(value)}`).join('&');
        const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
        const names = [...new Set(pairs.map(([name]) => name))].sort(byBytes);
        const signed = names.flatMap((name) => {
          const values = new Set(pairs.filter(([other]) => other === name).map(([, value]) => value));
          return [...values].sort(byBytes).map((value) => name + value);
        });
        expect(verify({ signature: sign(url + signed.join('')), body })).toBe('valid');
      }),
    );
  });
});

function joined(of: string): string {
  const params = [...new URLSearchParams(twilioForm)].sort(([a], [b]) => (a < b ? -1 : 1));
  return of + params.map(([name, value]) => name + value).join('');
}
