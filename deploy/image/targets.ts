/** A target of the Containerfile: one service, or the command with the whole system. */
export type Target = {
  readonly name: 'identity-provider' | 'api' | 'authorizer' | 'greeting'
  /** The folder of its package, from the root of the repository. */
  readonly path: string
  readonly port: number
  /** The folder of a command that lies in the image beside the service. */
  readonly command?: string
}

export const targets: readonly Target[] = [
  { name: 'identity-provider', path: 'services/identity-provider', port: 4000, command: 'cli' },
  { name: 'api', path: 'services/greeting-api', port: 3000 },
  { name: 'authorizer', path: 'services/authorizer', port: 4100 },
]

/** The target that has the whole local system. */
const system: Target = { name: 'greeting', path: 'cli', port: 3000 }

/**
 * Finds a target by its name.
 *
 * @throws {Error} when there is none
 */
export function targetOf(name: string | undefined): Target {
  const all = [...targets, system]
  const target = all.find((one) => one.name === name)
  if (target) return target
  const names = all.map((one) => one.name).join(' or ')
  throw new Error(`the target must be ${names}, not ${name ?? 'empty'}`)
}
