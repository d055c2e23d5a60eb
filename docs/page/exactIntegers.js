// Runs in the browser before Scalar, which passes JSON bodies through JSON.parse and JSON.stringify.
// Integers beyond 2^53 become BigInts in between, because numbers would be rounded
// (https://github.com/scalar/scalar/issues/2332).
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

  // JSON.stringify throws on a BigInt that has no `toJSON`.
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    value: function toExactJson() {
      return JSON.rawJSON(String(this));
    },
  });
}
