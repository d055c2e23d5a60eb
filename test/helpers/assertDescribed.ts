import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { findRoute } from '../../lib/routes.ts';

type Answer = {
  status: number;
  /** By names in lower case. */
  headers: Record<string, string | undefined>;
  text: string;
};

type HeaderObject = { $ref?: string; required?: boolean; schema?: object };
type ResponseObject = { headers: Record<string, HeaderObject> };

const description = JSON.parse(readFileSync('openapi.json', 'utf8'));
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat('int64', true); // the digits are asserted where they matter; a schema sees doubles
ajv.addSchema(description, 'openapi.json');

/** What the service answers where no operation is: these and an Error body. */
const fallbackStatuses = [400, 401, 404, 405, 413, 500, 503];

/**
 * Asserts that the description says what a response is: its status, its headers and its body.
 *
 * `path` is below the origin, without a query: `/v1/pets/7`.
 */
export function assertDescribed(method: string, path: string, answer: Answer): void {
  const request = `${method} ${path} → ${answer.status}`;
  const route = findRoute(path);
  const template = route?.operationNames[method] && route.template;
  const body = method === 'HEAD' ? undefined : JSON.parse(answer.text);

  if (!template) {
    if (!fallbackStatuses.includes(answer.status)) throw new Error(`${request} is not described.`);
    if (body !== undefined) assertSchema('#/components/schemas/Error', body, request);
    return;
  }
  const pointer = `#/paths/${toPointerStep(template)}/${method.toLowerCase()}/responses/${answer.status}`;
  const response: ResponseObject | undefined =
    description.paths[template][method.toLowerCase()].responses[answer.status];
  if (!response) throw new Error(`${request} is not described.`);

  if (answer.headers['content-type'] !== 'application/json') {
    throw new Error(`${request} has the content type ${answer.headers['content-type']}.`);
  }
  for (const [name, header] of Object.entries(response.headers)) {
    const { required, schema } = resolve(header);
    const value = answer.headers[name.toLowerCase()];
    if (value === undefined && required) throw new Error(`${request} lacks the header ${name}.`);
    if (value !== undefined && schema && !ajv.validate(schema, value)) {
      throw new Error(`${request} has the header ${name}: ${value}. ${ajv.errorsText()}`);
    }
  }
  assertSchema(`${pointer}/content/${toPointerStep('application/json')}/schema`, body, request);
}

function assertSchema(pointer: string, value: unknown, request: string): void {
  const validate = ajv.getSchema(`openapi.json${pointer}`);
  if (!validate) throw new Error(`The description has no ${pointer}.`);
  if (!validate(value)) {
    throw new Error(
      `${request} has another body than described. ${ajv.errorsText(validate.errors)}`,
    );
  }
}

function resolve(header: HeaderObject): HeaderObject {
  if (!header.$ref) return header;
  return description.components.headers[header.$ref.replace('#/components/headers/', '')];
}

function toPointerStep(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}
