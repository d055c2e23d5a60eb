export type Bar = { label: string; parts: number[] };

type Chart = {
  title: string;
  unit: string;
  partNames: string[];
  groups: { title: string; bars: Bar[] }[];
};

const barHeight = 16;
const rowHeight = 22;
const labelWidth = 110;
const plotWidth = 480;
const colours = ['#4c78a8', '#f58518'];

/** Draws groups of horizontal bars, each of parts that follow each other, as an SVG. */
export function stackedBars({ title, unit, partNames, groups }: Chart): string {
  const sums = groups.flatMap(({ bars }) => bars.map(({ parts }) => sum(parts)));
  const scale = plotWidth / Math.max(...sums);
  const lines: string[] = [text(0, 16, title, 'font-weight="bold"')];
  partNames.forEach((name, part) => {
    const x = labelWidth + part * 140;
    lines.push(rectangle(x, 26, 12, 12, part), text(x + 18, 36, name));
  });
  let y = 60;
  for (const group of groups) {
    lines.push(text(0, y + 12, group.title, 'font-style="italic"'));
    y += rowHeight;
    for (const { label, parts } of group.bars) {
      lines.push(text(0, y + 12, label));
      parts.forEach((value, part) => {
        const x = labelWidth + sum(parts.slice(0, part)) * scale;
        lines.push(rectangle(x, y, value * scale, barHeight, part));
      });
      lines.push(
        text(labelWidth + sum(parts) * scale + 6, y + 12, `${sum(parts).toFixed(0)} ${unit}`),
      );
      y += rowHeight;
    }
    y += 10;
  }
  const width = labelWidth + plotWidth + 80;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" font-family="sans-serif" font-size="12">
<title>${title}</title>
<rect width="100%" height="100%" fill="white"/>
${lines.join('\n')}
</svg>
`;
}

function text(x: number, y: number, content: string, style = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y}" ${style}>${content}</text>`;
}

function rectangle(x: number, y: number, width: number, height: number, part: number): string {
  return `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${height}" fill="${colours[part]}"/>`;
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
