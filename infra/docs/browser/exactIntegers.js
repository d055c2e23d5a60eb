// Runs in the browser, before Scalar. Scalar reads a body with JSON.parse and writes it again for its
// form and its code samples; numbers would round there beyond 2^53, and BigInts do not.
if ('rawJSON' in JSON) {
  const parse = JSON.parse;

  JSON.parse = function parseExact(text, reviver) {
    return parse(text, function reviveExact(name, value, context) {
      const isRounded =
        typeof value === 'number' &&
        !Number.isSafeInteger(value) &&
        /^-?\d+$/.test(context?.source ?? '');
      const exact = isRounded ? BigInt(context.source) : value;
      return reviver ? reviver.call(this, name, exact, context) : exact;
    });
  };

  // Without it JSON.stringify throws on a BigInt.
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    value: function toExactJson() {
      return JSON.rawJSON(String(this));
    },
  });
}
