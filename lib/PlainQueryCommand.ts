import { Query$, QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';

const [kind, namespace, name, traits, input] = Query$;

/** The answer declared as a string, which is 0: the SDK hands that on as it is. */
const plainQuery = [kind, namespace, name, traits, input, 0];

/**
 * A query whose answer is what `JSON.parse` makes of it.
 *
 * That of the SDK walks every attribute of every item by a schema and finds the same text there.
 * An attribute of bytes would stay base64; no pet has one.
 */
export class PlainQueryCommand extends QueryCommand {
  constructor(query: QueryCommandInput) {
    super(query);
    this.middlewareStack.add((next, context) => {
      context.__smithy_context = { ...context.__smithy_context, operationSchema: plainQuery };
      return next;
    });
  }
}
