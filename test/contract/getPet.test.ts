import { describe, expect, it } from 'vitest';
import { addSamplePet } from './addSamplePet.ts';
import { expectError, expectStatus, send } from './send.ts';
import { service } from './serviceUnderTest.ts';

// createPet.test.ts reads each new pet with getPet at once. checkResponse.ts checks that each response
// announces the removal that openapi.json has.

describe('getPet', () => {
  it('returns a pet as listPets shows it', async (context) => {
    if (service.mode === 'local') await addSamplePet(context, 'odd');
    const { json } = await send('GET', '/pets?limit=1');
    context.skip(json.length === 0, 'the store has no pet');

    const read = await send('GET', `/pets/${json[0].id}`);

    expectStatus(read, 200);
    expect(read.json).toEqual(json[0]);
  });

  it.for([
    '9223372036854775807',
    '9223372036854775808',
    '0',
    '01',
    '-1',
    '+1',
    '1.0',
    '1e0',
    '%201',
    '1%0A',
    '0x1',
    '%D9%A1',
    'none',
    'COUNTER',
    '__proto__',
  ])('responds 404 for the id %s', async (petId) => {
    expectError(await send('GET', `/pets/${petId}`), 'not_found', /no pet with this id\.$/);
  });

  it('responds 404 for an id of 5000 digits', async () => {
    expectError(await send('GET', `/pets/${'1'.repeat(5000)}`), 'not_found');
  });
});
