/** A pet that a client tried to create, under a name that no other creation has. */
export type Creation = {
  name: string;
  /** Digits, because some values are beyond the exact range of a number. */
  categoryId: string;
  status: string;
  idempotencyKey?: string;
  /** The pet's JSON text, exactly as in the 201. */
  acknowledgement?: string;
};

/** The requests and responses of the clients. The stored pets are compared with them. */
export class Ledger {
  readonly creations: Creation[] = [];
  /** Each broken promise, as a sentence. */
  readonly violations: string[] = [];
  /** Number of responses by status; `none` if the service was killed. */
  readonly responses: Record<string, number> = {};

  /** Notes a 201. Every 201 for an Idempotency-Key must be the same. */
  acknowledge(creation: Creation, text: string): void {
    const { acknowledgement, idempotencyKey } = creation;
    if (acknowledgement !== undefined && acknowledgement !== text) {
      this.violations.push(`${idempotencyKey} got two responses: ${acknowledgement} and ${text}`);
    }
    creation.acknowledgement = text;
  }

  acknowledged(): Creation[] {
    return this.creations.filter(({ acknowledgement }) => acknowledgement !== undefined);
  }
}
