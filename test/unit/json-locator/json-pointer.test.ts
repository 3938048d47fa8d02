import { parsePointer, valueAt } from '../../../libs/payload/json-pointer.ts';

const at = (document: unknown, pointer: string): unknown => {
  const tokens = parsePointer(pointer);
  return tokens === undefined ? 'no pointer' : valueAt(document, tokens);
};

describe('a JSON pointer', () => {
  // The document and its pointers are RFC 6901's own, section 5.
  const example: unknown = {
    foo: ['bar', 'baz'],
    '': 0,
    'a/b': 1,
    'c%d': 2,
    'e^f': 3,
    'g|h': 4,
    'i\\j': 5,
    'k"l': 6,
    ' ': 7,
    'm~n': 8,
  };

  it.each([
    ['', example],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ])('%j leads to what RFC 6901 says', (pointer, expected) => {
    expect(at(example, pointer)).toEqual(expected);
  });

  it('reads ~01 as ~1, not as a slash', () => {
    expect(at({ '~1': 'tilde', '/': 'slash' }, '/~01')).toBe('tilde');
  });

  it.each(['/constructor', '/__proto__', '/__proto__/x', '/toString', '/foo/constructor/name', '/hasOwnProperty'])(
    '%s leads nowhere in a document that has no such member',
    (pointer) => {
      expect(at({ foo: {} }, pointer)).toBeUndefined();
    },
  );

  it('finds a member that is called __proto__, where the sender sent one', () => {
    expect(at(JSON.parse('{"__proto__": {"id": "evt_1"}}'), '/__proto__/id')).toBe('evt_1');
  });

  it.each(['/list/length', '/list/-', '/list/01', '/list/1e0', '/list/+1', '/list/ 1', '/list/2', '/list/constructor'])(
    '%s is no element of an array of two',
    (pointer) => {
      expect(at({ list: ['a', 'b'] }, pointer)).toBeUndefined();
    },
  );

  it.each(['/text/0', '/text/length', '/none/x', '/number/toFixed', '/true/x'])(
    '%s does not lead into a scalar',
    (pointer) => {
      expect(at({ text: 'abc', none: null, number: 1, true: true }, pointer)).toBeUndefined();
    },
  );

  it.each(['id', 'a/b', '/a~', '/a~2', '#/id'])('%s is none', (text) => {
    expect(parsePointer(text)).toBeUndefined();
  });
});
