/**
 * The lines that differ between two texts, by Myers' algorithm (1986): the shortest list of removed and added lines. Its time and memory grow
 * with the number of differences, and of lines that are the same, so texts that differ in more than `maxDifferences` lines, or take more than
 * `maxSteps` comparisons, are shown as wholly removed and added, between what they begin and end with in common.
 */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
  /** From 1 on, in the text that has it. */
  left: number | undefined;
  right: number | undefined;
}

const maxDifferences = 1_000;
/** A tenth of a second. Lines that repeat are compared on every diagonal: a thousand times each. */
const maxSteps = 5_000_000;

export function lineDiff(left: readonly string[], right: readonly string[]): DiffLine[] {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;

  const lines: DiffLine[] = [];
  const push = (kind: DiffLine['kind'], x: number, y: number): void =>
    void lines.push({
      kind,
      text: (kind === 'added' ? right[y] : left[x]) ?? '',
      left: kind === 'added' ? undefined : x + 1,
      right: kind === 'removed' ? undefined : y + 1,
    });

  for (let at = 0; at < start; at += 1) push('same', at, at);
  let x = start;
  let y = start;
  const middle = { left: left.slice(start, left.length - end), right: right.slice(start, right.length - end) };
  for (const move of movesOf(middle.left, middle.right)) {
    push(move, x, y);
    if (move !== 'added') x += 1;
    if (move !== 'removed') y += 1;
  }
  for (; x < left.length; x += 1, y += 1) push('same', x, y);
  return lines;
}

function movesOf(left: readonly string[], right: readonly string[]): DiffLine['kind'][] {
  const trace = searchPath(left, right);
  if (trace === undefined) return [...left.map(() => 'removed' as const), ...right.map(() => 'added' as const)];
  const moves: DiffLine['kind'][] = [];
  let x = left.length;
  let y = right.length;
  for (let d = trace.length - 1; d > 0; d -= 1) {
    const before = trace[d - 1] ?? new Map<number, number>();
    const k = x - y;
    const isAdded = k === -d || (k !== d && (before.get(k - 1) ?? -1) < (before.get(k + 1) ?? -1));
    const fromK = isAdded ? k + 1 : k - 1;
    const fromX = before.get(fromK) ?? 0;
    const fromY = fromX - fromK;
    while (x > fromX && y > fromY && (isAdded ? x > fromX : x > fromX + 1)) {
      moves.push('same');
      x -= 1;
      y -= 1;
    }
    moves.push(isAdded ? 'added' : 'removed');
    x = fromX;
    y = fromY;
  }
  for (; x > 0; x -= 1) moves.push('same');
  return moves.reverse();
}

/** For each number of differences, how far to the right each diagonal leads; undefined: there are more than are looked for. */
function searchPath(left: readonly string[], right: readonly string[]): Map<number, number>[] | undefined {
  const trace: Map<number, number>[] = [];
  let steps = 0;
  for (let d = 0; d <= Math.min(left.length + right.length, maxDifferences); d += 1) {
    const before = trace[d - 1];
    const reached = new Map<number, number>();
    trace.push(reached);
    for (let k = -d; k <= d; k += 2) {
      const isAdded = k === -d || (k !== d && (before?.get(k - 1) ?? -1) < (before?.get(k + 1) ?? -1));
      let x = d === 0 ? 0 : isAdded ? (before?.get(k + 1) ?? 0) : (before?.get(k - 1) ?? 0) + 1;
      const from = x;
      while (x < left.length && x - k < right.length && left[x] === right[x - k]) x += 1;
      reached.set(k, x);
      steps += x - from + 1;
      if (steps > maxSteps) return undefined;
      if (x >= left.length && x - k >= right.length) return trace;
    }
  }
  return undefined;
}
