/**
 * Shares room of a fixed size among an unknown number of tenants: a tenant that holds some takes more only while it holds less than four
 * times what is free, and the last twentieth is for tenants that hold none.
 *
 * One alone reaches four fifths, two reach four ninths each, and n reach 4 / (4n + 1) each. Early tenants that give nothing back (requests
 * that hang) leave less to later ones, but the last twentieth always leaves something: a tenant that holds none finds room while no more
 * than `newcomers` others hold some. (As soon as a holder has taken more, at least that much is free, and from then on each further piece
 * makes one more tenant a holder.) Beyond that number, the caller lets tenants take turns.
 *
 * It only counts: the caller asks before it takes, and gives back what it took.
 */
export interface SharedRoom {
  /** If nobody holds any, one request may exceed the size. */
  mayTake(tenant: string, size?: number): boolean;
  /** Below zero gives back. */
  take(tenant: string, size?: number): void;
  held(tenant: string): number;
  free(): number;
  /** How much more it may take now. */
  roomFor(tenant: string): number;
  /** The amount that it holds plus what it could take if nobody else took or gave back any. */
  shareOf(tenant: string): number;
  /** Each tenant that holds some, and how much of its share. */
  usage(): Iterable<readonly [tenant: string, ratio: number]>;
  /** With so many others that hold some, a tenant that holds none still finds room. */
  readonly newcomers: number;
}

const timesFree = 4;
const partForNewcomers = 1 / 20;

export function createSharedRoom(size: number): SharedRoom {
  const newcomers = Math.min(size - 1, Math.ceil(size * partForNewcomers));
  const holders = new Map<string, number>();
  let total = 0;

  const held = (tenant: string): number => holders.get(tenant) ?? 0;
  const free = (): number => Math.max(0, size - total);

  function roomFor(tenant: string): number {
    const has = held(tenant);
    const more = Math.min(Math.ceil((timesFree * free() - has) / (timesFree + 1)), free() - newcomers);
    return Math.max(has === 0 ? Math.min(1, free()) : 0, more);
  }

  const shareOf = (tenant: string): number => held(tenant) + roomFor(tenant);

  return {
    newcomers,
    held,
    free,
    roomFor,
    shareOf,
    mayTake(tenant, more = 1) {
      if (total === 0) return true;
      const has = held(tenant);
      if (has === 0) return more <= free();
      return has < timesFree * free() && more <= free() - newcomers;
    },
    take(tenant, more = 1) {
      total += more;
      const has = held(tenant) + more;
      if (has === 0) holders.delete(tenant);
      else holders.set(tenant, has);
    },
    *usage() {
      for (const [tenant, has] of holders) yield [tenant, has / shareOf(tenant)];
    },
  };
}
