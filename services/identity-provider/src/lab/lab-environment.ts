import { Lab } from '@greeting/lab/parts/lab'
import type { Logger } from 'pino'
import { systemRuntime } from '../directory/runtime.ts'
import type { Settings } from '../settings.ts'
import { type ServiceEnvironment, systemEnvironment } from '../startup/environment.ts'

/** The environment of a server with `LAB=on`: the system, with the clock of its lab. */
export function openLabEnvironment(
  { HOST }: Pick<Settings, 'HOST'>,
  log: Logger,
): ServiceEnvironment {
  const lab = new Lab({ log })
  log.warn(
    { host: HOST },
    'LAB=on: this server makes forged tokens and faults, never use it in production',
  )
  return {
    ...systemEnvironment,
    runtime: { ...systemRuntime, now: lab.clock.now },
    elapsedMs: undefined,
    lab,
  }
}
