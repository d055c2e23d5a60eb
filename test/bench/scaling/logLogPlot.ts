type Line = { label: string; points: readonly (readonly [x: number, y: number])[] };

type Plot = {
  title: string;
  xLabel: string;
  yLabel: string;
  /** From and to, in whole powers of ten. */
  decades: readonly [number, number];
  lines: readonly Line[];
};

const [width, height] = [800, 520];
const frame = { left: 84, right: 600, top: 64, bottom: 448 };

/** Told apart by the colour-blind too, and against a light and a dark ground. */
const colours = [
  { light: '#2563eb', dark: '#60a5fa' },
  { light: '#b45309', dark: '#fbbf24' },
  { light: '#047857', dark: '#34d399' },
  { light: '#9333ea', dark: '#c084fc' },
];

const digits = new Intl.NumberFormat('en');

/** Draws lines over two logarithmic axes as an SVG that brings its own ground, light or dark. */
export function logLogPlot({ title, xLabel, yLabel, decades, lines }: Plot): string {
  const [first, last] = decades;
  const place = (value: number, from: number, to: number) =>
    from + ((Math.log10(value) - first) / (last - first)) * (to - from);
  const x = (value: number) => place(value, frame.left, frame.right).toFixed(1);
  const y = (value: number) => place(value, frame.bottom, frame.top).toFixed(1);

  const powers = Array.from({ length: last - first + 1 }, (_, n) => 10 ** (first + n));
  const grid = powers.flatMap((power) => [
    `<path class="grid" d="M${x(power)} ${frame.top}V${frame.bottom}M${frame.left} ${y(power)}H${frame.right}"/>`,
    `<text x="${x(power)}" y="${frame.bottom + 20}" text-anchor="middle">${digits.format(power)}</text>`,
    `<text x="${frame.left - 8}" y="${y(power)}" dy="4" text-anchor="end">${digits.format(power)}</text>`,
  ]);
  const curves = lines.flatMap(({ label, points }, index) => {
    const path = points.map(([px, py]) => `${x(px)} ${y(py)}`).join('L');
    const [endX, endY] = points.at(-1) ?? [1, 1];
    return [
      `<path class="line line${index}" d="M${path}"/>`,
      `<text class="label${index}" x="${x(endX)}" y="${y(endY)}" dx="8" dy="4">${label}</text>`,
    ];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 16px; font-weight: 600 }
.ground { fill: #ffffff }
.grid { stroke: #d1d9e0; fill: none }
.line { stroke-width: 2.5; fill: none; stroke-linejoin: round }
${colourRules('light')}
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.ground { fill: #0d1117 }
.grid { stroke: #3d444d }
${colourRules('dark')}
}
</style>
<rect class="ground" width="${width}" height="${height}" rx="8"/>
<text class="title" x="${frame.left}" y="32">${title}</text>
${grid.join('\n')}
${curves.join('\n')}
<text x="${(frame.left + frame.right) / 2}" y="${height - 20}" text-anchor="middle">${xLabel}</text>
<text transform="translate(20 ${(frame.top + frame.bottom) / 2}) rotate(-90)" text-anchor="middle">${yLabel}</text>
</svg>
`;
}

function colourRules(scheme: 'light' | 'dark'): string {
  return colours
    .map(
      (colour, n) =>
        `.line${n} { stroke: ${colour[scheme]} } .label${n} { fill: ${colour[scheme]} }`,
    )
    .join('\n');
}
