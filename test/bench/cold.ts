import { runCommand } from '../../tools/command.ts';
import { startDatabase } from './database.ts';
import { defineBench, type Start, shuffled } from './defineBench.ts';
import { checkResponse, type RequestEvent } from './requests.ts';
import { wholeProcessorMb } from './startFunction.ts';

export const cold = defineBench({
  script: 'bench:cold',
  description: 'Measures cold starts: from the start of the process to the first response.',
  rounds: 15,
  // The size of both stages, then a whole processor.
  columns: [512, wholeProcessorMb].flatMap((memoryMb) => [
    { title: `createPet, ${memoryMb} MB`, operation: 'createPet', memoryMb },
    { title: `listPets, ${memoryMb} MB`, operation: 'listPets', memoryMb },
  ]),
  startDatabase,
  measureRound,
});

async function measureRound(event: RequestEvent, starts: readonly Start[]): Promise<number[]> {
  const timesMs: number[] = [];
  for (const [index, start] of shuffled(starts.entries())) {
    const { initMs, limitProcessor, handle, stop } = await start();
    limitProcessor(); // Lambda runs the init phase, which ended here, at full speed.
    const sentAtMs = performance.now();
    const { response } = await handle(event);
    timesMs[index] = initMs + performance.now() - sentAtMs;
    await stop();
    checkResponse(event, response);
  }
  return timesMs;
}

if (import.meta.main) await runCommand(cold);
