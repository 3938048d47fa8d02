import { schemeSettings, type SignatureRejection, signatureSchemes } from '#lib/signatures';
import { heldSecrets, schemeCases } from './scheme-cases.ts';
import { bodyOf, signed, verifyChanged } from './tampering.ts';
import { nowSeconds, verifyRequest } from './verify.ts';

describe.each(schemeCases)('the scheme $name', (testCase) => {
  const { signature } = testCase;
  const [one, two, three] = testCase.secrets;
  const right = signed(testCase, bodyOf(testCase, '{"id":"evt_1"}'))[signature] ?? '';
  const malformedOrInvalid: SignatureRejection =
    testCase.time === 'in the signature' || testCase.scheme === 'standard-webhooks'
      ? 'signature_malformed'
      : 'signature_invalid';

  test('accepts what is signed as its provider documents it', () => {
    expect(verifyChanged(testCase, {})).toBe('valid');
  });

  test('accepts what it signs itself', () => {
    const body = bodyOf(testCase, '{"id":"evt_1"}');
    const query = testCase.query?.(body) ?? '';
    const url = testCase.settings?.public_url?.replace(/\?.*/, query === '' ? '$&' : query);
    const settings = { ...testCase.settings, ...(url !== undefined && { public_url: url }) };
    const headers = signatureSchemes[testCase.scheme].sign({
      secret: one,
      timestampSeconds: nowSeconds,
      body,
      id: 'msg_1',
      settings: schemeSettings(testCase.scheme, settings),
    });
    const lowerCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const secrets = heldSecrets(testCase, [one]);
    expect(verifyRequest(testCase.scheme, { headers: lowerCase, secrets, chunks: [body], settings })).toBe('valid');
    if (!testCase.name.includes('svix')) expect(lowerCase).toEqual(signed(testCase, body));
  });

  test('accepts each secret of a rotation, wherever it stands', () => {
    for (const secrets of [
      [one, two, three],
      [three, two, one],
      [two, one, three],
    ]) {
      expect(verifyChanged(testCase, { secrets })).toBe('valid');
    }
    expect(verifyChanged(testCase, { secrets: [two, three] })).toBe('signature_invalid');
    expect(verifyChanged(testCase, { secrets: [] })).toBe('signature_invalid');
  });

  test('refuses a body of which one bit, the first byte or the last is another', () => {
    const body = bodyOf(testCase, '{"id":"evt_1"}');
    const flipped = Buffer.from(body);
    flipped[body.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
    for (const changed of [flipped, body.subarray(1), body.subarray(0, -1), Buffer.concat([body, Buffer.from('x')])]) {
      expect(verifyChanged(testCase, { body: changed })).toBe('signature_invalid');
    }
  });

  test('refuses a signature of another secret, or of which one character is another', () => {
    expect(verifyChanged(testCase, { signedBy: three })).toBe('signature_invalid');
    // The last but two: behind it, base64 may have padding and bits that count for nothing.
    const at = right.length - 4;
    const changed = right.slice(0, at) + (right[at] === 'a' ? 'b' : 'a') + right.slice(at + 1);
    expect(verifyChanged(testCase, { headers: { [signature]: changed } })).toBe('signature_invalid');
  });

  test('tells an absent signature from an empty one and from one that came twice', () => {
    expect(verifyChanged(testCase, { headers: { [signature]: undefined } })).toBe('signature_missing');
    expect(verifyChanged(testCase, { headers: { [signature]: '' } })).toBe('signature_malformed');
    expect(verifyChanged(testCase, { headers: { [signature]: [right, right] } })).toBe(malformedOrInvalid);
    expect(verifyChanged(testCase, { headers: { [signature]: [right] } })).toBe(malformedOrInvalid);
  });

  test('refuses what has other lengths, spaces around it or a hundred kilobytes, without ever throwing', () => {
    for (const text of ['x', 'é', '\0', '=', ',', ';', right.slice(0, -1), `_${right}`, 'a'.repeat(100_000)]) {
      expect(verifyChanged(testCase, { headers: { [signature]: text } })).toMatch(/^signature_(invalid|malformed)$/);
    }
  });

  test.each(['', '   ', 'whsec_', 'whsec_ '])(
    'takes no signature by the secret %j, which anyone could make',
    (secret) => {
      const signedBy = testCase.publicOf === undefined ? secret : one;
      expect(verifyChanged(testCase, { signedBy, secrets: [secret] })).toBe('signature_invalid');
      expect(verifyChanged(testCase, { signedBy, secrets: [secret, three] })).toBe('signature_invalid');
    },
  );

  test.each([
    ['no UTF-8', Buffer.from([0xff, 0xfe, 0x00, 0x80])],
    ['a byte order mark', Buffer.from('\ufeff{}')],
    ['an emoji', Buffer.from('😀 body')],
    ['no JSON', Buffer.from('} I am not valid JSON; 123][')],
    ['nothing', Buffer.alloc(0)],
  ])('signs bytes as they are: %s', (_what, bytes) => {
    expect(verifyChanged(testCase, {}, bodyOf(testCase, bytes))).toBe('valid');
  });

  test('gives its verdict on the whole, however it is cut', () => {
    const body = bodyOf(testCase, Buffer.from('a body of some length, 😀'));
    const verdictOf = (chunks: readonly Buffer[]) =>
      verifyRequest(testCase.scheme, {
        headers: signed(testCase, body),
        secrets: heldSecrets(testCase, [one]),
        chunks,
        query: testCase.query?.(Buffer.concat(chunks)) ?? '',
        ...(testCase.settings !== undefined && { settings: testCase.settings }),
      });
    expect(verdictOf([...body].map((byte) => Buffer.from([byte])))).toBe('valid');
    expect(verdictOf([Buffer.alloc(0), body.subarray(0, 7), Buffer.alloc(0), body.subarray(7)])).toBe('valid');
    expect(verdictOf([body.subarray(7), body.subarray(0, 7)])).toBe('signature_invalid');
  });
});

describe.each(schemeCases.filter(({ time }) => time !== undefined))('the signed time of $name', (testCase) => {
  test.each([
    [-301, 'timestamp_out_of_tolerance'],
    [-300, 'valid'],
    [-299, 'valid'],
    [299, 'valid'],
    [300, 'valid'],
    [301, 'timestamp_out_of_tolerance'],
  ])('%i seconds from now is %s', (distance, verdict) => {
    expect(verifyChanged(testCase, { distance })).toBe(verdict);
  });

  test.each([
    ['', 'signature_malformed'],
    [`${nowSeconds}abc`, 'signature_malformed'],
    [`${nowSeconds}.0`, 'signature_malformed'],
    [`+${nowSeconds}`, 'signature_malformed'],
    [` ${nowSeconds}`, 'signature_malformed'],
    [`${nowSeconds}\n`, 'signature_malformed'],
    ['1e9', 'signature_malformed'],
    ['0x65', 'signature_malformed'],
    ['Infinity', 'signature_malformed'],
    ['NaN', 'signature_malformed'],
    ['١٧٠٠٠٠٠٠٠٠', 'signature_malformed'],
    ['9'.repeat(400), 'timestamp_out_of_tolerance'],
    [`${nowSeconds}000`, 'timestamp_out_of_tolerance'],
    [`0${nowSeconds}`, 'valid'],
  ])('%j is %s, signed as it stands', (time, verdict) => {
    const body = bodyOf(testCase, '{}');
    const headers = testCase.headers({ secret: testCase.secrets[0], time, id: 'msg_1', body });
    expect(verifyChanged(testCase, { headers }, body)).toBe(verdict);
  });

  test('is the source’s own tolerance, inclusive', () => {
    const settings = { ...testCase.settings, timestamp_tolerance_seconds: 5 };
    const tight = { ...testCase, settings };
    expect(verifyChanged(tight, { distance: 5 })).toBe('valid');
    expect(verifyChanged(tight, { distance: -5 })).toBe('valid');
    expect(verifyChanged(tight, { distance: 6 })).toBe('timestamp_out_of_tolerance');
    expect(verifyChanged(tight, { distance: -6 })).toBe('timestamp_out_of_tolerance');
  });

  const { timeHeader } = testCase;
  if (timeHeader === undefined) return;
  test('in a header of its own is malformed where that is absent or came twice, and signed', () => {
    const time = String(nowSeconds);
    for (const value of [undefined, '', [time, time], [time]]) {
      expect(verifyChanged(testCase, { headers: { [timeHeader]: value } })).toBe('signature_malformed');
    }
    expect(verifyChanged(testCase, { headers: { [timeHeader]: String(nowSeconds + 1) } })).toBe('signature_invalid');
  });
});
