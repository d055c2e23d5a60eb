/** A client generator, and the command lines that build and run its sample in a folder of its own. */
export type Generator = {
  /** Names the sample's folder in `test/clients`. */
  name: string;
  title: string;
  version: string;
  /** The options that a user needs, as the table shows them. */
  flags: string;
  /** Fetches the tools. A failure means that a tool or a registry is missing. */
  install: string[];
  /** Generates the client from `openapi.json` into `generated`, and compiles it. */
  build: string[];
  run: string;
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

const createVenv = 'python3 -m venv venv';
const pip = 'venv/bin/pip install --quiet --disable-pip-version-check';
const npmInstall = 'npm install --prefix . --no-save --no-audit --no-fund';

/** With the compiler and the bundler of this project. */
const compileTypeScript = [
  'tsc --ignoreConfig --noEmit --strict --skipLibCheck --types node --module esnext --target es2024 --moduleResolution bundler sample.ts',
  'esbuild sample.ts --bundle --platform=node --format=esm --log-level=warning --outfile=sample.mjs',
];

/** OpenAPI Generator, for a language. `layout` has options for the sample's folder only. */
function openApiGenerator(
  name: string,
  flags: string,
  {
    install = [],
    layout = '',
    build,
    run,
  }: { install?: string[]; layout?: string; build: string[]; run: string },
): Generator {
  const version = versions.openApiGenerator;
  const artifact = `org.openapitools:openapi-generator-cli:${version}`;
  const generate = `java -jar openapi-generator-cli-${version}.jar generate`;
  return {
    name,
    title: `OpenAPI Generator, ${name}`,
    version,
    flags,
    install: [`mvn --quiet dependency:copy -Dartifact=${artifact} -DoutputDirectory=.`, ...install],
    build: [`${generate} -i openapi.json -g ${name} -o generated ${flags} ${layout}`, ...build],
    run,
  };
}

export const generators: Generator[] = [
  openApiGenerator('python', '', {
    install: [createVenv],
    build: [`${pip} ./generated`],
    run: 'venv/bin/python sample.py',
  }),
  openApiGenerator(
    'java',
    '--additional-properties=errorObjectType=org.openapitools.client.model.Error,disallowAdditionalPropertiesIfNotPresent=false',
    {
      build: [
        'mvn --quiet --file generated compile dependency:copy-dependencies -DoutputDirectory=target/lib',
      ],
      run: 'java -cp "generated/target/classes:generated/target/lib/*" Sample.java',
    },
  ),
  openApiGenerator(
    'go',
    '--model-name-mappings NewPet=PetInput --additional-properties=disallowAdditionalPropertiesIfNotPresent=false',
    {
      layout: '--additional-properties=packageName=petstore,withGoMod=false',
      build: ['go build -o sample .'],
      run: './sample',
    },
  ),
  openApiGenerator('rust', '--additional-properties=supportMiddleware=true', {
    install: ['cargo --version'],
    build: ['cargo build --quiet'],
    run: 'target/debug/sample',
  }),
  {
    name: 'openapi-python-client',
    title: 'openapi-python-client',
    version: versions.openApiPythonClient,
    flags: '',
    install: [createVenv, `${pip} openapi-python-client==${versions.openApiPythonClient}`],
    build: [
      'venv/bin/openapi-python-client generate --path openapi.json --output-path generated --overwrite',
    ],
    run: 'venv/bin/python sample.py',
  },
  {
    name: 'oapi-codegen',
    title: 'oapi-codegen',
    version: versions.oapiCodegen,
    flags: '-generate types,client',
    install: [
      `go get -tool github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${versions.oapiCodegen}`,
      `go get github.com/oapi-codegen/runtime@v${versions.oapiCodegenRuntime}`,
    ],
    build: [
      'go tool oapi-codegen -generate types,client -package petstore -o generated/petstore.go openapi.json',
      'go build -o sample .',
    ],
    run: './sample',
  },
  {
    name: 'openapi-typescript',
    title: 'openapi-typescript, openapi-fetch',
    version: `${versions.openApiTypeScript}, ${versions.openApiFetch}`,
    flags: '',
    install: [
      `${npmInstall} openapi-typescript@${versions.openApiTypeScript} openapi-fetch@${versions.openApiFetch}`,
    ],
    build: [
      'node_modules/.bin/openapi-typescript openapi.json --output generated/schema.d.ts',
      ...compileTypeScript,
    ],
    run: 'node sample.mjs',
  },
  {
    name: 'hey-api',
    title: '@hey-api/openapi-ts',
    version: versions.heyApi,
    flags: '',
    install: [
      `${npmInstall} @hey-api/openapi-ts@${versions.heyApi} typescript@${versions.typeScript}`,
    ],
    build: [
      'node_modules/.bin/openapi-ts --input openapi.json --output generated',
      ...compileTypeScript,
    ],
    run: 'node sample.mjs',
  },
];
