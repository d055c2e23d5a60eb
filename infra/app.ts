import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { addStacks } from './addStacks.ts';

const app = new App();
addStacks(app);
// Any finding that is not acknowledged where it arises fails the synthesis.
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
