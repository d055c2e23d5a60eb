import { markdownTable } from '../report.ts';
import { type Priced, priceOf } from './prices.ts';

export type BillLine = { service: string; what: string; priced: Priced; quantity: number };

export function billLine(
  service: string,
  what: string,
  priced: Priced,
  quantity: number,
): BillLine {
  return { service, what, priced, quantity };
}

export const quantityFormat = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });

export function priceOfLine({ priced, quantity }: BillLine): number {
  return priceOf(priced, quantity);
}

export function sumOf(lines: readonly BillLine[]): number {
  return lines.reduce((sum, each) => sum + priceOfLine(each), 0);
}

/** A table of bills, one of each stage. */
export function billTable(
  title: string,
  bills: readonly { stage: string; lines: readonly BillLine[] }[],
  format: (amount: number) => string,
): string {
  const names = new Set(bills.flatMap(({ lines }) => lines.map(nameOf)));
  const rows = [...names].map((name) => [
    name,
    ...bills.flatMap(({ lines }) => {
      const found = lines.find((each) => nameOf(each) === name);
      if (!found) return ['0', format(0)];
      return [quantityFormat.format(found.quantity), format(priceOfLine(found))];
    }),
  ]);
  const sums = bills.flatMap(({ lines }) => ['', format(sumOf(lines))]);
  return markdownTable(
    [title, ...bills.flatMap(({ stage }) => [stage, 'Price'])],
    [...rows, ['**Sum**', ...sums]],
  );
}

function nameOf({ service, what }: BillLine): string {
  return `${service}: ${what}`;
}
