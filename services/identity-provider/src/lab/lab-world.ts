import type { Logger } from 'pino'
import { systemRuntime } from '../directory/runtime.ts'
import { type ServiceWorld, systemWorld } from '../service-world.ts'
import type { Settings } from '../settings.ts'
import { Lab } from './lab.ts'

/** The world of a server with `LAB=on`: that of the system, with the clock of its lab. */
export function openLabWorld({ HOST }: Pick<Settings, 'HOST'>, log: Logger): ServiceWorld {
  const lab = new Lab({ log })
  log.warn(
    { host: HOST },
    'LAB=on: this server makes forged tokens and faults, never use it in production',
  )
  return {
    ...systemWorld,
    runtime: { ...systemRuntime, now: lab.clock.now },
    elapsedMs: undefined,
    lab,
  }
}
