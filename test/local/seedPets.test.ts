import { expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { seedPets } from '../../local/seedPets.ts';
import { call } from '../helpers/api.ts';
import { rex as body } from '../helpers/samplePets.ts';

it('sample pets take the id of no pet that was created before or is created later', async () => {
  const first = await call(createPet, { body });
  await Array.fromAsync(seedPets(30));
  await call(createPet, { body });

  const { json } = await call(listPets, { query: { limit: '100' } });

  expect(json.map(({ id }: { id: number }) => id)).toEqual(
    Array.from({ length: 32 }, (_, n) => n + 1),
  );
  expect(json[0]).toEqual(first.json);
});
