import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment, searchPath } from '../../local/config.ts';
import { provideTools } from '../../local/install/install.ts';
import { runMaven } from '../../local/install/jars.ts';
import { provideFolder } from '../../local/install/provide-folder.ts';
import { java, maven, type Tool } from '../../local/install/tools.ts';
import { jarsDir } from '../../local/paths.ts';
import { type GoModule, provideGo } from './go.ts';

const run = promisify(execFile);

const kustomize: GoModule = {
  path: 'sigs.k8s.io/kustomize/kustomize/v5',
  version: 'v5.8.1',
  sum: 'h1:Pgsg5psubpVEy7Nf6S89PARg5VmmWUC1l9dC6Dl4PG0=',
};
/** Brings the schemas of Kubernetes 1.23 to 1.30 along, and validates as the API server does. */
const kubectlValidate: GoModule = {
  path: 'sigs.k8s.io/kubectl-validate',
  version: 'v0.0.4',
  sum: 'h1:tGKuv0awYHn11Cb6KPsZKxUmHgavF46K3NvVH0Nse9U=',
};
const controllerTools: GoModule = {
  path: 'sigs.k8s.io/controller-tools',
  version: 'v0.19.0',
  sum: 'h1:OU7jrPPiZusryu6YK0jYSjPqg8Vhf8cAzluP9XGI5uk=',
};
/** Has its resource definitions beside its code. */
const keda: GoModule = {
  path: 'github.com/kedacore/keda/v2',
  version: 'v2.21.0',
  sum: 'h1:R6z2HZvstK4RLUMxroNACzBj74xGxt3kG59b5Xc+Xps=',
};
/** The types of the Prometheus operator, from which controller-gen makes its resource definitions here as it does there. */
const prometheusOperator: GoModule = {
  path: 'github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring',
  version: 'v0.89.0',
  sum: 'h1:nZ9Ov2SbA8pWcyWKpf6AbQipG5Negg5CfDKWOEtnnwc=',
};
const goModules = [kustomize, kubectlValidate, controllerTools, keda, prometheusOperator];

/** StrimziCheck.java is run from its source. */
const javaCompiler: Tool = {
  ...java,
  name: 'Java’s compiler',
  program: 'javac',
  debian: ['openjdk-17-jdk-headless', 'default-jdk-headless'],
};

const pom = join(import.meta.dirname, 'pom.xml');
const leastMebibytes = 3_000;

/** The programs and schemas that render and validate the manifests. */
export interface Validators {
  kustomize: string;
  kubectlValidate: string;
  /** A folder of resource definitions, for kubectlValidate. */
  definitions: string;
  java: string;
  /** The class path of Strimzi's classes. */
  strimziClasses: string;
}

/** Downloads and compiles the validators the first time; later it needs no network. */
export async function provideValidators(say: (line: string) => void): Promise<Validators> {
  const { javac } = await provideTools({ javac: javaCompiler }, say);
  const javaProgram = join(dirname(javac), 'java');
  const dir = await provideFolder({
    dir: join(jarsDir, 'k8s'),
    madeFrom: JSON.stringify(goModules) + readFileSync(pom, 'utf8'),
    doing: 'downloading what validates the manifests',
    leastMebibytes,
    async fill(unfinished) {
      say('downloading and compiling kustomize, kubectl-validate and the schemas (2 to 6 minutes, once)');
      await fillWithGo(unfinished);
      const { mvn } = await provideTools({ mvn: maven }, say);
      await runMaven({ java: javaProgram, maven: mvn }, pom, unfinished);
    },
  });
  return {
    kustomize: join(dir, 'bin/kustomize'),
    kubectlValidate: join(dir, 'bin/kubectl-validate'),
    definitions: join(dir, 'definitions'),
    java: javaProgram,
    strimziClasses: join(dir, 'strimzi/*'),
  };
}

async function fillWithGo(dir: string): Promise<void> {
  const go = await provideGo();
  const bin = join(dir, 'bin');
  const definitions = join(dir, 'definitions');
  mkdirSync(definitions);
  await go.install(kustomize, '.', bin);
  await go.install(kubectlValidate, '.', bin);

  const kedaDefinitions = join(await go.download(keda), 'config/crd/bases');
  for (const file of readdirSync(kedaDefinitions).filter((name) => name.startsWith('keda.sh_')))
    cpSync(join(kedaDefinitions, file), join(definitions, file));

  await go.install(controllerTools, 'cmd/controller-gen', bin);
  // A module in Go's own folder can't be the one that is worked on.
  const types = join(dir, 'prometheus-operator');
  cpSync(await go.download(prometheusOperator), types, { recursive: true });
  await run(join(bin, 'controller-gen'), ['crd', 'paths=./v1/', `output:crd:dir=${definitions}`], {
    cwd: types,
    env: childEnvironment({
      GOWORK: 'off',
      GOFLAGS: '-mod=mod',
      PATH: [dirname(go.program), ...searchPath()].join(delimiter),
    }),
  });
}
