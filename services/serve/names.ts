/** In the order of an event's way; the console shows what became of it. */
export const servedNames = ['ingress', 'dedup', 'dispatcher', 'projector', 'api', 'console'] as const;

export type ServedName = (typeof servedNames)[number];

/**
 * @param only comma-separated names; undefined for all
 * @throws Error for an unknown service
 */
export function chooseNames(only: string | undefined): readonly ServedName[] {
  if (only === undefined) return servedNames;
  const given = only.split(',').map((name) => name.trim());
  const unknown = given.find((name) => !servedNames.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`there is no service \`${unknown}\`; there are ${servedNames.join(', ')}`);
  return servedNames.filter((name) => given.includes(name));
}
