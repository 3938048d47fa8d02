import type { ProblemCode } from '#lib/problem';
import type { Draw } from '../../draw.ts';
import type { RawRequest } from '../raw-request.ts';
import type { FuzzedRoute } from '../routes.ts';
import type { SoundRequest } from '../sound-request.ts';

/** One way to break a request. */
export interface Kind {
  /** `header: NUL`: the part that is broken, and how. */
  kind: string;
  /** Bytes, where it is no request any more. */
  break(sound: SoundRequest, draw: Draw): RawRequest | Buffer;
  /** It may be no whole request: the end of its connection is an answer, too. */
  isCut?: boolean;
  /** How many requests its bytes are. */
  requests?: number;
  /** It may be one of another operation: any code may refuse it. */
  isOther?: boolean;
  /** The only code that is right for it, on these routes. */
  code?: { code: ProblemCode; on(route: FuzzedRoute): boolean };
}

export const kindsOf = (
  part: string,
  breaks: Readonly<Record<string, Kind['break']>>,
  more: Partial<Kind> = {},
): Kind[] => Object.entries(breaks).map(([name, each]) => ({ kind: `${part}: ${name}`, break: each, ...more }));
