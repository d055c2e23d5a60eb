import fc from 'fast-check';

const codePoint = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point));

/**
 * Any text, with lone surrogates.
 *
 * The unit `binary` of fast-check takes a second to set up, in each thread.
 */
export const anyText = fc.oneof(fc.string(), fc.string({ unit: codePoint }));
