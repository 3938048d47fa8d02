/** Rule files whose alerts are defective, all of them at once: each scenario of the tests is judged by itself. */

const alertBlocks = /(?=^ {6}- alert: )/m;

export const alertsIn = (rules: string): string[] =>
  [...rules.matchAll(/- alert: (\w+)/g)].map(([, alert = '']) => alert);

/** No alert ever fires. */
export const silent = (rules: string): string =>
  changeAlerts(rules, (block) => withExpression(block, () => 'vector(1) > 2'));

/** Each alert fires as soon as there is anything that it asks for. */
export const hasty = (rules: string): string =>
  changeAlerts(rules, (block) => withExpression(block, withoutThresholds).replace(/^ +for: .*\n/m, ''));

/** Differences reported by promtool: the alerts that should have fired, and those that did. */
export function differencesIn(output: string): { expected: string[]; fired: string[] }[] {
  const alertsOf = (text = ''): string[] => [...text.matchAll(/alertname="(\w+)"/g)].map(([, alert = '']) => alert);
  return [...output.matchAll(/exp: (.*)\n\s*got: (.*)/g)].map(([, expected, fired]) => ({
    expected: alertsOf(expected),
    fired: alertsOf(fired),
  }));
}

function changeAlerts(rules: string, change: (block: string) => string): string {
  const [head = '', ...blocks] = rules.split(alertBlocks);
  return head + blocks.map(change).join('');
}

/** The expression, in one line or in several behind `>-`, up to the next key. */
function withExpression(block: string, change: (expression: string) => string): string {
  return block.replace(/^( {8}expr: )(?:>-\n)?([^]*?)(?=^ {8}\w)/m, (_, key: string, expression: string) => {
    const line = expression.trim().replace(/\s*\n\s*/g, ' ');
    return `${key}>-\n          ${change(line)}\n`;
  });
}

/** A comparison with a number holds for any value then. */
const withoutThresholds = (expression: string): string =>
  expression
    .replace(/>=? [\d.e]+(?: \* [\d.e]+)?/g, '> -1e300')
    .replace(/<=? [\d.e]+(?: \* [\d.e]+)?/g, '< 1e300')
    .replace(/== 0/g, '>= 0');
