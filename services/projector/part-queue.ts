/** The queue of parts to commit, in the order in which they came, each part of one tenant. */

/** The items of one call. */
export interface Handed<T> {
  items: readonly T[];
  bytes: number;
  /** Number of its parts that are neither committed nor left. */
  open: number;
  /** Tenants whose parts are left to the caller. */
  left: ReadonlySet<string>;
  hasFailed: boolean;
  written: PromiseWithResolvers<ReadonlySet<string>>;
}

/** One tenant's share of a call's items. */
export interface Part<T> {
  handed: Handed<T>;
  tenant: string;
  items: T[];
  rows: number;
}

export interface PartQueue<T> {
  add(parts: readonly Part<T>[]): void;
  /** In front of all others, to be taken again. */
  putBack(parts: readonly Part<T>[]): void;
  /**
   * Takes the first parts of these tenants, in order, as many rows as allowed, but one part at least; if there is room left, also parts of
   * the tenants that are wanted next. Failed parts are left out.
   */
  take(...wanted: ((tenant: string) => boolean)[]): Part<T>[];
  has(isWanted: (tenant: string) => boolean): boolean;
}

export function createPartQueue<T>(maxRows: number): PartQueue<T> {
  let waiting: Part<T>[] = [];
  return {
    add: (parts) => void waiting.push(...parts),
    putBack: (parts) => void waiting.unshift(...parts),
    take(...wanted) {
      const taken: Part<T>[] = [];
      let rows = 0;
      waiting = waiting.filter(({ handed }) => !handed.hasFailed);
      for (const isWanted of wanted) {
        const left: Part<T>[] = [];
        let isFull = false;
        for (const part of waiting) {
          if (!isFull && isWanted(part.tenant)) {
            rows += part.rows;
            // Nothing comes before what came before it.
            isFull = taken.length > 0 && rows > maxRows;
          } else {
            left.push(part);
            continue;
          }
          (isFull ? left : taken).push(part);
        }
        waiting = left;
      }
      return taken;
    },
    has: (isWanted) => waiting.some(({ handed, tenant }) => !handed.hasFailed && isWanted(tenant)),
  };
}
