export type { Lab } from './lab.ts'
export type { ClockState, Duration, LabClock } from './lab-clock.ts'
export {
  type LabProvider,
  type LabProviderOptions,
  startLabProvider,
} from './start-lab-provider.ts'
