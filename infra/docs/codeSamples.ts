import { inspect } from 'node:util';

/** What samples need of an operation in openapi.json. */
export type DescribedOperation = {
  operationId: string;
  parameters: { name: string; in: string; example?: unknown }[];
  requestBody?: { content: { 'application/json': { example: unknown } } };
};

/** What Scalar reads as `x-codeSamples`. */
type CodeSample = { lang: string; label: string; source: string };

/**
 * Calls of an operation with the examples of its description, complete enough to be copied and run.
 *
 * `curl` comes first, then `petstore-client`, if it has a method for the operation. Optional parameters
 * are left out. `BASE_ADDRESS` and `API_KEY` come from the environment, which the quickstart sets.
 */
export function codeSamples(
  method: string,
  pathTemplate: string,
  { operationId, parameters, requestBody }: DescribedOperation,
  hasClientMethod: boolean,
): CodeSample[] {
  const ids = parameters.filter((parameter) => parameter.in === 'path');
  const path = ids.reduce(
    (text, { name, example }) => text.replace(`{${name}}`, String(example)),
    pathTemplate,
  );
  const bodies = requestBody ? [requestBody.content['application/json'].example] : [];
  const [body] = bodies.map(inLanguages);
  const values = [...ids.map(({ example }) => example), ...bodies].map(inLanguages);

  const curl = [
    `curl -i${method === 'GET' ? '' : ` -X ${method}`} "$BASE_ADDRESS${path}"`,
    '-H "Authorization: Bearer $API_KEY"',
    ...(body ? [`-H 'Content-Type: application/json'`, `-d '${body.shell}'`] : []),
  ].join(' \\\n  ');

  const client = `import { createPetStoreClient } from 'petstore-client';

const petStore = createPetStoreClient({
  baseAddress: process.env.BASE_ADDRESS,
  apiKey: process.env.API_KEY,
});
console.log(await petStore.${operationId}(${values.map(({ javaScript }) => javaScript).join(', ')}));`;

  const javaScript = `const response = await fetch(\`\${process.env.BASE_ADDRESS}${path}\`, {
  method: '${method}',
  headers: {
    Authorization: \`Bearer \${process.env.API_KEY}\`,${body ? `\n    'Content-Type': 'application/json',` : ''}
  },${body ? `\n  body: JSON.stringify(${body.javaScript}),` : ''}
});
console.log(response.status, await response.text());`;

  const python = `${body ? 'import json\n' : ''}import os
from urllib.request import Request, urlopen

request = Request(
    os.environ["BASE_ADDRESS"] + "${path}",
    method="${method}",
    headers={
        "Authorization": "Bearer " + os.environ["API_KEY"],${body ? '\n        "Content-Type": "application/json",' : ''}
    },${body ? `\n    data=json.dumps(${body.python}).encode(),` : ''}
)
with urlopen(request) as response:
    print(response.status, response.read().decode())`;

  return [
    { lang: 'bash', label: 'curl', source: curl },
    ...(hasClientMethod ? [{ lang: 'typescript', label: 'petstore-client', source: client }] : []),
    { lang: 'javascript', label: 'fetch', source: javaScript },
    { lang: 'python', label: 'Python', source: python },
  ];
}

const jsonTokens = /"(?:[^"\\]|\\.)*"|[:,]|true|false|null/g;
const jsonSpaces = { ':': ': ', ',': ', ' };
const pythonWords = { ...jsonSpaces, true: 'True', false: 'False', null: 'None' };

/** Writes a JSON value as a literal of each language, on one line. */
function inLanguages(value: unknown) {
  const write = (words: Record<string, string>) =>
    JSON.stringify(value).replace(jsonTokens, (token) => words[token] ?? token);
  return {
    shell: write(jsonSpaces).replaceAll("'", `'\\''`),
    javaScript: inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: null }),
    python: write(pythonWords),
  };
}
