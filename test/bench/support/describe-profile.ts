import { readFileSync } from 'node:fs';

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[];
  samples: number[];
  timeDeltas: number[];
}

/** Describes where the time of a profile was spent: by part of the program, and by function, each without what it calls. */
export function describeProfile(file: string): string {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byPart = new Map<string, number>();
  const byFunction = new Map<string, number>();
  let busy = 0;
  samples.forEach((id, index) => {
    const frame = frames.get(id);
    const micros = timeDeltas[index] ?? 0;
    if (frame === undefined || frame.functionName === '(idle)') return;
    busy += micros;
    const part = partOf(frame);
    add(byPart, part, micros);
    add(byFunction, `${frame.functionName || '(anonymous)'}  ${part}`, micros);
  });
  const lines = (of: Map<string, number>, count: number): string[] =>
    [...of]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, count)
      .map(([name, micros]) => `  ${((100 * micros) / busy).toFixed(1).padStart(5)} %  ${name}`);
  return ['where the main thread’s time went:', ...lines(byPart, 20), 'functions:', ...lines(byFunction, 25)].join(
    '\n',
  );
}

function partOf({ functionName, url }: { functionName: string; url: string }): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native';
  if (url.startsWith('node:')) return `node ${url.replace(/^node:(internal\/)?/, '').split('/')[0]}`;
  const [, dependency] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (dependency !== undefined) return dependency;
  const [, ours = url] = /\/((?:libs|services)\/[^/]+)/.exec(url) ?? [];
  return ours;
}

const add = (to: Map<string, number>, key: string, micros: number): void =>
  void to.set(key, (to.get(key) ?? 0) + micros);
