const shown = 3;

/**
 * Each kind of what a judge has found, with how many there are and the first of them.
 *
 * @param kinds each in a sentence
 */
export function describeFound<Name extends string, Found extends { finding: Name }>(
  kinds: Readonly<Record<Name, string>>,
  found: readonly Found[],
  describe: (found: Found) => string,
): string[] {
  return [...Map.groupBy(found, ({ finding }) => finding)].map(([name, ofName]) =>
    [
      `${name} ${ofName.length}: ${kinds[name]}`,
      ...ofName.slice(0, shown).map((one) => describe(one).replace(/^/gm, '  ')),
    ].join('\n'),
  );
}
