import type { oas31 } from 'zod-openapi';
import { retryAfter } from '../lib/errors.ts';
import { nextPageLink } from '../lib/http/links.ts';
import { deprecationHeaders } from '../lib/http/middlewares/addHeaders.ts';
import {
  basePath,
  challenge,
  commonHeaders,
  operationEntries,
  type ResponseHeader,
} from '../lib/operations.ts';
import { limits } from '../lib/schemas.ts';

/** A header of responses. */
type Header = {
  description: string;
  schema: oas31.SchemaObject;
  required?: true;
  /** A value that the service sends, for mock servers. */
  example: string | undefined;
};

/** In the form of a cursor. No deployment accepts it. */
const exampleCursor = 'AQAAAAAAAAAAAAAAAAAA';

/** The base address in examples. */
const exampleAddress = `http://localhost:3000${basePath}`;

/** The headers of a deprecated operation. Without one, no response refers to them. */
const [announcement] = operationEntries.flatMap(([, { deprecation }]) =>
  deprecation ? [deprecationHeaders(deprecation, exampleAddress)] : [],
);

/** The headers that several responses have: `#/components/headers`. */
export const sharedHeaders = {
  'Cache-Control': {
    description: 'Responses must not be stored.',
    schema: { type: 'string', enum: ['no-store'] },
    example: commonHeaders['Cache-Control'],
    required: true,
  },
  'X-Content-Type-Options': {
    description: 'The media type is as declared.',
    schema: { type: 'string', enum: ['nosniff'] },
    example: commonHeaders['X-Content-Type-Options'],
    required: true,
  },
  'X-Request-Id': {
    description: 'Identifies the request to the operators.',
    schema: { type: 'string', minLength: 1 },
    example: '5f0c7bd1-3c0e-4b0e-9d3a-6a1f0f3f2c11',
    required: true,
  },
  Deprecation: {
    description: 'When the operation became deprecated (RFC 9745). Only on deprecated operations.',
    schema: { type: 'string', pattern: '^@[0-9]+$' },
    example: announcement?.Deprecation,
  },
  Sunset: {
    description: 'When the operation is removed (RFC 8594). Only on deprecated operations.',
    schema: { type: 'string', pattern: '^.+ GMT$' },
    example: announcement?.Sunset,
  },
  Link: {
    description:
      'The replacement, as `<address>; rel="successor-version"` (RFC 8288). Only on deprecated operations.',
    schema: { type: 'string', pattern: '^<.+>; rel="successor-version"$' },
    example: announcement?.Link,
  },
  'Retry-After': {
    description: 'Seconds to wait before the request is sent again.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: retryAfter['Retry-After'],
    required: true,
  },
  'WWW-Authenticate': {
    description:
      'How to authenticate (RFC 6750). Every deployment on AWS sends it as `x-amzn-remapped-www-authenticate`, custom domains too.',
    schema: { type: 'string', pattern: `^${challenge}.*$` },
    example: challenge,
  },
} satisfies Record<string, Header>;

export type SharedHeader = keyof typeof sharedHeaders;
export type Headers = Record<string, Header | oas31.ReferenceObject>;

export function references(...names: SharedHeader[]): Headers {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers that only the success of an operation has. */
export function describeHeader(name: ResponseHeader, path: string): Header {
  const address = `${exampleAddress}${path.replaceAll(/\{\w+\}/g, '1')}`;
  switch (name) {
    case 'Idempotent-Replayed':
      return {
        description: 'Present if an earlier request had already used the Idempotency-Key.',
        schema: { type: 'string', enum: ['true'] },
        example: 'true',
      };
    case 'Link':
      return {
        description:
          'The next page, as `<address>; rel="next"` (RFC 8288). The last page, which may be empty, has none. A deprecated list also links to its replacement.',
        schema: { type: 'string', pattern: '^<.+>; rel="(next|successor-version)"$' },
        example: nextPageLink(address, { limit: limits.pageSize.default }, exampleCursor),
      };
    case 'Location':
      return {
        description: 'The address of the new item.',
        schema: { type: 'string', pattern: `^.+${path.replaceAll(/\{\w+\}/g, '[^/{}]+')}/[0-9]+$` },
        required: true,
        example: `${address}/1`,
      };
  }
}
