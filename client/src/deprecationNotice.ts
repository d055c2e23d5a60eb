import type { operations } from './description.ts';
import { findLink } from './links.ts';

export type DeprecationNotice = {
  operation: keyof operations;
  /** Since when the operation is deprecated. */
  deprecation?: Date;
  /** When the service removes it. */
  sunset?: Date;
  /** The address of what to use instead. */
  successor?: string;
};

/** Reads what an answer says of its operation's end (RFC 9745 and RFC 8594), if anything. */
export function deprecationNotice(
  operation: keyof operations,
  headers: Headers,
): DeprecationNotice | undefined {
  const sinceEpochSeconds = /^@(-?\d+)$/.exec(headers.get('Deprecation') ?? '')?.[1];
  const sunsetEpochMs = Date.parse(headers.get('Sunset') ?? '');
  if (sinceEpochSeconds === undefined && Number.isNaN(sunsetEpochMs)) return undefined;

  const successor = findLink(headers.get('Link'), 'successor-version');
  return {
    operation,
    ...(sinceEpochSeconds !== undefined && {
      deprecation: new Date(Number(sinceEpochSeconds) * 1000),
    }),
    ...(!Number.isNaN(sunsetEpochMs) && { sunset: new Date(sunsetEpochMs) }),
    ...(successor !== undefined && { successor }),
  };
}
