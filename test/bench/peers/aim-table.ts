import { type Figure, isMet, judgedOf, shortNumber } from '../support/figure.ts';

/**
 * Every figure that has an aim, with a column for each of Hookline's systems: the measured value, times the better peer's where the aim is
 * that, the aim, and whether it was held.
 *
 * @param figures named `<system>: <figure>`
 * @returns the head, then the rows; undefined where no figure has an aim
 */
export function aimTable(
  figures: readonly Figure[],
  verdicts: { held: string; missed: string } = { held: 'held', missed: 'MISSED' },
): { head: string[]; rows: string[][] } | undefined {
  const aimed = figures.filter(({ aim }) => aim !== undefined).map((figure) => ({ figure, ...partsOf(figure.name) }));
  if (aimed.length === 0) return undefined;
  const systems = [...new Set(aimed.map(({ system }) => system))];
  const names = [...new Set(aimed.map(({ name }) => name))];
  const cell = (name: string, system: string): string => {
    const found = aimed.find((each) => each.name === name && each.system === system);
    return found === undefined ? '–' : describe(found.figure, verdicts);
  };
  return {
    head: ['figure', ...systems],
    rows: names.map((name) => [name, ...systems.map((system) => cell(name, system))]),
  };
}

function describe(figure: Figure, verdicts: { held: string; missed: string }): string {
  const { aim, ceiling, unit } = figure;
  const beside = ceiling === undefined ? ` ${unit}` : ` of ${ceiling.name}`;
  const wanted = aim === undefined ? '' : 'atLeast' in aim ? `≥ ${aim.atLeast}` : `≤ ${aim.atMost}`;
  const verdict = isMet(figure) === true ? verdicts.held : verdicts.missed;
  return `${shortNumber(judgedOf(figure).median)}${beside} (${wanted}): ${verdict}`;
}

function partsOf(named: string): { system: string; name: string } {
  const at = named.indexOf(': ');
  return { system: named.slice(0, at), name: named.slice(at + 2) };
}
