import { machine } from '../machine.ts';
import { markdownTable } from '../markdownTable.ts';
import { median, quantile } from '../median.ts';
import { slope } from '../slope.ts';
import { type Kind, kindNames } from './measuredRequests.ts';
import type { Timed } from './store.ts';

/** The result of one kind of request in one store and round. */
export type Round = Timed & { round: number; kind: Kind; petCount: number };

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** The medians of all rounds in Markdown, and their growth with each power of ten. */
export function growthReport(rounds: readonly Round[]): string {
  const sizes = [...new Set(rounds.map(({ petCount }) => petCount))];
  const rows = kindNames.map((kind) => {
    const own = rounds.filter((each) => each.kind === kind);
    const bySize = sizes.map((size) => own.filter(({ petCount }) => petCount === size));
    const units = bySize.map((each) => median(each.map((timed) => timed.unitsPerRequest)));
    const slopes = slopesOf(own);
    return [
      kind,
      ...bySize.map((each) => median(each.map(({ medianMs }) => medianMs)).toFixed(2)),
      percent(median(slopes)),
      `${percent(quantile(slopes, 0.25))} to ${percent(quantile(slopes, 0.75))}`,
      [...new Set(units.map((each) => each.toFixed(1)))].join(' … '),
    ];
  });
  const columns = [
    'Request',
    ...sizes.map((size) => `ms at ${whole.format(size)} pets`),
    'Slope',
    'Middle half of the slopes',
    'Units',
  ];
  const roundCount = new Set(rounds.map(({ round }) => round)).size;
  return `${machine()}; ${roundCount} rounds.\n\n${markdownTable(columns, rows)}`;
}

/** For each round, the growth with a power of ten, as a share of the round's mean. */
function slopesOf(rounds: readonly Round[]): number[] {
  const byRound = Map.groupBy(rounds, ({ round }) => round);
  return [...byRound.values()].map((each) => {
    const mean = each.reduce((sum, { medianMs }) => sum + medianMs, 0) / each.length;
    return slope(each.map(({ petCount, medianMs }) => [Math.log10(petCount), medianMs])) / mean;
  });
}

function percent(share: number): string {
  return `${share > 0 ? '+' : ''}${(100 * share).toFixed(1)} %`;
}
