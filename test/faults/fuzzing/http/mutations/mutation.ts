/** The material for one kind of mutation of a sound request. */
import type { Pools } from '../../pools.ts';
import type { RawRequest } from '../raw-request.ts';
import type { FuzzedRoute } from '../routes.ts';

export interface SoundRequest extends RawRequest {
  route: FuzzedRoute;
  /** The values of the path's parameters. */
  ids: readonly string[];
  /** Before it is text. */
  json: unknown;
  /** One that was given out for this route, if there is one. */
  cursor: string | undefined;
}

export type Mutation = (sound: SoundRequest, pools: Pools) => RawRequest;

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
/** Removes the characters that would end a request line or a header. */
export const withoutEnds = (text: string): string => latin1(text).replace(/[\r\n]/g, '');

export const withHeaders = (sound: RawRequest, ...more: [string, string][]): RawRequest => {
  const names = new Set(more.map(([name]) => name.toLowerCase()));
  return { ...sound, headers: [...sound.headers.filter(([name]) => !names.has(name.toLowerCase())), ...more] };
};
export const withBoth = (sound: RawRequest, ...more: [string, string][]): RawRequest => ({
  ...sound,
  headers: [...sound.headers, ...more],
});
export const withQuery = (sound: RawRequest, query: string): RawRequest => ({
  ...sound,
  target: `${sound.target}${sound.target.includes('?') ? '&' : '?'}${query}`,
});
export const withBody = (sound: RawRequest, body: Buffer | string): RawRequest => ({
  ...sound,
  body: Buffer.from(body),
});
export const withJson = (sound: RawRequest, value: unknown): RawRequest =>
  withBody(sound, JSON.stringify(value) ?? 'null');

export const withId =
  (idOf: (pools: Pools, id: string) => string): Mutation =>
  (sound, pools) => {
    const id = sound.ids.at(-1);
    if (id === undefined) return { ...sound, target: `${sound.target}/${idOf(pools, 'src_1')}` };
    return { ...sound, target: sound.target.replace(id, () => idOf(pools, id)) };
  };

export const flipped = (bytes: Buffer, pools: Pools): Buffer => {
  const result = Buffer.from(bytes);
  for (let times = 0; times < 3 && result.length > 0; times += 1) result[pools.below(result.length)] = pools.below(256);
  return result;
};
