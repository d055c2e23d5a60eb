/** What the service said, as the checks look at it. */
export type Answer = {
  /** For people: `GET /v1/pets?limit=1`. */
  request: string;
  operation: 'listPets' | 'createPet' | 'getPet' | undefined;
  status: number;
  headers: Headers;
  /** Without the API key, should the service repeat it. */
  text: string;
  /** Each int64 is a `bigint`; undefined where the text is no JSON. */
  json: unknown;
  isKeyRepeated: boolean;
};
