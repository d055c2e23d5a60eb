import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { stackName } from '../../infra/stages.ts';
import { request, runScript, startService } from '../helpers/npmScript.ts';
import {
  type Properties,
  propertiesOf,
  stagesWith,
  synthesise,
  templateOf,
  templates,
} from '../helpers/templates.ts';

const corsOrigins = ['https://app.example.com', 'https://admin.example.com'];

describe('corsOrigins of a stage', () => {
  const stages = stagesWith({ corsOrigins });
  const template = templateOf(synthesise({}, stages), stackName('v1-staging'));
  const preflights = propertiesOf(template, 'AWS::ApiGateway::Method').filter(
    ({ HttpMethod }) => HttpMethod === 'OPTIONS',
  );

  it('lets the gateway respond to preflight requests of each path, for exactly these origins', () => {
    expect(preflights).toHaveLength(2);
    for (const { Integration, AuthorizationType } of preflights) {
      const { Type, IntegrationResponses } = Integration as Properties;
      const [response] = IntegrationResponses as Record<string, Record<string, string>>[];
      expect([Type, AuthorizationType]).toEqual(['MOCK', 'NONE']);
      expect(response?.ResponseParameters).toMatchObject({
        'method.response.header.Access-Control-Allow-Methods': "'GET, POST'",
        'method.response.header.Access-Control-Allow-Headers':
          "'Authorization, Content-Type, Idempotency-Key'",
        'method.response.header.Vary': "'Origin'",
      });
      expect(response?.ResponseTemplates?.['application/json']).toContain(
        '#if($origin == "https://app.example.com" || $origin == "https://admin.example.com")#set($context.responseOverride.header.Access-Control-Allow-Origin = $origin)#end',
      );
    }
  });

  it('lets pages read the errors of the gateway', () => {
    const responses = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse');

    expect(responses).toHaveLength(21);
    for (const { ResponseParameters } of responses) {
      expect(ResponseParameters).toMatchObject({
        'gatewayresponse.header.Access-Control-Allow-Origin': "'*'",
        'gatewayresponse.header.Access-Control-Expose-Headers': "'*'",
      });
    }
  });

  it('reaches each function', () => {
    const functions = propertiesOf(template, 'AWS::Lambda::Function').map(
      ({ Environment }) => (Environment as { Variables?: Properties } | undefined)?.Variables,
    );

    expect(functions.filter((each) => each?.CORS_ORIGINS === corsOrigins.join(' '))).not.toEqual(
      [],
    );
    expect(functions.filter((each) => each?.STAGE && !each.CORS_ORIGINS)).toEqual([]);
  });

  it('gives preflight requests a share of the throttle, within the figure of the stage', () => {
    const [{ MethodSettings } = {}] = propertiesOf(template, 'AWS::ApiGateway::Stage');
    const settings = MethodSettings as { HttpMethod: string; ThrottlingRateLimit: number }[];
    const ownRates = settings
      .filter(({ HttpMethod }) => HttpMethod !== '*')
      .map(({ ThrottlingRateLimit }) => ThrottlingRateLimit);

    // Nine tenths of 150, for three operations and two paths.
    expect(ownRates).toEqual([27, 27, 27, 27, 27]);
  });

  it.each(['*', 'null', 'https://app.example.com/', 'app.example.com', 'https://a.test"'])(
    'cannot be %s',
    (origin) => {
      expect(() => synthesise({}, stagesWith({ corsOrigins: [origin] }))).toThrow(
        'corsOrigins has',
      );
    },
  );

  it('is empty by default: no preflight method and no header', () => {
    for (const { template: each } of templates) {
      expect(JSON.stringify(each.toJSON())).not.toMatch(/Access-Control|"CORS_ORIGINS"|OPTIONS/);
    }
  });
});

describe('npm start', () => {
  it('responds to preflight requests of an allowed origin, without a key', async () => {
    const origins = ['--cors-origin', 'http://a.test', '--cors-origin', 'http://b.test:8080'];
    const service = await startService(['--in-memory', ...origins]);
    const preflight = async (origin: string, path = '/pets') => {
      const sent = { method: 'OPTIONS', headers: { Origin: origin } };
      const [response] = await once(
        httpRequest(`${service.baseAddress}${path}`, sent).end(),
        'response',
      );
      return (response as IncomingMessage).resume();
    };

    for (const origin of ['http://a.test', 'http://b.test:8080']) {
      const { statusCode, headers } = await preflight(origin);
      expect(statusCode).toBe(204);
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
        vary: 'Origin',
        'x-request-id': expect.stringMatching(/./),
      });
    }
    for (const origin of ['http://aXtest', 'http://b.test', 'null', 'https://a.test']) {
      const { headers } = await preflight(origin);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers.vary).toBe('Origin');
    }
    expect((await preflight('http://a.test', '/unknown')).statusCode).toBe(401);
  });

  it('responds to OPTIONS with 405 and sends no CORS header, without --cors-origin', async () => {
    const service = await startService(['--in-memory']);
    const response = await request(service, '/pets', { method: 'OPTIONS' });

    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, POST');
    expect(
      [...response.headers.keys()].filter((name) => /^(access-control|vary)/.test(name)),
    ).toEqual([]);
  });

  it('refuses a --cors-origin that no browser sends', async () => {
    const { exitCode, stderr } = await runScript('start', ['--cors-origin', 'http://a.test/']);

    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('It takes an origin such as');
  });
});
