import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commitOutput } from '../../infra/core/stackNames.ts';
import { fullStaging, fullProduction as template } from '../helpers/fullStacks.ts';
import { propertiesOf } from '../helpers/templates.ts';

// Operators come from a message to a section of the runbook, and paste what names a part of the stack.

const read = (file: string) => readFileSync(file, 'utf8');
const scripts = globSync('tools/{*.sh,deploy.ts}');

/** Returns what a pattern matches in files, once for each. */
const namedIn = (files: string[], pattern: RegExp) => [
  ...new Set(files.flatMap((file) => read(file).match(pattern) ?? [])),
];

/** What alarms tell, also those that only CloudFormation or another alarm watches. */
const messages = ['Alarm', 'CompositeAlarm'].flatMap((type) =>
  propertiesOf(template, `AWS::CloudWatch::${type}`).map((each) => each.AlarmDescription),
);

describe('docs/runbook.md', () => {
  it('has a section for each kind of message to the operators, and no other under Alarms', () => {
    const [section = ''] = /^## Alarms$.*?(?=^## )/ms.exec(read('docs/runbook.md')) ?? [];
    const headings = [...section.matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading);
    const anchors = headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-'));

    const form = /^.{40,} Runbook: docs\/runbook\.md#([a-z-]+)$/;
    const named = messages.map((message) => form.exec(String(message))?.[1]);
    const namedByScripts = namedIn(scripts, /(?<=docs\/runbook\.md#)[\w-]+/g);
    expect([...new Set([...named, ...namedByScripts])].sort()).toEqual(anchors.sort());
  });
});

describe('the documents and scripts for operators', () => {
  const files = [...globSync('docs/*.md'), ...scripts];

  it('name only types of resources that a stack has', () => {
    const types = namedIn(files, /AWS::\w+::\w+/g);

    const existing = Object.values<{ Type: string }>(template.toJSON().Resources);
    const gone = types.filter((type) => existing.every((each) => each.Type !== type));
    expect(types).not.toEqual([]);
    expect(gone).toEqual([]);
  });

  it('read only outputs that a stack has', () => {
    const outputs = namedIn(files, /(?<=\boutput )[A-Z]\w+/g);

    const existing = [
      commitOutput,
      ...[template, fullStaging].flatMap((each) => Object.keys(each.findOutputs('*'))),
    ];
    expect(outputs).not.toEqual([]);
    expect(outputs.filter((name) => !existing.includes(name))).toEqual([]);
  });
});
