import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fullProduction, fullStaging } from '../helpers/fullStacks.ts';
import { production, propertiesOf } from '../helpers/templates.ts';

it('each alarm says what is wrong, and names a section of the runbook', () => {
  const headings = readFileSync('docs/runbook.md', 'utf8').match(/(?<=^#+ ).+$/gm) ?? [];
  const anchors = headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-'));

  const messages = [production, fullProduction, fullStaging].flatMap((template) =>
    ['Alarm', 'CompositeAlarm'].flatMap((type) =>
      propertiesOf(template, `AWS::CloudWatch::${type}`).map((each) => each.AlarmDescription),
    ),
  );

  expect(messages).not.toEqual([]);
  for (const message of messages) {
    const form = /^.{40,} Runbook: (\S+\/)?docs\/runbook\.md#([a-z-]+)$/;
    expect(anchors).toContain(form.exec(message)?.[2]);
  }
});
