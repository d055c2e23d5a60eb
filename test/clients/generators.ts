/** A client generator, and how its sample is built and run in a folder of its own. */
export type Generator = {
  /** Names the sample's folder in `test/clients`. */
  name: string;
  title: string;
  version: string;
  /** The options that a user needs, as the table shows them. */
  flags: string;
  /** Fetches the tools. A failure means that a tool or a registry is missing. */
  install: string[][];
  /** Generates and compiles the client. */
  build: string[][];
  run: string[];
};

/** All versions, except in `rust/Cargo.toml`, which follows the generated crate. */
const versions = {
  openApiGenerator: '7.25.0',
  openApiPythonClient: '0.29.1',
  oapiCodegen: '2.8.2',
  oapiCodegenRuntime: '1.8.0',
  openApiTypeScript: '7.13.0',
  openApiFetch: '0.17.0',
  heyApi: '0.99.0',
  typeScript: '5.9.3',
};

const document = `${process.cwd()}/openapi.json`;
const bin = `${process.cwd()}/node_modules/.bin`;
const venv = ['python3', '-m', 'venv', 'venv'];
const pip = ['venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check'];
const npmInstall = ['npm', 'install', '--prefix', '.', '--no-save', '--no-audit', '--no-fund'];
const strictly = [
  `${bin}/tsc`,
  '--ignoreConfig',
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--types',
  'node',
];
const forBundler = ['--typeRoots', `${bin}/../@types`, '--module', 'esnext', '--target', 'es2024'];
const typeCheck = [...strictly, ...forBundler, '--moduleResolution', 'bundler', 'sample.ts'];
const bundle = [
  `${bin}/esbuild`,
  'sample.ts',
  '--bundle',
  '--platform=node',
  '--format=esm',
  '--log-level=warning',
  '--outfile=sample.mjs',
];

/** OpenAPI Generator, for a language. */
function openApiGenerator(
  name: string,
  flags: string,
  steps: Pick<Generator, 'build' | 'run'> & { install?: string[][]; layout?: string[] },
): Generator {
  const artifact = `org.openapitools:openapi-generator-cli:${versions.openApiGenerator}`;
  const jar = `openapi-generator-cli-${versions.openApiGenerator}.jar`;
  const download = ['dependency:copy', `-Dartifact=${artifact}`, '-DoutputDirectory=.'];
  const generate = ['java', '-jar', jar, 'generate', '-i', document, '-g', name, '-o', 'generated'];
  return {
    name,
    title: `OpenAPI Generator, ${name}`,
    version: versions.openApiGenerator,
    flags,
    install: [['mvn', '--quiet', ...download], ...(steps.install ?? [])],
    build: [
      [...generate, ...flags.split(' ').filter(Boolean), ...(steps.layout ?? [])],
      ...steps.build,
    ],
    run: steps.run,
  };
}

const mvn = ['mvn', '--quiet', '--file', 'generated'];

export const generators: Generator[] = [
  openApiGenerator('python', '', {
    install: [venv],
    build: [[...pip, './generated']],
    run: ['venv/bin/python', 'sample.py'],
  }),
  openApiGenerator(
    'java',
    '--additional-properties=errorObjectType=org.openapitools.client.model.Error,disallowAdditionalPropertiesIfNotPresent=false',
    {
      build: [[...mvn, 'compile', 'dependency:copy-dependencies', '-DoutputDirectory=target/lib']],
      run: ['java', '-cp', 'generated/target/classes:generated/target/lib/*', 'Sample.java'],
    },
  ),
  openApiGenerator(
    'go',
    '--model-name-mappings NewPet=PetInput --additional-properties=disallowAdditionalPropertiesIfNotPresent=false',
    {
      layout: ['--additional-properties=packageName=petstore,withGoMod=false'],
      build: [['go', 'build', '-o', 'sample', '.']],
      run: ['./sample'],
    },
  ),
  openApiGenerator('rust', '--additional-properties=supportMiddleware=true', {
    install: [['cargo', '--version']],
    build: [['cargo', 'build', '--quiet']],
    run: ['target/debug/sample'],
  }),
  {
    name: 'openapi-python-client',
    title: 'openapi-python-client',
    version: versions.openApiPythonClient,
    flags: '',
    install: [venv, [...pip, `openapi-python-client==${versions.openApiPythonClient}`]],
    build: [
      [
        'venv/bin/openapi-python-client',
        'generate',
        '--path',
        document,
        '--output-path',
        'generated',
        '--overwrite',
      ],
    ],
    run: ['venv/bin/python', 'sample.py'],
  },
  {
    name: 'oapi-codegen',
    title: 'oapi-codegen',
    version: versions.oapiCodegen,
    flags: '-generate types,client',
    install: [
      [
        'go',
        'get',
        '-tool',
        `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${versions.oapiCodegen}`,
      ],
      ['go', 'get', `github.com/oapi-codegen/runtime@v${versions.oapiCodegenRuntime}`],
    ],
    build: [
      [
        'go',
        'tool',
        'oapi-codegen',
        '-generate',
        'types,client',
        '-package',
        'petstore',
        '-o',
        'generated/petstore.go',
        document,
      ],
      ['go', 'build', '-o', 'sample', '.'],
    ],
    run: ['./sample'],
  },
  {
    name: 'openapi-typescript',
    title: 'openapi-typescript, openapi-fetch',
    version: `${versions.openApiTypeScript}, ${versions.openApiFetch}`,
    flags: '',
    install: [
      [
        ...npmInstall,
        `openapi-typescript@${versions.openApiTypeScript}`,
        `openapi-fetch@${versions.openApiFetch}`,
      ],
    ],
    build: [
      ['node_modules/.bin/openapi-typescript', document, '--output', 'generated/schema.d.ts'],
      typeCheck,
      bundle,
    ],
    run: [process.execPath, 'sample.mjs'],
  },
  {
    name: 'hey-api',
    title: '@hey-api/openapi-ts',
    version: versions.heyApi,
    flags: '',
    install: [
      [
        ...npmInstall,
        `@hey-api/openapi-ts@${versions.heyApi}`,
        `typescript@${versions.typeScript}`,
      ],
    ],
    build: [
      ['node_modules/.bin/openapi-ts', '--input', document, '--output', 'generated'],
      typeCheck,
      bundle,
    ],
    run: [process.execPath, 'sample.mjs'],
  },
];
