import { expect, it } from 'vitest';
import { fullProduction, fullStaging } from '../../../helpers/fullStacks.ts';
import { production, propertiesOf, staging } from '../../../helpers/templates.ts';

it('a stage is watched if it is durable, or if its settings name a recipient', () => {
  const watched = [production, staging, fullProduction, fullStaging].map((template) =>
    ['CloudWatch::Alarm', 'CloudWatch::Dashboard', 'Events::Rule'].map(
      (type) => propertiesOf(template, `AWS::${type}`).length > 0,
    ),
  );
  const recipients = [production, fullProduction, fullStaging].map((template) =>
    propertiesOf(template, 'AWS::SNS::Subscription').map(({ Protocol }) => Protocol),
  );

  expect(watched.map(String)).toEqual([
    'true,true,true',
    'false,false,false',
    'true,true,true',
    'true,true,true',
  ]);
  expect(recipients).toEqual([[], ['https', 'email'], ['email']]);
});
