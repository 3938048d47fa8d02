import js from '@eslint/js';
import globals from 'globals';
import tseslint from 'typescript-eslint';

const oneImporter = (name, lib) => ({ name, message: `Only libs/${lib} imports ${name}: use #lib/${lib}.` });
const vendors = {
  kafka: ['kafkajs', '@kafkajs/confluent-schema-registry'].map((name) => oneImporter(name, 'kafka')),
  redis: [oneImporter('ioredis', 'redis')],
  postgres: [oneImporter('pg', 'postgres')],
  telemetry: ['api', 'exporter-trace-otlp-proto', 'resources', 'sdk-trace', 'semantic-conventions'].map((name) =>
    oneImporter(`@opentelemetry/${name}`, 'telemetry'),
  ),
};
const vendorRule = (except) => ({
  paths: Object.entries(vendors).flatMap(([lib, paths]) => (lib === except ? [] : paths)),
});
const serviceNames = ['ingress', 'dedup', 'dispatcher', 'projector', 'api', 'console', 'cli', 'serve'];
/**
 * `serve` puts the services into one process, as each main.ts puts one: it may see their settings and their parts, nothing else of them. The
 * command line starts it, and may see that alone.
 */
const mayImport = {
  serve: '(?!(ingress|dedup|dispatcher|projector|api|console)/(config|service)\\.ts$)',
  cli: '(?!serve/(serve|names)\\.ts$)',
};

const noDeploy = {
  regex: '^(#deploy/|(\\.\\./)+(deploy|test)/)',
  message: 'A service imports libs only; what it shares with deploy belongs to a lib.',
};

/** `services → libs → nothing of ours`, and one importer for each vendor's client. */
const layers = [
  {
    files: ['libs/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          ...vendorRule(undefined),
          patterns: [{ regex: '(^|/)(services|deploy|test)/', message: 'A lib imports libs only.' }],
        },
      ],
      'no-process-env': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'Configuration is passed in; only config.ts files read process.env.',
        },
      ],
    },
  },
  ...Object.keys(vendors).map((lib) => ({
    files: [`libs/${lib}/**/*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          ...vendorRule(lib),
          patterns: [{ regex: '(^|/)(services|deploy|test)/', message: 'A lib imports libs only.' }],
        },
      ],
    },
  })),
  ...serviceNames.map((service) => ({
    files: [`services/${service}/**/*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          ...vendorRule(undefined),
          patterns: [
            {
              regex: `^(\\.\\./)+${mayImport[service] ?? ''}(${serviceNames.filter((other) => other !== service).join('|')})/`,
              message: 'No service imports another: what two of them need belongs to a lib.',
            },
            { regex: '^(\\.\\./)+libs/', message: 'Import a lib by its surface: #lib/<name>.' },
            noDeploy,
          ],
        },
      ],
    },
  })),
  {
    files: ['packages/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          ...vendorRule(undefined),
          patterns: [
            {
              regex: '^#|^(\\.\\./)+(services|deploy|test|libs/(?!signatures/))',
              message:
                'A package is published: it has files of libs/signatures and its own, and imports no other package.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['services/**/*.ts'],
    ignores: ['services/**/config.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'process.env is read in config.ts alone.',
        },
      ],
    },
  },
  {
    files: ['services/cli/**/*.ts'],
    ignores: ['services/cli/main.ts', 'services/cli/config.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'process', message: 'A command has the process of its context: a test passes one of its own.' },
      ],
    },
  },
];

/**
 * Not type-checked against layers, but pools are opened by libs/postgres for them too. The driver's own errors are made by one test; the
 * receiver package is given its user's client.
 */
const onePoolOpener = {
  files: ['test/**/*.ts', 'deploy/**/*.ts'],
  ignores: ['test/unit/projector/timed-out.ts', 'test/integration/receiver/once-stores.test.ts'],
  rules: { 'no-restricted-imports': ['error', { paths: vendors.postgres }] },
};

export default tseslint.config(
  { ignores: ['node_modules/', '.hookline/', 'coverage/', '**/target/', '**/dist/'] },
  js.configs.recommended,
  { files: ['**/*.js'], languageOptions: { globals: globals.node } },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
      globals: globals.node,
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/require-await': 'off',
      // Objects here are closures from factories: no method has a `this` to lose.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
  ...layers,
  onePoolOpener,
);
