/** A table in Markdown, its columns straight; those whose every cell is a number are set to the right. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [head, ...rows];
  const columns = head.map((_, column) => ({
    width: Math.max(3, ...lines.map((cells) => cells[column]?.length ?? 0)),
    isNumeric: rows.every((cells) => /^[-+$]?[\d,.]+( %)?$/.test(cells[column] ?? '')),
  }));
  const [first = '', ...rest] = lines.map((cells) =>
    row(
      columns.map(({ width, isNumeric }, column) => {
        const cell = cells[column] ?? '';
        return isNumeric ? cell.padStart(width) : cell.padEnd(width);
      }),
    ),
  );
  const rule = row(
    columns.map(({ width, isNumeric }) => `${'-'.repeat(width - 1)}${isNumeric ? ':' : '-'}`),
  );
  return [first, rule, ...rest].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
