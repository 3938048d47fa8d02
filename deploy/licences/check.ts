/**
 * Refuses packages of the image or of `packages/*` whose licence is not on the list: all of package-lock.json but what only development needs.
 *
 *   node deploy/licences/check.ts     part of `npm run lint`
 */
import { globSync, readFileSync } from 'node:fs';
import satisfies from 'spdx-satisfies';

const permitted = ['Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

/** Read in the package's own licence file, since its package.json names none. The next version has to be read again. */
const readByHand = new Map([['@kafkajs/confluent-schema-registry@3.9.0', 'MIT']]);

interface Locked {
  version: string;
  license?: string;
  /** Not with `devOptional`: a production package may install it. */
  dev?: boolean;
}

const read = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;

const { packages } = read<{ packages: Record<string, Locked> }>('package-lock.json');
const inProduction = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);

const refused = inProduction.flatMap(([path, { version, license }]) => {
  const name = `${path.split('node_modules/').at(-1)}@${version}`;
  const known = license ?? readByHand.get(name);
  if (known === undefined) return [`${name} names no licence: read its licence file, then add it to readByHand`];
  return isPermitted(known) ? [] : [`${name} has the licence ${known}, which is not permitted: use another package`];
});

// They have no lock of their own: what they bring is checked where this project has it, too.
const elsewhere = globSync('packages/*/package.json').flatMap((file) => {
  const { dependencies = {}, optionalDependencies = {} } = read<Record<string, object | undefined>>(file);
  return Object.keys({ ...dependencies, ...optionalDependencies })
    .filter((name) => !inProduction.some(([path]) => path === `node_modules/${name}`))
    .map((name) => `${file} needs ${name}, whose licences are unknown: add it to the dependencies of package.json`);
});

for (const problem of [...refused, ...elsewhere]) console.error(problem);
if (refused.length + elsewhere.length > 0) {
  console.error(`Permitted licences, in deploy/licences/check.ts: ${permitted.join(', ')}`);
  process.exitCode = 1;
}

function isPermitted(expression: string): boolean {
  try {
    return satisfies(expression, permitted);
  } catch {
    // Not an SPDX expression, such as `SEE LICENSE IN …`.
    return false;
  }
}
