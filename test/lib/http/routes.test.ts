import { expect, it, vi } from 'vitest';
import { findRoute } from '../../../lib/http/routes.ts';

vi.mock(import('../../../lib/operations.ts'), async (importOriginal) => {
  const original = await importOriginal();
  const countPets = { ...original.operations.listPets, path: '/pets/count' } as const;
  const operationEntries = [...original.operationEntries, ['countPets', countPets]];
  return { ...original, operationEntries: operationEntries as typeof original.operationEntries };
});

it.each([
  ['/v1/pets/count', '/pets/count'],
  ['/v1/pets/counts', '/pets/{petId}'],
])('a literal path comes before a path with a parameter, as in API Gateway: %s', (path, route) => {
  expect(findRoute(path)?.template).toBe(route);
});
