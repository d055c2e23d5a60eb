type Group = { mutate: string[]; testFiles: string[] };

const functions = 'test/functions';
const lib = 'test/lib';
const middlewares = 'test/lib/middlewares';

/**
 * Files of `lib/` with the tests that stand nearest to them.
 *
 * With all tests each mutant that lives costs a run of them all. A mutant
 * that is killed by its nearest tests is killed; of one that lives, other tests may know more.
 */
export const groups: Record<string, Group> = {
  store: {
    mutate: ['lib/{addPetOnce,cursor,listPets,petIds,petStore}.ts'],
    testFiles: [
      `${lib}/{addPetOnce,addPetOnceAfterDeath,cursor,petIds,petStore}.test.ts`,
      `${functions}/{createPet,createPetBody,listPets,listPetsQuery}.test.ts`,
    ],
  },
  apiKeys: {
    mutate: ['lib/{apiKey,apiKeyRecord,apiKeys}.ts', 'lib/middlewares/callerAuthenticated.ts'],
    testFiles: [
      `${lib}/{ApiEvent,apiKey,apiKeys}.test.ts`,
      `${middlewares}/callerAuthenticated.test.ts`,
    ],
  },
  middlewares: {
    mutate: [
      'lib/middlewares/!(bodyDecoded|callerAuthenticated|errorTranslated|inputValidated|integersExact).ts',
      'lib/{log,metrics,operationHandler,requestHandler}.ts',
    ],
    testFiles: [
      `${middlewares}/!(callerAuthenticated).test.ts`,
      `${lib}/requestHandler.test.ts`,
      `${functions}/{createPet,createPetBody,fallback,getPet}.test.ts`,
    ],
  },
  input: {
    mutate: [
      'lib/middlewares/{bodyDecoded,errorTranslated,inputValidated,integersExact}.ts',
      'lib/{nestingDepth,schemas}.ts',
    ],
    testFiles: [
      `${functions}/{createPet,createPetBody,getPet,listPets,listPetsQuery,verifyVersion}.test.ts`,
      `${lib}/{addPetOnce,addPetOnceAfterDeath,nestingDepth,requestHandler,schemas}.test.ts`,
    ],
  },
  addresses: {
    mutate: ['lib/{ApiEvent,links,routes}.ts'],
    testFiles: [
      `${functions}/{createPet,createPetBody,fallback,getPet,listPets,listPetsQuery}.test.ts`,
      `${lib}/{ApiEvent,requestHandler}.test.ts`,
      `${middlewares}/{callerAuthenticated,eventNormalized}.test.ts`,
    ],
  },
  values: {
    mutate: ['lib/{ApiError,config,exactJson,int64,nowEpochSeconds}.ts'],
    testFiles: [
      `${lib}/{addPetOnce,addPetOnceAfterDeath,config,exactJson,int64,requestHandler}.test.ts`,
      `${functions}/fallback.test.ts`,
    ],
  },
  database: {
    mutate: ['lib/{PlainQueryCommand,Sha256,collectStream,dynamoDb,withFastProperties}.ts'],
    testFiles: [
      `${lib}/{PlainQueryCommand,Sha256,addPetOnce,addPetOnceAfterDeath,petStore,requestHandler,withFastProperties}.test.ts`,
      `${functions}/{getPet,listPets,listPetsQuery}.test.ts`,
    ],
  },
  release: {
    mutate: ['lib/{releaseVerdict,versionCheck}.ts'],
    testFiles: [`${functions}/verifyVersion.test.ts`],
  },
};
