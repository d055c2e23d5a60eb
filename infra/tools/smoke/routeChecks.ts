import type { Check } from './Check.ts';
import { expectEqual, expectError, expectStatus } from './expectations.ts';
import type { Service } from './openService.ts';

/** What is no operation: paths that the interface has not, and methods that a path has not. */
export function routeChecks({ send }: Service): Check[] {
  const unknownPaths = ['/store/orders', '/pets/1/2', '/nothing/here'];
  const otherMethods: [string, string, string[]][] = [
    ['DELETE', '/pets', ['GET', 'POST']],
    ['PATCH', '/pets', ['GET', 'POST']],
    ['OPTIONS', '/pets', ['GET', 'POST']],
    ['HEAD', '/pets', ['GET', 'POST']],
    ['POST', '/pets/1', ['GET']],
    ['PUT', '/pets/1', ['GET']],
  ];
  return [
    ...unknownPaths.map((path) => ({
      title: `answers 404 for the path ${path}`,
      async run() {
        expectError(await send('GET', path), 404, 'not_found');
      },
    })),
    ...otherMethods.map(([method, path, allowed]) => ({
      title: `answers 405 for ${method} ${path}, and Allow says what it has`,
      async run() {
        const answer = await send(method, path);
        // The answer to HEAD has no body.
        if (method === 'HEAD') expectStatus(answer, 405);
        else expectError(answer, 405, 'method_not_allowed');
        const methods = answer.headers.get('Allow')?.split(/\s*,\s*/);
        expectEqual(answer, 'in Allow', methods?.sort(), allowed);
      },
    })),
  ];
}
