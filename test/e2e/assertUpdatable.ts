import assert from 'node:assert/strict';

/** What the rules below read of a resource. */
type Properties = {
  ParentId?: unknown;
  PathPart?: string;
  HttpMethod?: string;
  Integration?: unknown;
  GlobalSecondaryIndexes?: { IndexName: string; KeySchema: unknown; Projection: unknown }[];
  TimeToLiveSpecification?: unknown;
};
type Resources = [id: string, properties: Properties][];
type Template = { Resources: Record<string, { Type: string; Properties: Properties }> };

/** Throws for an update that AWS refuses, or that breaks clients, although the emulator accepts it. */
export function assertUpdatable(old: Template, now: Template): void {
  for (const [type, check] of [
    ['AWS::ApiGateway::Resource', checkPathParameters],
    ['AWS::ApiGateway::Method', checkMethods],
    ['AWS::DynamoDB::Table', checkTables],
  ] as const) {
    check(resourcesOf(old, type), resourcesOf(now, type));
  }
}

function resourcesOf({ Resources }: Template, type: string): Resources {
  return Object.entries(Resources).flatMap(([id, { Type, Properties }]) =>
    Type === type ? [[id, Properties]] : [],
  );
}

/** API Gateway: "A sibling of this resource already has a variable path part". */
function checkPathParameters(old: Resources, now: Resources): void {
  const parameters = new Map<string, string>();
  for (const [id, { ParentId, PathPart = '' }] of [...old, ...now]) {
    if (!PathPart.startsWith('{')) continue;
    const parent = JSON.stringify(ParentId);
    const parameter = `${id} ${PathPart}`;
    const other = parameters.get(parent) ?? parameter;
    assert.equal(parameter, other, 'API Gateway refuses to add the first beside the second.');
    parameters.set(parent, parameter);
  }
}

/** CloudFormation deletes a method after it has deployed the API, and switches one before the alias exists. */
function checkMethods(old: Resources, now: Resources): void {
  const functionOf = ({ Integration }: Properties) =>
    /"(\w+?)Function\w*","Arn"/.exec(JSON.stringify(Integration))?.[1];
  const methods = new Map(now);
  for (const [id, properties] of old) {
    if (properties.HttpMethod === 'OPTIONS') continue;
    const method = methods.get(id);
    assert.ok(method, `${id} stays deployed, and responds 500: add it to removedMethods.`);
    const functions = new Set([functionOf(properties), functionOf(method)]);
    functions.delete('fallback');
    assert.ok(
      functions.size < 2,
      `${id} would respond 500 until the alias of its new function is there.`,
    );
  }
}

/** DynamoDB changes no index in place, and adds or deletes one at a time. */
function checkTables(old: Resources, now: Resources): void {
  const tables = new Map(now);
  for (const [id, { GlobalSecondaryIndexes: oldIndexes = [], TimeToLiveSpecification }] of old) {
    const { GlobalSecondaryIndexes: indexes = [], TimeToLiveSpecification: timeToLive } =
      tables.get(id) ?? {};
    const shapes = [...oldIndexes, ...indexes].map(({ IndexName, KeySchema, Projection }) =>
      JSON.stringify([IndexName, KeySchema, Projection]),
    );
    const changed = shapes.filter((shape) => shapes.indexOf(shape) === shapes.lastIndexOf(shape));
    assert.ok(changed.length < 2, `${id}: change one index in a release, under a new name.`);
    if (TimeToLiveSpecification) assert.deepEqual(timeToLive, TimeToLiveSpecification, id);
  }
}
