import { type ComparedFigure, type Figure, shortNumber, spreadOf } from '../support/figure.ts';
import { aims, type PeerAim } from './aims.ts';
import type { Finding } from './findings.ts';
import { type SystemName, systemNames } from './systems/system.ts';

/** All findings of a run: figure by figure, system by system, turn by turn. */
export interface Sheet {
  add(system: SystemName, found: readonly Finding[]): void;
  /** As a table: a column for each system, Hookline's with its ratio to the best peer. */
  table(): string[][];
  /** The same as data. */
  compared(): ComparedFigure[];
  /** Hookline's figures, next to the best peer's if one was measured. */
  figures(): Figure[];
}

interface Row {
  finding: Finding;
  values: Map<SystemName, number[]>;
}

const peers: readonly SystemName[] = ['outpost', 'svix'];

export function createSheet(): Sheet {
  const rows = new Map<string, Row>();
  const measured = (): SystemName[] =>
    systemNames.filter((system) => [...rows.values()].some(({ values }) => values.has(system)));

  return {
    add(system, found) {
      for (const finding of found) {
        const row = rows.get(finding.name) ?? { finding, values: new Map<SystemName, number[]>() };
        rows.set(finding.name, row);
        row.values.set(system, [...(row.values.get(system) ?? []), finding.value]);
      }
    },
    table() {
      const systems = measured();
      const cell = (row: Row, system: SystemName): string => {
        const values = row.values.get(system);
        if (values === undefined) return '–';
        const { median, least, most } = spreadOf(values);
        const range = values.length > 1 ? ` (${shortNumber(least)} to ${shortNumber(most)})` : '';
        const best = peers.includes(system) ? undefined : bestPeer(row);
        const ratio =
          best === undefined || best.median === 0 ? '' : `, ${shortNumber(median / best.median)} of ${best.system}`;
        return `${shortNumber(median)}${range}${ratio}`;
      };
      return [
        ['figure', 'unit', ...systems],
        ...[...rows.values()].map((row) => [
          row.finding.name,
          row.finding.unit,
          ...systems.map((system) => cell(row, system)),
        ]),
      ];
    },
    compared: () =>
      [...rows.values()].map(({ finding: { value: _, ...about }, values }) => ({
        ...about,
        values: Object.fromEntries(values),
      })),
    figures: () =>
      [...rows.values()].flatMap((row) =>
        measured()
          .filter((system) => !peers.includes(system))
          .flatMap((system) => figureOf(row, system) ?? []),
      ),
  };
}

/** By its median; undefined where no peer was measured, or there is no better and worse. */
function bestPeer({ finding, values }: Row): { system: SystemName; median: number; values: number[] } | undefined {
  if (finding.better === undefined) return undefined;
  const sign = finding.better === 'less' ? 1 : -1;
  return peers
    .flatMap((system) => {
      const ofPeer = values.get(system);
      return ofPeer === undefined ? [] : [{ system, values: ofPeer, median: spreadOf(ofPeer).median }];
    })
    .toSorted((a, b) => sign * (a.median - b.median))[0];
}

/** An aim that is a ratio needs a peer: without one the figure stands by itself. One that is absolute is judged without the peer. */
function figureOf(row: Row, system: SystemName): Figure | undefined {
  const { finding, values } = row;
  const own = values.get(system);
  if (own === undefined) return undefined;
  const figure = { name: `${system}: ${finding.name}`, unit: finding.unit, values: own };
  const best = bestPeer(row);
  const aim = aimOf(finding.name, system);
  if (aim?.kind === 'alone') return { ...figure, aim: boundOf(aim) };
  if (best === undefined || best.median === 0) return figure;
  return {
    ...figure,
    ceiling: { name: best.system, values: own.map((_, turn) => best.values[turn] ?? best.median) },
    ...(aim && { aim: boundOf(aim) }),
  };
}

const boundOf = ({ bound, value }: PeerAim): { atMost: number } | { atLeast: number } =>
  bound === 'atMost' ? { atMost: value } : { atLeast: value };

const aimOf = (figure: string, system: SystemName): PeerAim | undefined =>
  (aims[figure] as Readonly<Partial<Record<SystemName, PeerAim>>> | undefined)?.[system];
