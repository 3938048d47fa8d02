import type { Scene } from './console-scene.ts';

const mebibyte = 1024 * 1024;
/** On a busy machine. It is 2 s on an idle one. */
const shownWithinMs = 5_000;

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** Bodies; what a page of each must show, as it came; and what it must not make of it. */
const bodies: Readonly<Record<string, { body: Buffer; shows: readonly string[]; hides?: readonly string[] }>> = {
  'a number above 2^53': {
    body: Buffer.from('{"id":9007199254740993}'),
    shows: ['9007199254740993'],
    hides: ['9007199254740992'],
  },
  'a number with a fraction of zero': { body: Buffer.from('{"id":"f","amount":1.0,"e":1E+2}'), shows: ['1.0', '1E+2'] },
  'repeated keys': { body: Buffer.from('{"id":"r","a":1,"a":2}'), shows: ['"a" : 1', '"a" : 2'] },
  'keys that are numbers': { body: Buffer.from('{"id":"k","2":"b","1":"a"}'), shows: ['"2" : "b" , "1" : "a"'] },
  '10,000 levels': { body: Buffer.from(`{"id":"deep","a":${deep(10_000)}}`), shows: ['"deep"'] },
  'invalid UTF-8': { body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), shows: ['7b 22 ff fe 22 7d'] },
  'a byte order mark': { body: Buffer.from('\ufeff{"id":"bom"}'), shows: ['"bom"'] },
  nothing: { body: Buffer.alloc(0), shows: ['0 bytes'] },
  'a mebibyte': {
    body: Buffer.from(`{"id":"big","a":"${'x'.repeat(mebibyte - 20)}"}`.slice(0, mebibyte)),
    shows: ['"big"'],
  },
  'text that is no JSON': { body: Buffer.from('plain <b>text</b> & more'), shows: ['plain <b>text</b> & more'] },
};

export function describePayloads(scene: () => Scene): void {
  test.each(Object.entries(bodies))('%s is shown and saved as it came', async (_what, { body, shows, hides = [] }) => {
    const { me, mine } = scene();
    const id = await mine.send(body, { 'content-type': body.length === 0 ? 'text/plain' : 'application/json' });
    const path = `${mine.t}/events/${id}/payload`;
    const startMs = performance.now();
    const shown = await me.get(path);
    expect(shown.status).toBe(200);
    expect(performance.now() - startMs).toBeLessThan(shownWithinMs);
    const text = shown.page.text;
    for (const part of shows) expect(loosely(text)).toContain(loosely(part));
    for (const part of hides) expect(text).not.toContain(part);
    expect((await me.get(`${mine.t}/events/${id}`)).status).toBe(200);

    const saved = await me.get(`${path}?download=1`);
    expect([saved.status, saved.bytes.equals(body)]).toEqual([200, true]);
    expect(saved.headers['content-disposition']).toMatch(/^attachment; filename="evt_[0-9a-z]+\.(json|bin)"$/);
    expect(saved.headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
    const raw = await me.get(`${path}?raw=1`);
    expect([raw.status, raw.bytes.equals(body)]).toEqual([200, true]);
    // Never as what a browser would run.
    expect(raw.headers['content-type']).toBe('text/plain; charset=utf-8');
  });
}

/** Tokens are elements of their own. */
const loosely = (text: string): string => text.replaceAll(/\s+/g, '');
