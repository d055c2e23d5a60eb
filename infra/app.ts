import { App } from 'aws-cdk-lib';
import { PetStoreStack } from './PetStoreStack.ts';
import { stackName, stages } from './stages.ts';

const app = new App();
for (const stage of stages) new PetStoreStack(app, stackName(stage.name), { stage });
