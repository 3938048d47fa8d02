import type { Screen } from '../../output/screen.ts';
import { shownTime } from '../../output/shown-time.ts';

export interface CreatedEndpoint extends Record<string, unknown> {
  id: string;
  created_at: string;
  effective_at: string;
}

/** From when on the endpoint gets events, and how it gets what came before: who sends at once is surprised by none. */
export function describeBeginning(
  { id, created_at: createdAt, effective_at: effectiveAt }: CreatedEndpoint,
  screen: Screen,
): string {
  const from = new Date(Math.ceil(Date.parse(effectiveAt) / 1_000) * 1_000).toISOString();
  return `It gets events accepted from ${String(shownTime(from, screen))} on, two seconds after its creation. To send it what it missed:
  hookline events replay --to ${id} --since ${createdAt} --until ${effectiveAt}`;
}
