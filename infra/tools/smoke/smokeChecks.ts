import { authenticationChecks } from './authenticationChecks.ts';
import type { Check } from './Check.ts';
import { createPetChecks } from './createPetChecks.ts';
import { everyAnswerChecks } from './everyAnswerChecks.ts';
import { expectList } from './expectations.ts';
import { getPetChecks } from './getPetChecks.ts';
import { invalidPetChecks } from './invalidPetChecks.ts';
import { listPetsChecks } from './listPetsChecks.ts';
import type { Service } from './openService.ts';
import { pageChecks } from './pageChecks.ts';
import { repeatedPetChecks } from './repeatedPetChecks.ts';
import { routeChecks } from './routeChecks.ts';
import { makeTestPets, testPetName } from './testPets.ts';

type SmokeRun = {
  startedAt: Date;
  /** How long new pets may take to show in a list. */
  waitMs: number;
};

/** What a client may rely on, in the order in which it is looked at. */
export function smokeChecks(service: Service, { startedAt, waitMs }: SmokeRun): Check[] {
  const pets = makeTestPets(startedAt);
  return [
    firstCheck(service),
    ...createPetChecks(service, pets),
    ...repeatedPetChecks(service, pets),
    ...invalidPetChecks(service, testPetName(startedAt)),
    ...getPetChecks(service),
    ...listPetsChecks(service),
    ...pageChecks(service, pets, waitMs),
    ...authenticationChecks(service),
    ...routeChecks(service),
    ...everyAnswerChecks(service),
  ];
}

/** Fails where nobody answers, or something else than a pet store, or it does not take the key. */
function firstCheck({ send }: Service): Check {
  return {
    title: 'listPets answers 200 with an array of pets',
    async run() {
      expectList(await send('GET', '/pets?limit=1'));
    },
  };
}
