/**
 * Whether this process holds the partitions of `deliveries` for sure, as its consumer knows. The lanes that ask are what the consumer hands its
 * records to, so they are built before it; until it is there, nothing is held.
 */
export interface Membership {
  holds(): boolean;
  /** Asks this consumer from now on. */
  follow(consumer: { holdsMembership(): boolean }): void;
}

export function createMembership(): Membership {
  let followed: { holdsMembership(): boolean } | undefined;
  return {
    holds: () => followed?.holdsMembership() ?? false,
    follow: (consumer) => void (followed = consumer),
  };
}
