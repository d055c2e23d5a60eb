import { EndpointAccessMode, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';

/**
 * TLS 1.2 or 1.3 with forward secrecy, for API Gateway's own address and for a custom domain.
 *
 * Without it a REST API takes TLS 1.0 at API Gateway's own address. `STRICT` refuses a request whose
 * Host header is not the name that its connection was made for.
 */
export const tlsPolicy = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
} as const;
