import { CfnOutput } from 'aws-cdk-lib';
import { DomainName, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import { basePath } from '../../../lib/operations.ts';
import { tlsPolicy } from '../../core/PetStoreApi.ts';

type ApiDomainProps = {
  api: RestApi;
  domain: {
    name: string;
    certificateArn: string;
    hostedZone?: { id: string; name: string } | undefined;
  };
};

/** A custom domain for a stage, with DNS records if the settings name the zone. */
export class ApiDomain extends Construct {
  readonly baseAddress: string;
  /** The days until the certificate of the domain expires. */
  readonly daysToExpiry: Metric;

  constructor(scope: Construct, id: string, { api, domain }: ApiDomainProps) {
    super(scope, id);
    this.baseAddress = `https://${domain.name}${basePath}`;
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn);
    this.daysToExpiry = certificate.metricDaysToExpiry();
    const domainName = new DomainName(this, 'Name', {
      domainName: domain.name,
      certificate,
      ...tlsPolicy,
    });
    // An empty base path, because the paths of the API already start with /v1.
    domainName.addBasePathMapping(api);
    if (domain.hostedZone) {
      const { id: hostedZoneId, name: zoneName } = domain.hostedZone;
      new ARecord(this, 'Record', {
        zone: HostedZone.fromHostedZoneAttributes(this, 'Zone', { hostedZoneId, zoneName }),
        recordName: `${domain.name}.`,
        target: RecordTarget.fromAlias(new ApiGatewayDomain(domainName)),
      });
    }
    const output = new CfnOutput(this, 'Target', { value: domainName.domainNameAliasDomainName });
    output.overrideLogicalId('DomainTarget');
  }
}
