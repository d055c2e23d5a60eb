export { idIn, textOfItem as textOf } from './samplePets.ts';
