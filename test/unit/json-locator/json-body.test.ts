import fc from 'fast-check';
import { createJsonBody } from '../../../libs/payload/json-body.ts';

const scalarAt = (body: string | Buffer, pointer: string) => createJsonBody(Buffer.from(body)).scalarAt(pointer);
const number = (source: string) => ({ kind: 'number', source });
const text = (value: string) => ({ kind: 'text', text: value });

describe('a JSON body', () => {
  it.each(['null', 'true', 'false', '{}', '[]', '""'])('has no identifier in %s', (value) => {
    expect(scalarAt(`{"id":${value}}`, '/id')).toBeUndefined();
  });

  it.each(['', '{', '{"id":1', "{'id':1}", '<xml/>', '{"id":01}', '{"id":"a\u0001"}', '\ufeff\ufeff{"id":1}'])(
    'that is none has nothing: %j',
    (body) => {
      expect(scalarAt(body, '/id')).toBeUndefined();
    },
  );

  it('may begin with a byte order mark', () => {
    expect(scalarAt('\ufeff{"id":"a"}', '/id')).toEqual(text('a'));
    expect(scalarAt('\ufeff{"id":1.50}', '/id')).toEqual(number('1.50'));
  });

  it('may be a scalar itself', () => {
    expect(scalarAt(' "evt_1" ', '')).toEqual(text('evt_1'));
    expect(scalarAt(' 1e400 ', '')).toEqual(number('1e400'));
  });

  it('is not JSON where its bytes are not UTF-8: decoding would make two identifiers one', () => {
    const withByte = (byte: number) => Buffer.concat([Buffer.from('{"id":"'), Buffer.from([byte]), Buffer.from('"}')]);
    expect(scalarAt(withByte(0xff), '/id')).toBeUndefined();
    expect(scalarAt(withByte(0xe9), '/id')).toBeUndefined();
    expect(scalarAt(Buffer.from('{"id":"a"}', 'utf16le'), '/id')).toBeUndefined();
  });

  it('keeps lone surrogates as they were escaped', () => {
    expect(scalarAt('{"id":"\\ud800"}', '/id')).toEqual(text('\ud800'));
  });

  it('takes the last of several members with one name, for texts and numbers alike', () => {
    expect(scalarAt('{"id":"a","id":"b"}', '/id')).toEqual(text('b'));
    expect(scalarAt('{"id":1.0,"\\u0069d":2.0,"x":{"id":3.0}}', '/id')).toEqual(number('2.0'));
  });

  it.each([
    ['beyond 2^53', ['9007199254740992', '9007199254740993', '9007199254740992.0']],
    ['of many digits', ['1', '1.0000000000000000001', '1.0000000000000000002']],
    ['that underflow', ['0', '1e-400', '2e-400', '-0']],
    ['that overflow', ['1e400', '2e400', '-1e400']],
    ['between two doubles', ['9007199254740990', '9007199254740990.2']],
  ])('tells numbers apart %s', (_what, sources) => {
    const found = sources.map((source) => scalarAt(`{"a":[0,{"id": ${source} }]}`, '/a/1/id'));
    expect(found).toEqual(sources.map(number));
  });

  it('finds a number’s text behind strings that look like structure', () => {
    const body = '{"a\\"}":"]}\\\\","b":["{\\"id\\":7}",[[],{}],-1.5e+3 ,true],"id":\n\t42\r}';
    expect(scalarAt(body, '/b/2')).toEqual(number('-1.5e+3'));
    expect(scalarAt(body, '/id')).toEqual(number('42'));
  });

  it('reads a number in a document that is nested deeper than a stack', () => {
    const depth = 200_000;
    const body = `{"id":1.0,"deep":${'['.repeat(depth)}${']'.repeat(depth)},"last":2.0}`;
    expect(scalarAt(body, '/id')).toEqual(number('1.0'));
    expect(scalarAt(body, '/last')).toEqual(number('2.0'));
  });

  it('finds for every number of every document a text that means it', () => {
    const documents = fc.json({ stringUnit: 'binary', maxDepth: 4 });
    fc.assert(
      fc.property(documents, fc.constantFrom('', ' ', '\n  '), (json, indent) => {
        const value: unknown = JSON.parse(json);
        const body = createJsonBody(Buffer.from(JSON.stringify(value, null, indent)));
        for (const [pointer, expected] of numbersIn(JSON.parse(JSON.stringify(value)))) {
          const found = body.scalarAt(pointer);
          expect(found).toMatchObject({ kind: 'number' });
          expect(found?.kind === 'number' && Number(found.source)).toBe(expected);
        }
      }),
    );
  });
});

function numbersIn(value: unknown, pointer = ''): [string, number][] {
  if (typeof value === 'number') return [[pointer, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    numbersIn(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}
