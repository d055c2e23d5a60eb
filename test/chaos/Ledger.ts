import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { idIn, textOfItem } from '../helpers/samplePets.ts';

/** A pet that a client tried to create, under a name that no other creation has. */
export type Creation = {
  name: string;
  /** The JSON text of its members. */
  members: string;
  idempotencyKey?: string;
  /** The pet's JSON text, exactly as in the 201. */
  acknowledgement?: string;
};

/** What the clients sent and received, and each broken promise as a sentence. */
export class Ledger {
  readonly creations: Creation[] = [];
  readonly violations: string[] = [];
  /** The number of responses by status. */
  readonly responses: Record<string, number> = {};

  count(status: number | string): void {
    this.responses[status] = (this.responses[status] ?? 0) + 1;
  }

  acknowledge(creation: Creation, text: string): void {
    const { acknowledgement = text } = creation;
    if (acknowledgement !== text) {
      this.violations.push(`a key got two responses: ${acknowledgement} and ${text}`);
    }
    creation.acknowledgement = text;
  }

  acknowledged(): Creation[] {
    return this.creations.filter(({ acknowledgement }) => acknowledgement !== undefined);
  }

  /** The JSON texts of all acknowledged pets of a status, or of all. */
  acknowledgedPets(status = ''): string[] {
    const texts = this.creations.flatMap(({ acknowledgement }) => acknowledgement ?? []);
    return texts.filter((text) => text.includes(`"status":"${status}"`) || status === '');
  }

  /** Compares the items of the table and of its index with the creations. */
  checkItems(items: Record<string, AttributeValue>[], indexed: typeof items): void {
    const pets = items.filter(({ pk }) => pk?.S !== 'COUNTER');
    const stored = pets.map(textOfItem).sort();
    const sent = new Set(this.creations.map(({ name }) => name));
    const strangers = pets.filter(({ name }) => !sent.has(name?.S ?? ''));
    this.violations.push(
      ...this.acknowledgedPets()
        .filter((pet) => !stored.includes(pet))
        .map((pet) => `${pet} was acknowledged and is not stored`),
      ...strangers.map((pet) => `${textOfItem(pet)} was never sent`),
      ...repeated(pets.map(({ name }) => `the name ${name?.S}`)),
      ...repeated(stored.map((pet) => `the id ${idIn(pet)}`)),
    );
    const listed = indexed.map(textOfItem).sort();
    if (String(stored) !== String(listed)) this.violations.push('the index differs from the table');
  }
}

function repeated(texts: string[]): string[] {
  const groups = Map.groupBy(texts, (text) => text);
  return [...groups].flatMap(([text, { length }]) =>
    length > 1 ? [`${text} occurs ${length} times`] : [],
  );
}
