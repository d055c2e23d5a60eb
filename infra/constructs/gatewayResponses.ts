import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { ApiError } from '../../lib/errors.ts';
import { commonHeaders } from '../../lib/operations.ts';
import { gatewayErrors } from '../gatewayErrors.ts';

/** Gives every response that the gateway makes itself the Error body and the common headers. */
export function addGatewayResponses(api: RestApi): void {
  for (const [type, { code, message, headers }] of Object.entries(gatewayErrors)) {
    const error = new ApiError(code, message);
    const literals = Object.entries({ ...commonHeaders, ...headers });
    api.addGatewayResponse(type, {
      type: ResponseType.of(type),
      statusCode: String(error.status),
      responseHeaders: {
        ...Object.fromEntries(literals.map(([name, value]) => [name, `'${value}'`])),
        'X-Request-Id': 'context.requestId',
      },
      templates: { 'application/json': JSON.stringify(error) },
    });
  }
}
