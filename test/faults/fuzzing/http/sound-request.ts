/** A request as a client would make it, and how one part of it is changed. */
import { bytesOfText, textDefects } from '../defects.ts';
import { type Draw, oneOf } from '../draw.ts';
import type { RawRequest } from './raw-request.ts';
import type { FuzzedRoute } from './routes.ts';

export interface SoundRequest extends RawRequest {
  route: FuzzedRoute;
  /** The value of the path's last parameter; undefined where it has none. */
  id: string | undefined;
  /** Sound values of all query parameters that the route knows, whether the request has them or not. */
  parameters: Readonly<Record<string, string>>;
  /** The body before it is text. */
  json: unknown;
}

export type Mutate = (sound: SoundRequest, draw: Draw) => RawRequest;

type Headers = readonly (readonly [name: string, value: string])[];

export const addHeaders = (sound: RawRequest, ...more: Headers): RawRequest => ({
  ...sound,
  headers: [...sound.headers, ...more],
});

/** The others stay; those of the same name go. */
export const withHeaders = (sound: RawRequest, ...more: Headers): RawRequest => {
  const names = new Set(more.map(([name]) => name.toLowerCase()));
  return addHeaders({ ...sound, headers: sound.headers.filter(([name]) => !names.has(name.toLowerCase())) }, ...more);
};

export const withQuery = (sound: RawRequest, query: string): RawRequest => ({
  ...sound,
  target: `${sound.target}${sound.target.includes('?') ? '&' : '?'}${query}`,
});

export const withBody = (sound: RawRequest, body: Buffer | string): RawRequest => ({
  ...sound,
  body: Buffer.from(body as string),
});

export const withJson = (sound: RawRequest, value: unknown): RawRequest =>
  withBody(sound, JSON.stringify(value) ?? 'null');

export const latin1 = (text: string): string => bytesOfText(text).toString('latin1');
/** As it is: only the characters go that would end the request line or the header. */
export const inHeader = (text: string): string => latin1(text).replace(/[\r\n]/g, '');
export const anyDefect = (text: string, draw: Draw): string => oneOf(draw, Object.values(textDefects))(text, draw);
