import { createHash, timingSafeEqual } from 'node:crypto';
import { checkCollected, publicUrlProblems, type SignatureCheck, type SignatureScheme } from './scheme.ts';
import { decodeExactly, generateSecret } from './secret.ts';
import { readSignature, spelled } from './header-values.ts';
import { beginHmac, type HmacForm, signHmac, textKeys } from './hmac-check.ts';
import { joinedFormParams } from './twilio-form.ts';

const header = 'X-Twilio-Signature';

const formFor = (url: string): HmacForm => ({ algorithm: 'sha1', encoding: 'base64', before: url });

/**
 * Twilio's: `<base64>`, HMAC-SHA1 over the URL that was called and the form's parameters, sorted and joined. A body that is no form is
 * hashed into the URL's query instead (`bodySHA256=<hex>`), and the signature covers the URL alone.
 *
 * The token is in a header because nothing in a form is unique by itself: one message has many statuses.
 */
export const twilio: SignatureScheme = {
  signatureHeader: header.toLowerCase(),
  contentType: 'application/x-www-form-urlencoded',
  identifyBy: ['header:I-Twilio-Idempotency-Token'],
  typeBy: ['/type'],
  problemsOf: publicUrlProblems,
  generateSecret,

  begin({ headers, secrets, settings, query }) {
    const read = readSignature(headers, settings.signatureHeader);
    if ('rejection' in read) return read;
    if (settings.publicUrl === undefined) return { rejection: 'signature_invalid' };
    const called = calledUrl(settings.publicUrl, query);
    const keys = textKeys(secrets);
    const verify = (signed: Uint8Array): ReturnType<SignatureCheck['finish']> => {
      const verdicts = signedUrls(called).map((url) => {
        const begun = beginHmac(formFor(url), keys, [read.signature]);
        if ('rejection' in begun) return begun.rejection;
        begun.check.update(signed);
        return begun.check.finish();
      });
      return verdicts.includes('valid') ? 'valid' : 'signature_invalid';
    };

    const bodyHashes = queryValues(called, 'bodySHA256');
    if (bodyHashes.length > 0) return { check: checkBodyHash(bodyHashes, () => verify(Buffer.alloc(0))) };
    return {
      check: checkCollected((body) => {
        const params = joinedFormParams(body);
        return params === undefined ? 'signature_invalid' : verify(params);
      }),
    };
  },

  sign({ secret, body, settings }) {
    const url = calledUrl(settings.publicUrl ?? '', '');
    const isHashed = queryValues(url, 'bodySHA256').length > 0;
    const signed = isHashed ? undefined : joinedFormParams(Buffer.from(body));
    return { [spelled(header, settings)]: signHmac(formFor(url), secret, signed ?? Buffer.alloc(0)) };
  },
};

/** The URL as entered at Twilio, with the query of this request: Twilio appends its own parameters. */
function calledUrl(publicUrl: string, query: string): string {
  const [url = ''] = publicUrl.split('#', 1);
  return query === '' ? url : url.replace(/\?.*$/s, '') + query;
}

/**
 * Twilio signs the URL with its port sometimes and sometimes without, and its documents and libraries disagree about the user and
 * password in it: all forms are tried. The URL is taken apart as text, since a parser would escape what was signed as it stood.
 */
function signedUrls(url: string): string[] {
  const [, scheme = '', credentials = '', host = '', rest = ''] =
    /^(https?:\/\/)([^/?]*@)?([^/?]*)(.*)$/s.exec(url) ?? [];
  const bare = host.replace(/:\d+$/, '');
  const hosts = [host, bare, `${bare}:${scheme === 'https://' ? 443 : 80}`];
  const urls = hosts.flatMap((each) => [scheme + credentials + each + rest, scheme + each + rest]);
  return [...new Set(urls)];
}

function queryValues(url: string, name: string): string[] {
  const queryAt = url.indexOf('?');
  if (queryAt === -1) return [];
  return url
    .slice(queryAt + 1)
    .split('&')
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

function checkBodyHash(
  given: readonly string[],
  verifyUrl: () => ReturnType<SignatureCheck['finish']>,
): SignatureCheck {
  const sha256 = createHash('sha256');
  const [first = ''] = given;
  const expected = given.length === 1 ? decodeExactly(first, 'hex') : undefined;
  return {
    update: (chunk) => void sha256.update(chunk),
    finish() {
      const actual = sha256.digest();
      const isBody = expected?.length === actual.length && timingSafeEqual(actual, expected);
      return isBody ? verifyUrl() : 'signature_invalid';
    },
  };
}
