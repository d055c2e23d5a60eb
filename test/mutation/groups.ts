type Group = { mutate: string[]; testFiles: string[] };

const contract = 'test/contract';
const functions = 'test/functions';
const lib = 'test/lib';

/** Files that no group mutates: code that only a bundle runs, and plain tables. */
export const notMutated = [
  'lib/lambda/**/*.ts',
  'lib/{metricDimensions,operations}.ts',
  'lib/dynamodb/tables.ts',
];

/**
 * The files of `lib/` in groups, each with its nearest tests.
 *
 * Running all tests for each mutant takes too long. A test outside the group may still kill a survivor.
 * runMutants.ts throws if a file is in no group or in two, and for a pattern that matches no test.
 */
export const groups: Record<string, Group> = {
  pets: {
    mutate: ['lib/pets/*.ts'],
    testFiles: [
      `${lib}/pets/*.test.ts`,
      `${lib}/metrics.test.ts`,
      `${functions}/{createPet,listPets}.test.ts`,
      `${contract}/{createPet,listPets}.test.ts`,
    ],
  },
  apiKeys: {
    mutate: ['lib/apiKeys/*.ts', 'lib/http/middlewares/authenticate.ts'],
    testFiles: [
      `${lib}/http/event.test.ts`,
      `${lib}/apiKeys/*.test.ts`,
      `${lib}/http/middlewares/authenticate.test.ts`,
      `${functions}/releaseCheck.test.ts`,
      `${contract}/authentication.test.ts`,
    ],
  },
  middlewares: {
    mutate: [
      'lib/http/middlewares/!(authenticate|formatErrors|parseBody|validateInput).ts',
      'lib/{logging,metrics}.ts',
      'lib/http/handler.ts',
    ],
    testFiles: [
      `${lib}/{cors,metrics}.test.ts`,
      `${lib}/pets/petStore.test.ts`,
      `${lib}/http/middlewares/!(authenticate).test.ts`,
      `${lib}/http/handler.test.ts`,
      `${functions}/{createPet,fallback,getPet}.test.ts`,
      `${lib}/http/event.test.ts`,
      `${contract}/*.test.ts`,
    ],
  },
  input: {
    mutate: ['lib/http/middlewares/{formatErrors,parseBody,validateInput}.ts', 'lib/schemas.ts'],
    testFiles: [
      `${functions}/!(heartbeat|releaseCheck).test.ts`,
      `${contract}/*.test.ts`,
      `${lib}/http/handler.test.ts`,
      `${lib}/http/middlewares/parseBody.test.ts`,
      `${lib}/pets/idempotency*.test.ts`,
      `${lib}/schemas.test.ts`,
    ],
  },
  addresses: {
    mutate: ['lib/cors.ts', 'lib/http/{event,links,routes}.ts'],
    testFiles: [
      `${lib}/cors.test.ts`,
      `${functions}/{createPet,fallback,getPet,listPets,releaseCheck}.test.ts`,
      `${contract}/{authentication,createPet,getPet,listPets,routes}.test.ts`,
      `${lib}/http/{event,handler}.test.ts`,
      `${lib}/http/middlewares/authenticate.test.ts`,
      `${lib}/pets/idempotency.test.ts`,
    ],
  },
  values: {
    mutate: ['lib/{config,errors,exactJson,int64,nowEpochSeconds}.ts'],
    testFiles: [
      `${lib}/{config,exactJson,int64}.test.ts`,
      `${lib}/http/handler.test.ts`,
      `${lib}/pets/idempotency*.test.ts`,
      `${functions}/fallback.test.ts`,
      `${contract}/{createPet,invalidPets,routes}.test.ts`,
    ],
  },
  database: {
    mutate: ['lib/dynamodb/{client,tuning}.ts'],
    testFiles: [
      `${lib}/dynamodb/*.test.ts`,
      `${lib}/http/handler.test.ts`,
      `${lib}/pets/{idempotency,idempotencyAfterCrash,petStore}.test.ts`,
      `${functions}/{getPet,listPets}.test.ts`,
    ],
  },
  release: {
    mutate: ['lib/release/*.ts'],
    testFiles: [`${functions}/{releaseCheck,verifyVersion*}.test.ts`],
  },
  heartbeat: {
    mutate: ['lib/heartbeat/*.ts'],
    testFiles: [`${functions}/heartbeat.test.ts`],
  },
};
