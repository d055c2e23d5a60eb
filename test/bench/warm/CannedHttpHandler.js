import { Readable } from 'node:stream';
import { HttpResponse } from '@smithy/core/protocols';

export { streamCollector } from '@smithy/core/serde';

// Replaces `@smithy/node-http-handler` in the warm bench: the whole SDK runs, except the connection.

const { responses } = globalThis.bench;
const headers = { 'content-type': 'application/x-amz-json-1.0' };

export class NodeHttpHandler {
  static create() {
    return new NodeHttpHandler();
  }

  async handle(request) {
    const action = request.headers['x-amz-target'].split('.')[1];
    const body = new Readable({
      read() {
        this.push(responses[action]);
        this.push(null);
      },
    });
    return { response: new HttpResponse({ statusCode: 200, reason: 'OK', headers, body }) };
  }

  updateHttpClientConfig() {}

  httpHandlerConfigs() {
    return {};
  }

  destroy() {}
}
