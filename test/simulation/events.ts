import type { Choice, World } from './World.ts';

/** Everything that may happen now without a request: events of the scope, time to live, index lag. */
export function eventsOf(world: World): Choice[] {
  const { scope, database, eventsDone, nowSeconds } = world;
  const events = (scope.events ?? [])
    .filter(({ label, when }) => !eventsDone.has(label) && (when?.(world) ?? true))
    .map(({ label, apply }) => ({
      label,
      run: () => {
        eventsDone.add(label);
        apply(world);
      },
    }));
  const expired = [...database.table('idempotency').items]
    .filter(([, item]) => Number(item.expiresAtEpochSeconds?.N) <= nowSeconds)
    .map(([key]) => ({
      label: `the time to live deletes ${key}`,
      run: () => database.set('idempotency', key, undefined),
    }));
  const lagging = [...database.lagging].sort().map((key) => ({
    label: `the index catches up with ${key}`,
    run: () => database.catchUp('pets', key),
  }));
  return [...events, ...expired, ...lagging];
}
