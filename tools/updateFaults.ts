import { permissionFaults } from './permissionFaults.ts';
import { normalizeTemplate, type Template } from './templates.ts';

/** The properties of a resource that the rules below read. */
type Properties = {
  ParentId?: unknown;
  PathPart?: string;
  HttpMethod?: string;
  Integration?: unknown;
  GlobalSecondaryIndexes?: { IndexName: string; KeySchema: unknown; Projection: unknown }[];
  TableName?: string;
  TimeToLiveSpecification?: unknown;
  DeletionProtectionEnabled?: boolean;
  PointInTimeRecoverySpecification?: { PointInTimeRecoveryEnabled: boolean };
  /** An attribute of the resource. */
  DeletionPolicy?: string;
};
type Resources = [id: string, properties: Properties][];

/**
 * Returns why an update from one template of a stage to the next is unsafe: AWS refuses it, or it breaks
 * clients. Each fault is one line. A template may be normalized already.
 */
export function updateFaults(oldTemplate: unknown, newTemplate: unknown): string[] {
  const old = normalizeTemplate(oldTemplate);
  const now = normalizeTemplate(newTemplate);
  const faultsOf = (type: string, rule: (old: Resources, now: Resources) => string[]) =>
    rule(propertiesOf(old, type), propertiesOf(now, type));
  return [
    ...faultsOf('AWS::ApiGateway::Resource', pathParameterFaults),
    ...faultsOf('AWS::ApiGateway::Method', methodFaults),
    ...faultsOf('AWS::DynamoDB::Table', tableFaults),
    ...permissionFaults(old, now),
  ];
}

function propertiesOf({ Resources = {} }: Template, type: string): Resources {
  return Object.entries(Resources).flatMap(
    ([id, { Type, Properties = {}, DeletionPolicy = '' }]) =>
      Type === type ? [[id, { ...Properties, DeletionPolicy }]] : [],
  );
}

/** API Gateway: "A sibling of this resource already has a variable path part". */
function pathParameterFaults(old: Resources, now: Resources): string[] {
  const parameters = new Map<string, string>();
  return [...old, ...now].flatMap(([id, { ParentId, PathPart = '' }]) => {
    if (!PathPart.startsWith('{')) return [];
    const parent = JSON.stringify(ParentId);
    const parameter = `${id} ${PathPart}`;
    const other = parameters.get(parent) ?? parameter;
    parameters.set(parent, parameter);
    return parameter === other ? [] : [`API Gateway refuses to add ${parameter} beside ${other}.`];
  });
}

/**
 * CloudFormation deletes a method only after it has deployed the API. It switches a method to a new function before
 * the alias of this function exists.
 */
function methodFaults(old: Resources, now: Resources): string[] {
  const functionOf = ({ Integration }: Properties) =>
    /\{(\w+?)Function\w*\.Arn\}/.exec(JSON.stringify(Integration))?.[1];
  const methods = new Map(now);
  return old.flatMap(([id, properties]) => {
    if (properties.HttpMethod === 'OPTIONS') return [];
    const method = methods.get(id);
    if (!method) return [`${id} stays deployed, and responds 500: add it to retiredMethods.`];
    const functions = new Set([functionOf(properties), functionOf(method)]);
    functions.delete('fallback');
    return functions.size < 2
      ? []
      : [`${id} would respond 500 until the alias of its new function is there.`];
  });
}

/** What keeps the items of a table. CloudFormation refuses to replace it only while it keeps its name. */
function protectionsOf(table: Properties): string[] {
  const { TableName, DeletionPolicy, PointInTimeRecoverySpecification: recovery } = table;
  return [
    ...(TableName ? [`TableName ${TableName}`] : []),
    ...(DeletionPolicy === 'Retain' ? ['DeletionPolicy Retain'] : []),
    ...(table.DeletionProtectionEnabled ? ['deletion protection'] : []),
    ...(recovery?.PointInTimeRecoveryEnabled ? ['point-in-time recovery'] : []),
  ];
}

/** DynamoDB changes no index in place, and adds or deletes one at a time. */
function tableFaults(old: Resources, now: Resources): string[] {
  const tables = new Map(now);
  return old.flatMap(([id, { GlobalSecondaryIndexes: oldIndexes = [], ...table }]) => {
    const newTable: Properties = tables.get(id) ?? {};
    const { GlobalSecondaryIndexes: indexes = [], TimeToLiveSpecification } = newTable;
    const kept = protectionsOf(newTable);
    const lost = protectionsOf(table).filter((each) => !kept.includes(each));
    const shapes = [...oldIndexes, ...indexes].map(({ IndexName, KeySchema, Projection }) =>
      JSON.stringify([IndexName, KeySchema, Projection]),
    );
    const changed = shapes.filter((shape) => shapes.indexOf(shape) === shapes.lastIndexOf(shape));
    const timeToLive = table.TimeToLiveSpecification;
    const keepsTimeToLive =
      !timeToLive || JSON.stringify(timeToLive) === JSON.stringify(TimeToLiveSpecification);
    return [
      ...(changed.length < 2 ? [] : [`${id}: change one index in a release, under a new name.`]),
      ...(keepsTimeToLive ? [] : [`${id}: keep its TimeToLiveSpecification.`]),
      ...lost.map((each) => `${id}: keep its ${each}.`),
    ];
  });
}
