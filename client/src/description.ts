// Written by `npm run client` from openapi.json, and not by hand.

export type paths = {
  '/pets': {
    get: operations['listPets'];
    post: operations['createPet'];
  };
  '/pets/{petId}': { get: operations['getPet'] };
};

export type components = {
  schemas: {
    /** Availability status of an animal. */
    PetStatus: 'available' | 'pending' | 'sold';
    /** An animal to add. Unknown members are ignored. */
    NewPet: {
      /** The animal's name: 1 to 255 Unicode code points, not all of them white space, no lone surrogates. Stored and returned verbatim. */
      name: string;
      /** Identifier of the category. Every int64 is kept digit for digit. */
      categoryId: bigint;
      /** Availability status. */
      status?: components['schemas']['PetStatus'];
    };
    /** An animal, as stored. */
    Pet: {
      /** Unique identifier, assigned on creation. Ascending from 1, with gaps, and never used twice. */
      id: bigint;
      /** The animal's name. */
      name: string;
      /** Identifier of the category. */
      categoryId: bigint;
      /** Availability status. */
      status: components['schemas']['PetStatus'];
    };
    /** The body of every response of 400 and above. */
    Error: {
      /** Machine-readable code, from a closed list. */
      code: 'bad_request' | 'unauthorized' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'payload_too_large' | 'unsupported_media_type' | 'idempotency_key_reused' | 'too_many_requests' | 'internal_error' | 'service_unavailable' | 'gateway_timeout';
      /** Human-readable description: every field at fault, with what would be right. Not for programs. */
      message: string;
      /** The HTTP status of the response. */
      status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 422 | 429 | 500 | 503 | 504;
    };
  };
};

export type operations = {
  /** List animals. */
  listPets: {
    parameters: {
      query?: {
        /** Maximum number of animals in the page. */
        limit?: number;
        /** Lists the animals of this availability status alone. */
        status?: components['schemas']['PetStatus'];
        /** The place to go on from, taken from the `Link` header of the page before. Opaque; it belongs to one deployment and one `status` filter. */
        cursor?: string;
      };
      header?: never;
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': Array<components['schemas']['Pet']> } };
      400: { content: { 'application/json': components['schemas']['Error'] } };
      401: { content: { 'application/json': components['schemas']['Error'] } };
      403: { content: { 'application/json': components['schemas']['Error'] } };
      413: { content: { 'application/json': components['schemas']['Error'] } };
      429: { content: { 'application/json': components['schemas']['Error'] } };
      500: { content: { 'application/json': components['schemas']['Error'] } };
      503: { content: { 'application/json': components['schemas']['Error'] } };
      504: { content: { 'application/json': components['schemas']['Error'] } };
    };
  };
  /** Add an animal. */
  createPet: {
    parameters: {
      query?: never;
      header?: {
        /** Makes the request safe to repeat: within 24 hours the same key with the same body gives the same 201 and animal, and no second one. With another body it is answered 422. A key belongs to the API key that sent it. Take a fresh UUID for each animal. */
        'Idempotency-Key'?: string;
      };
      path?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['NewPet'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['Pet'] } };
      400: { content: { 'application/json': components['schemas']['Error'] } };
      401: { content: { 'application/json': components['schemas']['Error'] } };
      403: { content: { 'application/json': components['schemas']['Error'] } };
      413: { content: { 'application/json': components['schemas']['Error'] } };
      415: { content: { 'application/json': components['schemas']['Error'] } };
      422: { content: { 'application/json': components['schemas']['Error'] } };
      429: { content: { 'application/json': components['schemas']['Error'] } };
      500: { content: { 'application/json': components['schemas']['Error'] } };
      503: { content: { 'application/json': components['schemas']['Error'] } };
      504: { content: { 'application/json': components['schemas']['Error'] } };
    };
  };
  /**
   * Get an animal.
   * @deprecated Deprecated since 2026-11-20, and removed on 2030-12-05. Use `GET /pets` with the `status` filter instead.
   */
  getPet: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** The identifier of the animal to read. */
        petId: bigint;
      };
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Pet'] } };
      400: { content: { 'application/json': components['schemas']['Error'] } };
      401: { content: { 'application/json': components['schemas']['Error'] } };
      403: { content: { 'application/json': components['schemas']['Error'] } };
      404: { content: { 'application/json': components['schemas']['Error'] } };
      413: { content: { 'application/json': components['schemas']['Error'] } };
      429: { content: { 'application/json': components['schemas']['Error'] } };
      500: { content: { 'application/json': components['schemas']['Error'] } };
      503: { content: { 'application/json': components['schemas']['Error'] } };
      504: { content: { 'application/json': components['schemas']['Error'] } };
    };
  };
};
