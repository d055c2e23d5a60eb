/** The table names in an engine that serves one program. */
export const tableNames = { pets: 'pets', apiKeys: 'api-keys', idempotency: 'idempotency' };

/**
 * Creates these tables, adds sample pets, and returns an API key.
 *
 * Call it when the environment is that of the functions: their client reads it as it loads.
 */
export async function fillTables(stage: string, petCount: number): Promise<string> {
  const { createTables } = await import('../../infra/local/createTables.ts');
  const { seedPets } = await import('../../infra/local/seedPets.ts');
  const { issueApiKey } = await import('../../infra/tools/apiKeyRegistry.ts');
  await createTables(tableNames);
  if (petCount > 0) await seedPets(petCount, () => {});
  return issueApiKey({ stage, tableName: tableNames.apiKeys }, { name: 'bench' });
}
