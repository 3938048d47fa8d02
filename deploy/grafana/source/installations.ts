/** The labels that tell installations apart in one Prometheus: every rule keeps them, every dashboard has a variable for each. */
export const installationLabels = ['cluster', 'namespace'] as const;

const selectors = installationLabels.map((label) => `${label}=~"$${label}"`).join(', ');

/** A metric with its own selectors, if any. No value of a selector has a closing brace. */
const metric = /\b(hookline[_:][a-z0-9_:]+|up|ALERTS|nodejs_\w+|process_\w+)\b(?:\{([^}]*)\})?/g;

/** The same expression for the installations that the dashboard's variables name. */
export const ofChosenInstallations = (expr: string): string =>
  expr
    .replace(metric, (_whole, name: string, own: string = '') => `${name}{${own === '' ? '' : `${own}, `}${selectors}}`)
    .replace(/\bon \(/g, `on (${installationLabels.join(', ')}, `);
