import broker from 'kafkajs/src/broker/index.js';

/** By member id: generations whose join is not complete yet, or never will be. */
const generations = new Map<string, number>();
/** Joins that never complete are forgotten, the oldest first. */
const maxKept = 100;

/**
 * kafkajs's GROUP_JOIN does not say which generation of its group a member has joined. Patched: the answer to a join keeps it until it is
 * asked for.
 */
export function keepJoinGenerations(): void {
  const { prototype } = broker;
  const joinGroup = prototype.joinGroup;
  prototype.joinGroup = async function (asked) {
    const answer = await joinGroup.call(this, asked);
    const [oldest] = generations.keys();
    if (oldest !== undefined && generations.size >= maxKept) generations.delete(oldest);
    generations.set(answer.memberId, answer.generationId);
    return answer;
  };
}

/** @returns the generation of a join that has just completed, once; undefined if none is known */
export function takeJoinGeneration(memberId: string): number | undefined {
  const generation = generations.get(memberId);
  generations.delete(memberId);
  return generation;
}
