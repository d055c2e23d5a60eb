import { machine } from '../machine.ts';
import { markdownTable } from '../markdownTable.ts';
import { median, quantile } from '../median.ts';
import { slope } from '../slope.ts';
import { type MeasuredRequest, measuredRequests, type Timed } from './measuredRequests.ts';

/** What one store took for one kind of request in one round. */
export type Round = Timed & { round: number; request: MeasuredRequest; petCount: number };

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** The medians of all rounds in Markdown, and how they grow with each power of ten. */
export function growthReport(rounds: readonly Round[]): string {
  const sizes = [...new Set(rounds.map(({ petCount }) => petCount))];
  const rows = measuredRequests.map((request) => {
    const own = rounds.filter((each) => each.request === request);
    const ofSize = (petCount: number) => own.filter((each) => each.petCount === petCount);
    const units = sizes.map((size) => median(ofSize(size).map((each) => each.unitsPerRequest)));
    const slopes = slopesOf(own);
    return [
      request,
      ...sizes.map((size) => median(ofSize(size).map(({ medianMs }) => medianMs)).toFixed(2)),
      percent(median(slopes)),
      `${percent(quantile(slopes, 0.25))} to ${percent(quantile(slopes, 0.75))}`,
      [...new Set(units.map((each) => each.toFixed(1)))].join(' … '),
    ];
  });
  const table = markdownTable(
    [
      'Request',
      ...sizes.map((size) => `ms at ${whole.format(size)} pets`),
      'Slope',
      'Middle half of the slopes',
      'Units',
    ],
    rows,
  );
  const roundCount = new Set(rounds.map(({ round }) => round)).size;
  return `${machine()}; ${roundCount} rounds.\n\n${table}`;
}

/** Of each round the growth with a power of ten, as a share of the round's mean. */
function slopesOf(rounds: readonly Round[]): number[] {
  const byRound = Map.groupBy(rounds, ({ round }) => round);
  return [...byRound.values()].map((each) => {
    const mean = each.reduce((sum, { medianMs }) => sum + medianMs, 0) / each.length;
    return slope(each.map(({ petCount, medianMs }) => [Math.log10(petCount), medianMs])) / mean;
  });
}

function percent(share: number): string {
  const text = (100 * share).toFixed(1);
  return `${share > 0 ? '+' : ''}${text} %`;
}
