export { AgreedClock } from './agreed-clock.ts'
export { type AgreedTime, dayMs } from './agreed-time.ts'
