import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Input, Item } from './DynamoDbModel.ts';

type Names = Pick<Input, 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>;

/**
 * Evaluates a condition of DynamoDB for an item.
 *
 * It knows AND, OR, BETWEEN, comparisons, `attribute_exists` and `attribute_not_exists`, without
 * parentheses around conditions. Throws on everything else.
 */
export function isTrue(expression: string, item: Item, names: Names): boolean {
  // The AND of a BETWEEN joins no conditions.
  const marked = expression.replaceAll(/(BETWEEN \S+) AND /g, '$1 .. ');
  return marked
    .split(' OR ')
    .some((part) => part.split(' AND ').every((term) => isTermTrue(term.trim(), item, names)));
}

function isTermTrue(term: string, item: Item, names: Names): boolean {
  const operand = (text = ''): AttributeValue | undefined =>
    text.startsWith(':')
      ? names.ExpressionAttributeValues?.[text]
      : item[names.ExpressionAttributeNames?.[text] ?? text];

  const existence = /^attribute_(not_)?exists\((\S+)\)$/.exec(term);
  if (existence) return (operand(existence[2]) === undefined) === (existence[1] === 'not_');

  const range = /^(\S+) BETWEEN (\S+) \.\. (\S+)$/.exec(term);
  if (range) {
    const [value, low, high] = range.slice(1).map(operand);
    return compare(low, '<=', value) && compare(value, '<=', high);
  }
  const comparison = /^(\S+) (=|<>|<=?|>=?) (\S+)$/.exec(term);
  if (!comparison) throw new Error(`The model cannot read the condition ${term}.`);
  const [, left, operator = '', right] = comparison;
  return compare(operand(left), operator, operand(right));
}

/** Values of two types are unequal and in no order. A missing attribute makes all but <> false. */
function compare(
  left: AttributeValue | undefined,
  operator: string,
  right: AttributeValue | undefined,
): boolean {
  const [a, b] = [comparable(left), comparable(right)];
  if (a === undefined || b === undefined || typeof a !== typeof b) return operator === '<>';
  switch (operator) {
    case '=':
      return a === b;
    case '<>':
      return a !== b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    default:
      return a >= b;
  }
}

function comparable(value: AttributeValue | undefined): bigint | string | undefined {
  return value?.N === undefined ? value?.S : BigInt(value.N);
}
