import type { StartedService } from './banner.ts';
import type { HandledRequest } from './localGateway.ts';
import type { SeedProgress } from './seedPets.ts';

/** All that `npm start` has to say on stdout; what goes wrong is said on stderr. */
export type Report = {
  seeding(progress: SeedProgress): void;
  /** The seeding is at its end, or was ended early. */
  seeded(progress: SeedProgress): void;
  started(service: StartedService): void;
  handled(request: HandledRequest): void;
  /** `file` is what changed. */
  restarting(file: string): void;
  stopped(): void;
};
