import type { APIGatewayProxyEvent } from 'aws-lambda';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as fallback } from '../../functions/fallback.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { createLocalGateway } from '../../infra/local/localGateway.ts';
import type { Handler } from '../../lib/http/handler.ts';
import type { ApiResponse } from '../../lib/http/middlewares/apiMiddleware.ts';
import { listen } from './listen.ts';
import './stageTables.ts';

/** What becomes of a request before the service sees it, or of an answer before the client does. */
export type Lie = {
  asked?: (event: APIGatewayProxyEvent) => void;
  answered?: (answer: ApiResponse, event: APIGatewayProxyEvent) => void;
};

/** Serves the interface on the tables of this file, with a lie in it. */
export async function serveLie({ asked, answered }: Lie): Promise<string> {
  const lying = (handler: Handler): Handler =>
    async function lie(rawEvent, context) {
      const event = rawEvent as APIGatewayProxyEvent;
      asked?.(event);
      const answer = await handler(event, context);
      answered?.(answer, event);
      return answer;
    };
  const server = createLocalGateway({
    createPet: lying(createPet),
    fallback: lying(fallback),
    getPet: lying(getPet),
    listPets: lying(listPets),
  });
  return `${await listen(server)}/v1`;
}

export function edit(answer: ApiResponse, change: (body: { message: string }) => unknown): void {
  answer.body = JSON.stringify(change(JSON.parse(answer.body)));
}

export function editLinks({ headers }: ApiResponse, change: (link: string) => string): void {
  for (const name of ['Location', 'Link']) {
    if (headers[name]) headers[name] = change(headers[name]);
  }
}
