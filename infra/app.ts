import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { addStacks } from './addStacks.ts';

const app = new App();
addStacks(app);
// A finding fails the synthesis, unless the construct acknowledges it.
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
