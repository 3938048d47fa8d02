import { deadLetterReasons, reasonsOfStages } from '#lib/contract';

/** Files of deploy/prometheus/rules whose alerts select dead letters of the dispatcher by their reasons, and whose fault those are. */
const faults = { 'delivering.yml': 'endpoint', 'processing.yml': 'record' } as const;
export const filesByReason = Object.keys(faults) as (keyof typeof faults)[];

/** The rules with the reasons of libs/contract/dead-letter-reasons.ts. */
export function alertsByReason(file: keyof typeof faults, rules: string): string {
  const reasons = reasonsOfStages(['dispatcher']).filter((reason) => deadLetterReasons[reason].fault === faults[file]);
  return rules.replaceAll(/reason=~"[^"]*"/g, `reason=~"${reasons.join('|')}"`);
}
