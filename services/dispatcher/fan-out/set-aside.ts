/**
 * Work that takes long, done beside the partition that it came from, so that records behind it do not wait. For one tenant it
 * is done piece by piece in the order in which it came; tenants take turns.
 */
export interface SetAside {
  /** Whether the tenant has work that has not ended. Later events must be set aside too, or they would overtake. */
  has(tenant: string): boolean;
  add(tenant: string, work: () => Promise<void>): void;
}

interface Options {
  /** Tenants whose work is under way at once. */
  atOnce: number;
  /** Some work has failed. */
  onFailure(error: unknown): void;
}

export function createSetAside({ atOnce, onFailure }: Options): SetAside {
  /** In the order of turns; the work that is under way stands first. */
  const queues = new Map<string, (() => Promise<void>)[]>();
  const busy = new Set<string>();

  function begin(): void {
    for (const [tenant, [work]] of queues) {
      if (busy.size >= atOnce) return;
      if (work !== undefined && !busy.has(tenant)) void run(tenant, work);
    }
  }

  async function run(tenant: string, work: () => Promise<void>): Promise<void> {
    busy.add(tenant);
    await work().catch(onFailure);
    busy.delete(tenant);
    const queue = queues.get(tenant) ?? [];
    queue.shift();
    queues.delete(tenant);
    if (queue.length > 0) queues.set(tenant, queue);
    begin();
  }

  return {
    has: (tenant) => queues.has(tenant),
    add(tenant, work) {
      const queue = queues.get(tenant);
      if (queue === undefined) queues.set(tenant, [work]);
      else queue.push(work);
      begin();
    },
  };
}
