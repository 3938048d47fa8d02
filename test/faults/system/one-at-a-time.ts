import { createLimit } from '../../support/limit.ts';
import type { Pipeline, ProcessName } from '../../support/pipeline.ts';

/** The pipeline, with one thing at a time done to a process: what two tracks want of the same one comes one after the other. */
export function oneAtATime(pipeline: Pipeline): Pipeline {
  const limits = new Map<string, ReturnType<typeof createLimit>>();
  const inTurn = <T>(name: ProcessName, work: () => Promise<T>): Promise<T> => {
    const host = pipeline.hostOf(name);
    const limit = limits.get(host) ?? createLimit(1);
    limits.set(host, limit);
    return limit(work);
  };
  return {
    ...pipeline,
    restartService: (name) => inTurn(name, () => pipeline.restartService(name)),
    killService: (name, beforeRestart) => inTurn(name, () => pipeline.killService(name, beforeRestart)),
    freezeService: (name, meanwhile) => inTurn(name, () => pipeline.freezeService(name, meanwhile)),
    misleadService: (name, what, meanwhile) => inTurn(name, () => pipeline.misleadService(name, what, meanwhile)),
    killAlong(kills, beforeRestart, name) {
      if (name === undefined) throw new Error('of which process?');
      return inTurn(name, () => pipeline.killAlong(kills, beforeRestart, name));
    },
  };
}
