import type { Answer } from './Answer.ts';

/** One promise of the interface, and how to see whether it is kept. */
export type Check = {
  /** The promise: outcome, then condition. */
  title: string;
  /** Throws a `CheckFailure` where it is broken, a `CheckSkipped` where that cannot be seen. */
  run(): Promise<void>;
};

type Difference = { expected: string; got: string; answer?: Answer | undefined };

/** A promise that was broken, with what a person needs to find out why. */
export class CheckFailure extends Error {
  readonly expected: string;
  readonly got: string;
  /** The answer that broke it; undefined where none came. */
  readonly answer: Answer | undefined;

  constructor({ expected, got, answer }: Difference) {
    super(`expected ${expected}, got ${got}`);
    this.expected = expected;
    this.got = got;
    this.answer = answer;
  }
}

/** Its message says why the promise could be seen neither kept nor broken. */
export class CheckSkipped extends Error {}
