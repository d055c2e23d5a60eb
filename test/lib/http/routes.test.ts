import { expect, it, vi } from 'vitest';
import { findRoute } from '../../../lib/http/routes.ts';

vi.mock(import('../../../lib/operations.ts'), async (importOriginal) => {
  const original = await importOriginal();
  const { listPets } = original.operations;
  const operationEntries = [
    ['readPet', { ...listPets, path: '/pets/{petId}' }],
    ['countPets', { ...listPets, path: '/pets/count' }],
  ] as unknown as typeof original.operationEntries;
  return { ...original, operationEntries };
});

it.each([
  ['/v1/pets/count', '/pets/count'],
  ['/v1/pets/counts', '/pets/{petId}'],
])('a literal path comes before a path with a parameter, as in API Gateway: %s', (path, route) => {
  expect(findRoute(path)?.template).toBe(route);
});
