import { parseExactJson } from '../exactJson.ts';
import type { ApiMiddleware } from './ApiMiddleware.ts';

/**
 * Gives the integers of the parsed body back the digits that the JSON parser rounded off.
 *
 * `@middy/http-json-body-parser` judges syntax and member names, but shows its reviver no source
 * text; so the text that it let pass is read once more.
 */
export function integersExact(): ApiMiddleware {
  return {
    before: function restoreIntegers({ event, internal }) {
      if (internal.bodyText !== undefined) event.body = parseExactJson(internal.bodyText);
    },
  };
}
