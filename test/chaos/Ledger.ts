/** One pet that a client set out to create, under a name that no other creation has. */
export type Creation = {
  name: string;
  /** As digits, which no number holds. */
  categoryId: string;
  status: string;
  idempotencyKey?: string;
  /** The pet's JSON text, exactly as a 201 had it. */
  acknowledgement?: string;
};

/** What the clients sent and were told, in memory of their own: the measure of what is stored. */
export class Ledger {
  readonly creations: Creation[] = [];
  /** Names that were sent without a key that is valid, or in a body that must be refused. */
  readonly forbiddenNames: string[] = [];
  /** Each broken promise, in a sentence. */
  readonly violations: string[] = [];
  /** How many requests were answered with each status, `none` where the service was killed. */
  readonly answers: Record<string, number> = {};

  /** Notes a 201. An Idempotency-Key must get the same one every time. */
  acknowledge(creation: Creation, text: string): void {
    if (creation.acknowledgement !== undefined && creation.acknowledgement !== text) {
      this.violations.push(
        `${creation.idempotencyKey} was answered ${creation.acknowledgement} and ${text}`,
      );
    }
    creation.acknowledgement = text;
  }

  acknowledged(): Creation[] {
    return this.creations.filter(({ acknowledgement }) => acknowledgement !== undefined);
  }
}

/** The id in the JSON text of a pet, as digits. */
export function idIn(petText: string): string {
  return /"id":(\d+)/.exec(petText)?.[1] ?? '';
}
