import { endpointSettlingMs } from '#lib/contract';
import type { Screen } from '../../output/screen.ts';
import { shownTime } from '../../output/shown-time.ts';

export interface CreatedEndpoint extends Record<string, unknown> {
  created_at: string;
}

/** From when on the endpoint gets events: who sends at once is surprised by none. */
export function describeBeginning({ created_at: createdAt }: CreatedEndpoint, screen: Screen): string {
  const from = new Date(Math.ceil((Date.parse(createdAt) + endpointSettlingMs) / 1_000) * 1_000).toISOString();
  return `It gets events accepted from ${String(shownTime(from, screen))} on, five seconds after its creation; nothing from before.`;
}
