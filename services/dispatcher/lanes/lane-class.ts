import type { Standing } from '../endpoints/endpoint-health.ts';

export const laneClasses = ['healthy', 'slow', 'sick'] as const;

/** How a lane shares its tenant's places for requests in flight (turns.ts). */
export type LaneClass = (typeof laneClasses)[number];

export const laneClassOf = ({ kind }: Standing): LaneClass => (kind === 'healthy' || kind === 'slow' ? kind : 'sick');
