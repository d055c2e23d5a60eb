/** The query of each list. */
export type PageQuery = {
  /** Maximum number of items in the page: 1 to 100, 20 by default. */
  limit?: number | undefined;
  /** The position to continue from. Opaque; valid only for the same deployment and filter. */
  cursor?: string | undefined;
};

/** Limits of a call, with defaults in the options of the client. */
export type Limits = {
  /** Time limit of one attempt: an integer from 1 to 2,147,483,647, 15,000 by default. */
  timeoutMs?: number | undefined;
  /** The maximum number of attempts, 3 by default. 1 disables retries. */
  maxAttempts?: number | undefined;
};

export type CallOptions = Limits & {
  /** Aborts the call, its waits and its retries. The call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
};

export type CreationOptions = CallOptions & {
  /**
   * Identifies this creation: 1 to 255 visible ASCII characters, by default a random one.
   *
   * Pass a stored key if a creation must survive a crash of your process. Within 24 hours, the same
   * key with the same body returns the item that was added. With another body, it is a 422.
   */
  idempotencyKey?: string | undefined;
};

export type PetStoreClientOptions = Limits & {
  /** Ends in `/v1`. `npm start` and the deployed stack print it. */
  baseAddress: string | undefined;
  /**
   * Like `baseAddress`, it may come from an environment variable. If the variable is not set, the client throws.
   *
   * With a read-only key, a method that changes something rejects with `forbidden`.
   */
  apiKey: string | undefined;
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
};

/** The data of a successful call, with the rest of the response. */
export type PetStoreResponse<Value> = {
  data: Value;
  status: number;
  headers: Headers;
  /** Identifies the request to the operators of the service. */
  requestId: string | undefined;
  /**
   * True if an earlier request had used the Idempotency-Key, such as an attempt of the same call whose
   * response was lost. Always false for a call that sends no key.
   */
  isReplayed: boolean;
};

/** The result of a call. `withResponse` adds the status, headers and request id of the response. */
export type ResponsePromise<Value> = Promise<Value> & {
  withResponse: () => Promise<PetStoreResponse<Value>>;
};
