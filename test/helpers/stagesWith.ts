import { type Stage, stages } from '../../infra/stages.ts';

/** The stages with other settings. Not in templates.ts, which takes a second to load. */
export function stagesWith(
  changed: Partial<Stage>,
  ofStage: Partial<Record<Stage['name'], Partial<Stage>>> = {},
): Stage[] {
  return stages.map((stage) => ({ ...stage, ...changed, ...ofStage[stage.name] }));
}
