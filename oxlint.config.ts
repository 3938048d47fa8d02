import { defineConfig, type OxlintOverride } from 'oxlint';

/** Each vendor's client has one importer, `#lib/<name>`. */
const vendors = {
  kafka: ['kafkajs', '@kafkajs/confluent-schema-registry'],
  redis: ['ioredis'],
  postgres: ['pg'],
  telemetry: ['api', 'exporter-trace-otlp-proto', 'resources', 'sdk-trace', 'semantic-conventions'].map(
    (name) => `@opentelemetry/${name}`,
  ),
};
const services = ['ingress', 'dedup', 'dispatcher', 'projector', 'api', 'console', 'cli', 'serve'];
/**
 * `serve` puts the services into one process, as each main.ts puts one: it may see their settings and their parts, nothing else of them. The
 * command line starts it, and may see that alone.
 */
const mayImport: Record<string, { of: string[]; files: string[] }> = {
  serve: { of: services.filter((name) => name !== 'cli' && name !== 'serve'), files: ['config.ts', 'service.ts'] },
  cli: { of: ['serve'], files: ['serve.ts', 'names.ts'] },
};

type Pattern = { message: string } & ({ regex: string } | { group: string[] });

const libsOnly: Pattern = { regex: '(^|/)(services|deploy|test)/', message: 'A lib imports libs only.' };
const bySurface: Pattern = { regex: '^(\\.\\./)+libs/', message: 'Import a lib by its surface: #lib/<name>.' };
const noDeploy: Pattern = {
  regex: '^(#deploy/|(\\.\\./)+(deploy|test)/)',
  message: 'A service imports libs only; what it shares with deploy belongs to a lib.',
};
const published =
  'A package is published: it has files of libs/signatures, types of libs/api-contract and its own, and imports no other package.';
const ownFiles: Pattern[] = [
  // The contract is the only lib that begins with an a, but for the client's own.
  { regex: '^#(deploy/|client$|lib/[b-z])|^(\\.\\./)+(services|deploy|test)/', message: published },
  { group: ['../**/libs/**', '!../**/libs/signatures/*'], message: published },
];

function otherServices(own: string): Pattern[] {
  const message = 'No service imports another: what two of them need belongs to a lib.';
  const { of, files } = mayImport[own] ?? { of: [], files: [] };
  const closed = services.filter((name) => name !== own && !of.includes(name));
  return [
    { regex: `^(\\.\\./)+(services/)?(${closed.join('|')})/`, message },
    ...of.map((name) => ({ group: [`../**/${name}/**`, ...files.map((file) => `!../**/${name}/${file}`)], message })),
  ];
}

function restrictImports(patterns: Pattern[], ownLib?: string): OxlintOverride['rules'] {
  const paths = Object.entries(vendors)
    .filter(([lib]) => lib !== ownLib)
    .flatMap(([lib, names]) => names.map((name) => onlyImporter(lib, name)));
  return { 'no-restricted-imports': ['error', { paths, patterns }] };
}

function onlyImporter(lib: string, name: string) {
  return { name, message: `Only libs/${lib} imports ${name}: use #lib/${lib}.` };
}

/** `services → libs → nothing of ours`, and one importer for each vendor's client. */
const layers: OxlintOverride[] = [
  { files: ['libs/**/*.ts'], rules: restrictImports([libsOnly]) },
  ...Object.keys(vendors).map((lib) => ({
    files: [`libs/${lib}/**/*.ts`],
    rules: restrictImports([libsOnly], lib),
  })),
  ...services.map((service) => ({
    files: [`services/${service}/**/*.ts`],
    rules: restrictImports([...otherServices(service), bySurface, noDeploy]),
  })),
  { files: ['packages/**/*.ts'], rules: restrictImports(ownFiles) },
  {
    files: ['libs/**/*.ts', 'services/**/*.ts'],
    excludeFiles: ['services/**/config.ts'],
    rules: { 'node/no-process-env': 'error' },
  },
  {
    files: ['services/cli/**/*.ts'],
    excludeFiles: ['services/cli/main.ts', 'services/cli/config.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'process', message: 'A command has the process of its context: a test passes one of its own.' },
      ],
    },
  },
  {
    // libs/postgres opens the pools of tests and deploy too. The driver's own errors are made by one test; the receiver package is given its
    // user's client.
    files: ['test/**/*.ts', 'deploy/**/*.ts'],
    excludeFiles: ['test/unit/projector/store-errors.ts', 'test/integration/receiver/once-stores.test.ts'],
    rules: {
      'no-restricted-imports': ['error', { paths: vendors.postgres.map((name) => onlyImporter('postgres', name)) }],
    },
  },
];

export default defineConfig({
  ignorePatterns: ['**/target/', '**/dist/'],
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  plugins: ['typescript', 'node'],
  env: { node: true },
  categories: { correctness: 'error' },
  rules: {
    'no-case-declarations': 'error',
    'no-empty': 'error',
    'no-fallthrough': 'error',
    'no-prototype-builtins': 'error',
    'no-regex-spaces': 'error',
    'no-unexpected-multiline': 'error',
    'no-useless-assignment': 'error',
    'preserve-caught-error': 'error',
    // Objects here are closures from factories: no method has a `this` to lose.
    'typescript/unbound-method': 'off',
    // Texts are sorted by code unit and taken apart by code point on purpose; a default documents what its type rules out.
    'typescript/require-array-sort-compare': 'off',
    'typescript/no-misused-spread': 'off',
    'typescript/no-useless-default-assignment': 'off',
    // `void` discards results without asking whether there is one.
    'typescript/no-meaningless-void-operator': 'off',
  },
  overrides: [
    {
      files: ['**/*.{js,mjs}'],
      rules: { 'no-redeclare': 'error', 'no-undef': 'error', 'typescript/restrict-template-expressions': 'off' },
    },
    {
      files: ['**/*.ts'],
      rules: {
        'no-array-constructor': 'error',
        'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
        'no-var': 'error',
        'prefer-const': 'error',
        'prefer-rest-params': 'error',
        'prefer-spread': 'error',
        'typescript/ban-ts-comment': 'error',
        'typescript/consistent-type-imports': 'error',
        'typescript/no-empty-object-type': 'error',
        'typescript/no-explicit-any': 'error',
        'typescript/no-misused-promises': 'error',
        'typescript/no-namespace': 'error',
        'typescript/no-require-imports': 'error',
        'typescript/no-unnecessary-type-assertion': 'error',
        'typescript/no-unnecessary-type-constraint': 'error',
        'typescript/no-unsafe-argument': 'error',
        'typescript/no-unsafe-assignment': 'error',
        'typescript/no-unsafe-call': 'error',
        'typescript/no-unsafe-enum-comparison': 'error',
        'typescript/no-unsafe-function-type': 'error',
        'typescript/no-unsafe-member-access': 'error',
        'typescript/no-unsafe-return': 'error',
        'typescript/only-throw-error': 'error',
        'typescript/prefer-promise-reject-errors': 'error',
        'typescript/restrict-plus-operands': 'error',
        'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      },
    },
    ...layers,
  ],
});
