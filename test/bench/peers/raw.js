// Requests signed by hand: the limit without the SDK. It has no retries, no time-outs, and no renewal of
// credentials.

import { serviceThrough } from './bareService.js';

const { createHash, createHmac } = process.getBuiltinModule('node:crypto');
const https = process.getBuiltinModule('node:https');

const { AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
const { hostname, port, host } = new URL(process.env.AWS_ENDPOINT_URL_DYNAMODB);
const agent = new https.Agent({ keepAlive: true });

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const hmac = (key, text) => createHmac('sha256', key).update(text).digest();

let signingKey;
let signingKeyDate;

function sign(headers, body) {
  const names = Object.keys(headers).sort();
  const time = headers['x-amz-date'];
  const date = time.slice(0, 8);
  if (date !== signingKeyDate) {
    const scope = [date, AWS_REGION, 'dynamodb', 'aws4_request'];
    signingKey = scope.reduce(hmac, `AWS4${AWS_SECRET_ACCESS_KEY}`);
    signingKeyDate = date;
  }
  const canonical = `POST\n/\n\n${names.map((name) => `${name}:${headers[name]}\n`).join('')}\n${names.join(';')}\n${sha256(body)}`;
  const scope = `${date}/${AWS_REGION}/dynamodb/aws4_request`;
  const signature = hmac(
    signingKey,
    `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`,
  ).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${AWS_ACCESS_KEY_ID}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
}

function callDynamoDb(action, input) {
  const body = JSON.stringify(input);
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    host,
    'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
    'x-amz-security-token': AWS_SESSION_TOKEN,
    'x-amz-target': `DynamoDB_20120810.${action}`,
  };
  headers.authorization = sign(headers, body);
  headers['content-length'] = Buffer.byteLength(body);
  return new Promise((resolve, reject) => {
    const request = https.request(
      { hostname, port, method: 'POST', path: '/', headers, agent },
      (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(JSON.parse(text));
          else reject(new Error(text));
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

export const handler = serviceThrough(callDynamoDb);
