import { machineSpeed } from '../lanes/reference-loop.ts';

/**
 * Processor time in milliseconds as the machine that limits are set for would have spent it: machines differ, and one machine changes its speed by
 * four within hours. The speed is looked at, which takes a second, where it decides alone.
 */
export const nominalMs = (spentMs: number, { limitMs }: { limitMs: number }): number =>
  spentMs < limitMs ? spentMs : spentMs * Math.min(1, machineSpeed(1));
