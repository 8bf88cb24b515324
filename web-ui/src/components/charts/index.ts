/**
 * The drawn and the long parts of the pages. `Topology` and `EngineGraph` are not here: they bring
 * a graph library, so the pages import them lazily from their own files.
 */
export { ConfigForm, type ConfigFormProps } from './ConfigForm';
export { configCommand } from './config/edit';
export { FiguresChart, type FiguresChartProps } from './FiguresChart';
export { HookChart, type HookChartProps } from './HookChart';
export { copyText } from './log/copy';
export { LogTable, type LogTableProps } from './LogTable';
export { Sparkline, type SparklineProps } from './Sparkline';
export { countStatuses, lookOf, urgency, type Look, type Shape, type Tone } from './status';
export { Name } from './Name';
export { StatusMark, StatusShape } from './StatusMark';
export { StatusTimeline, type StatusTimelineProps } from './StatusTimeline';
export { clockTime, durationText, exactTime, machineTime, relativeTime, roughDuration } from './time';
export type * from './types';
